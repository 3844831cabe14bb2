"""Records of runs as a table."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

import numpy as np

from . import _core
from ._select import Folders, Progress, parsed, paths_of, warn_of


def records(run_or_sweep: Folders, *, hparams: bool = True, progress: Optional[Progress] = None) -> Any:
    """The records of a run, or of all runs of a sweep, one row per record.

    Columns: ``run``, ``dataset``, ``algorithm``, ``test_envs``, ``trial_seed``, ``hparams_seed`` and ``step``; then every
    number of the records, such as ``env0_in_acc``, ``losses.erm``, ``weights.irmv1``, ``divergence``, NaN if a record
    lacks it; then, unless ``hparams`` is false, ``hparams.NAME``.

    Returns a pandas.DataFrame if pandas is installed, otherwise a dict of arrays with the same columns. Warns of lines that
    were left out. Raises ValueError if no run is found.
    """
    runs, left_out = _core.read_records(paths_of(run_or_sweep), progress)
    warn_of(left_out)
    table = _table(runs, hparams)
    try:
        import pandas
    except ImportError:
        return table
    return pandas.DataFrame(table)


def _table(runs: List[Dict[str, Any]], hparams: bool) -> Dict[str, np.ndarray]:
    counts = [len(run["step"]) for run in runs]
    table: Dict[str, np.ndarray] = {}
    for name in ("run", "dataset", "algorithm"):
        table[name] = np.repeat(np.array([run[name] for run in runs], dtype=object), counts)
    table["test_envs"] = _repeated([tuple(run["test_envs"]) for run in runs], counts)
    for name in ("trial_seed", "hparams_seed"):
        table[name] = np.repeat(np.array([run[name] for run in runs], dtype=np.int64), counts)
    table["step"] = np.concatenate([run["step"] for run in runs])
    for key in _keys(run["columns"] for run in runs):
        table[key] = np.concatenate(
            [
                run["columns"][key] if key in run["columns"] else np.full(count, np.nan)
                for run, count in zip(runs, counts)
            ]
        )
    if hparams:
        settings = [parsed(run["hparams"]) for run in runs]
        for key in _keys(settings):
            table[f"hparams.{key}"] = _repeated([one.get(key) for one in settings], counts)
    return table


def _keys(dicts: Any) -> List[str]:
    """The keys of all, each once, in the order of their first appearance."""
    return list(dict.fromkeys(key for one in dicts for key in one))


def _repeated(values: List[Any], counts: List[int]) -> np.ndarray:
    """Values of any type, each as often as its run has records."""
    column = np.empty(sum(counts), dtype=object)
    start = 0
    for value, count in zip(values, counts):
        for row in range(start, start + count):
            column[row] = value
        start += count
    if column.size and all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in values):
        return column.astype(np.float64 if any(isinstance(value, float) for value in values) else np.int64)
    return column
