"""PAIR from Python: Pareto Invariant Risk Minimization.

The compiled core works with NumPy arrays and needs no torch: :func:`weigh` and :func:`weigh_batch` weigh objectives,
:func:`solvers` lists the solvers, the Pareto tools analyse points of a loss space, :func:`select` and :func:`records`
read sweeps. :mod:`pair.torch` holds the optimizer, the objectives and the solvers as modules for PyTorch;
:func:`load` turns a finished run of the program ``pair`` into a torch module.

>>> import pair
>>> pair.weigh(losses=[1, 2], gram=[[1, 0], [0, 1]], preference=[1, 1]).weights
array([0., 1.])
"""

from ._core import Random, Solution, Solver, __version__
from ._digits import Environment, colored_mnist
from ._pareto import conflict_angle, dominates, gram_of, hypervolume, non_dominated, pareto_stationarity
from ._records import records
from ._select import Candidate, Decision, Selection, select
from ._solve import OptionInfo, Solutions, SolverInfo, solvers, weigh, weigh_batch
from ._trained import load

__all__ = [
    "Candidate",
    "Decision",
    "Environment",
    "OptionInfo",
    "Random",
    "Selection",
    "Solution",
    "Solutions",
    "Solver",
    "SolverInfo",
    "__version__",
    "colored_mnist",
    "conflict_angle",
    "dominates",
    "gram_of",
    "hypervolume",
    "load",
    "non_dominated",
    "pareto_stationarity",
    "records",
    "select",
    "solvers",
    "weigh",
    "weigh_batch",
]
