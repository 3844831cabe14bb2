"""Model selection on sweep folders."""

from __future__ import annotations

import json
import os
import warnings
from dataclasses import dataclass
from typing import Any, Callable, Dict, Optional, Sequence, Tuple, Union

from . import _core

Folders = Union[str, "os.PathLike[str]", Sequence[Union[str, "os.PathLike[str]"]]]
Progress = Callable[[int, int], None]


def paths_of(folders: Folders) -> list:
    if isinstance(folders, (str, os.PathLike)):
        return [os.fspath(folders)]
    return [os.fspath(folder) for folder in folders]


def parsed(hparams: Dict[str, str]) -> Dict[str, Any]:
    return {name: json.loads(value) for name, value in hparams.items()}


def _names(name: str, values: Sequence[str]) -> list:
    """As a list. A string is a sequence of letters, which nobody means."""
    if isinstance(values, str):
        raise TypeError(f"{name}: expected a list of names, got the string {values!r}")
    return list(values)


def warn_of(sentences: Sequence[str]) -> None:
    for sentence in sentences[:10]:
        warnings.warn(sentence, stacklevel=3)
    if len(sentences) > 10:
        warnings.warn(f"{len(sentences) - 10} more were left out", stacklevel=3)


@dataclass(frozen=True)
class Candidate:
    """A run and the record of it that a criterion considers."""

    run: str
    step: int
    hparams_seed: int
    hparams: Dict[str, Any]
    validation: float  # the accuracy that the criterion uses, from 0 to 1
    tests: Tuple[float, ...]  # accuracies on the decision's test environments
    losses: Tuple[float, ...]  # PAIR-s only: L
    score: float  # PAIR-s only: -L . p, p summing to 1; otherwise NaN
    above_bar: bool


@dataclass(frozen=True)
class Decision:
    """One choice among the runs of an algorithm on a dataset, in one trial, with the same test environments."""

    dataset: str
    algorithm: str
    trial_seed: int
    test_envs: Tuple[int, ...]
    losses: Tuple[str, ...]  # PAIR-s only: their names
    preference: Tuple[float, ...]  # PAIR-s only: it sums to 1
    bar: float  # PAIR-s only: the validation accuracy that a run must reach
    by_validation: bool  # whether validation accuracy decided among runs
    candidates: Tuple[Candidate, ...]  # in order of preference, at least one

    @property
    def chosen(self) -> Candidate:
        return self.candidates[0]


@dataclass(frozen=True)
class Selection:
    """The choices of a criterion."""

    criterion: str
    title: str
    decisions: Tuple[Decision, ...]
    notes: Tuple[str, ...]  # reasons for leaving out runs


def select(
    folders: Folders,
    criterion: str = "pair",
    *,
    preference: Optional[Sequence[float]] = None,
    validation: Optional[str] = None,
    across: str = "paper",
    rule: str = "paper",
    skip: Optional[int] = None,
    last: Optional[int] = None,
    percentile: float = 0.5,
    losses: Sequence[str] = (),
    losses_from: str = "train",
    with_sign: bool = False,
    datasets: Sequence[str] = (),
    algorithms: Sequence[str] = (),
    progress: Optional[Progress] = None,
) -> Selection:
    """Chooses models from the records of sweeps, as ``pair select`` does.

    Parameters
    ----------
    folders : one folder of run folders, or several; each run has a ``results.jsonl``, ours or DomainBed's.
    criterion : "pair" (PAIR-s, Algorithm 2 of the paper), "pair-run" (PAIR-s within each run, as in the paper's
        ColoredMNIST tables; the accuracy in the test domains chooses among runs), or DomainBed's "train-domain",
        "leave-one-out" or "oracle". The command's default, all criteria, takes one call for each.
    preference : PAIR-s: one number above 0 per loss; None: estimated from the losses of the sweep.
    validation : PAIR-s's validation accuracy: "train-domain" (held out), "test-domain" (held out), "leave-one-out" (in
        runs with a second test domain) or "training"; for pair-run, the first or the last. None: train-domain, or
        training if nothing is held out.
    rule : PAIR-s: "paper" (Algorithm 2) or "release" (the rule of the paper's released program for DomainBed).
    across : PAIR-s: what decides among runs: "score", "validation" or "paper" (validation for GroupDRO, DANN and
        test-domain, otherwise score).
    skip, last : PAIR-s: number of logged steps to ignore at the beginning, or of last ones to consider.
    percentile : PAIR-s: position of the bar between the smallest (0) and largest (1) validation accuracy.
    losses : PAIR-s: keys of the records, such as ``["nll", "penalty"]``; empty: the paper's for the algorithm.
    losses_from : PAIR-s: where losses are measured: "train" (the samples of training steps) or "held-out" (held-out
        samples of the training environments).
    with_sign : PAIR-s: use the sign of losses.
    datasets, algorithms : only these.
    progress : called with the number of runs read and their total; it may raise to stop.

    Warns of files and lines that were left out. Raises ValueError for folders without runs and for unknown names.

    References: Y. Chen et al., "Pareto Invariant Risk Minimization", ICLR 2023; I. Gulrajani and D. Lopez-Paz, "In Search
    of Lost Domain Generalization", ICLR 2021.
    """
    request = _core.Request()
    request.criterion = criterion
    request.validation = validation or ""
    request.preference = [] if preference is None else [float(value) for value in preference]
    request.across = across
    request.rule = rule
    request.skip = skip
    request.last = last
    request.percentile = float(percentile)
    request.losses = _names("losses", losses)
    request.losses_from = losses_from
    request.with_sign = with_sign
    request.datasets = _names("datasets", datasets)
    request.algorithms = _names("algorithms", algorithms)
    result = _core.choose(paths_of(folders), request, progress)
    warn_of(result["left_out"])
    return Selection(
        result["criterion"],
        result["title"],
        tuple(_decision(decision) for decision in result["decisions"]),
        tuple(result["notes"]),
    )


def _decision(fields: Dict[str, Any]) -> Decision:
    tuples: Dict[str, Any] = {name: tuple(fields[name]) for name in ("test_envs", "losses", "preference")}
    tuples["candidates"] = tuple(_candidate(candidate) for candidate in fields["candidates"])
    return Decision(**{**fields, **tuples})


def _candidate(fields: Dict[str, Any]) -> Candidate:
    changed: Dict[str, Any] = {name: tuple(fields[name]) for name in ("tests", "losses")}
    changed["hparams"] = parsed(fields["hparams"])
    return Candidate(**{**fields, **changed})
