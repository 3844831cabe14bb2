"""Weights for objectives: one problem, or many at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Iterator, Optional, Tuple, Union

import numpy as np
from numpy.typing import ArrayLike

from . import _core
from ._core import Solution, Solver

_PHASES = np.array(["", "balance", "descent"])
_STATUSES = np.array(["optimal", "infeasible"])

# Solvers are pure and small, so that each combination of a name and options is made once.
_solver = lru_cache(maxsize=256, typed=True)(Solver)


def _prepared(solver: Union[str, Solver], options: dict) -> Solver:
    if isinstance(solver, Solver):
        if options:
            raise TypeError(f"{next(iter(options))}: expected no options with a Solver, which has its own")
        return solver
    try:
        return _solver(solver, **options)
    except TypeError as error:
        if "unhashable" not in str(error):
            raise
    return Solver(solver, **options)


def weigh(
    losses: ArrayLike,
    gram: ArrayLike,
    preference: ArrayLike,
    solver: Union[str, Solver] = "epo",
    *,
    previous: Optional[ArrayLike] = None,
    **options: Any,
) -> Solution:
    """Weighs m objectives, 2 to 64.

    The descent direction is ``-sum_i weights[i] * g_i``. Weights are not negative and sum to 1 (only ``pmtl`` may
    return negative ones; their absolute values then sum to 1).

    With ``C`` the Gram matrix and ``a_i = p_i (log(m L_i') - mu)``, ``L_i' = p_i L_i / sum_j p_j L_j`` and the divergence
    ``mu = sum_i L_i' log(m L_i')``, EPO maximises ``w . C a`` (balance: ``mu > epsilon``) or ``sum_j (C w)_j``
    (descent), so that no objective in conflict rises more than necessary; :func:`solvers` has the formulas of all.

    Parameters
    ----------
    losses : [m], finite, not negative, not all 0.
    gram : [m, m], inner products of the objectives' gradients; see :func:`gram_of`.
    preference : [m], positive. Only ratios matter. The preferred point is the one where all ``p_i L_i`` are equal, so a
        larger ``p_i`` asks for a smaller ``L_i``.
    solver : a name from :func:`solvers`, or a :class:`Solver`.
    previous : [m], the weights of the previous step, for solvers that use them (``epo_smooth``).
    options : the solver's own, such as ``epsilon``.

    Returns
    -------
    Solution
        ``weights`` [m]; ``phase``: "balance", "descent", or None for solvers without phases; ``divergence`` of the losses
        from the preferred ray, 0 on it; ``objective``: the value that the solver optimises; ``status``: "optimal", or
        "infeasible" if the solver's problem has no solution, and the weights are those of the minimum-norm direction.

    Raises
    ------
    ValueError
        for numbers and shapes that are not as stated, unknown names and options out of range.
    TypeError
        for values that are not numbers.

    References
    ----------
    D. Mahapatra and V. Rajan, "Multi-Task Learning with User Preferences", ICML 2020. Y. Chen et al., "Pareto Invariant
    Risk Minimization", ICLR 2023.

    Examples
    --------
    >>> solution = weigh([0.5, 0.1], [[1.0, -0.2], [-0.2, 0.5]], [1, 10], epsilon=0.1)
    >>> solution.phase
    'descent'
    >>> solution.weights.round(3)
    array([0.574, 0.426])
    """
    return _prepared(solver, options).weigh(losses, gram, preference, previous)


@dataclass(frozen=True)
class Solutions:
    """The solutions of n problems; the entries are those of :class:`Solution`."""

    weights: np.ndarray  # [n, m]
    phase: np.ndarray  # [n], "balance", "descent", or "" for solvers without phases
    divergence: np.ndarray  # [n]
    objective: np.ndarray  # [n]
    status: np.ndarray  # [n], "optimal" or "infeasible"

    def __len__(self) -> int:
        return len(self.weights)


def weigh_batch(
    losses: ArrayLike,
    gram: ArrayLike,
    preference: ArrayLike,
    solver: Union[str, Solver] = "epo",
    *,
    previous: Optional[ArrayLike] = None,
    threads: int = 1,
    **options: Any,
) -> Solutions:
    """Weighs the objectives of n problems of the same size.

    As :func:`weigh` for each row of ``losses`` [n, m] and ``gram`` [n, m, m]. ``preference`` is [m], for all problems, or
    [n, m]; ``previous`` is [n, m]. The interpreter's lock is released, and ``threads`` of them share the work. The results
    do not depend on their number.

    Raises ValueError for the first problem that is not valid: ``problem 3: losses[0]: expected ...``.

    >>> solutions = weigh_batch([[1, 2], [2, 1]], [np.eye(2)] * 2, [1, 1])
    >>> solutions.weights
    array([[0., 1.],
           [1., 0.]])
    >>> solutions.phase
    array(['balance', 'balance'], dtype='<U7')
    """
    weights, phases, divergences, objectives, infeasible = _prepared(solver, options).weigh_batch(
        losses, gram, preference, previous, threads
    )
    return Solutions(weights, _PHASES[phases], divergences, objectives, _STATUSES[infeasible.astype(np.intp)])


@dataclass(frozen=True)
class OptionInfo:
    """An option of a solver."""

    name: str
    default: Any
    training_default: Any  # in training; differs for epsilon: the paper trains with 0.1
    accepted: str  # "numbers from 0 to 1e+300"
    summary: str


@dataclass(frozen=True)
class SolverInfo:
    """A solver, as declared in its C++ file."""

    name: str
    summary: str
    options: Tuple[OptionInfo, ...]
    formula: str
    cited: Tuple[str, ...]
    advice: str
    uses_losses: bool  # whether the weights depend on the losses
    python_class: str  # in pair.torch: "EPO"

    def __iter__(self) -> Iterator[OptionInfo]:
        return iter(self.options)


@lru_cache(maxsize=1)
def _all_solvers() -> Tuple[SolverInfo, ...]:
    return tuple(
        SolverInfo(name, summary, tuple(OptionInfo(*option) for option in options), formula, tuple(cited), *rest)
        for name, summary, options, formula, cited, *rest in _core.solvers()
    )


def solvers() -> Tuple[SolverInfo, ...]:
    """All solvers with their options, formulas and citations.

    >>> [solver.name for solver in solvers()][:3]
    ['epo', 'epo_smooth', 'epo_worst']
    >>> solvers()[0].options[0].default
    0.0001
    """
    return _all_solvers()
