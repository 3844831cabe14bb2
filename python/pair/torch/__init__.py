"""PAIR for PyTorch: an optimizer for several losses, objectives per environment, solvers as modules.

The five lines that turn a plain loop into PAIR-o::

    batch = pair.torch.Batch(logits, labels, sizes)           # samples ordered by environment
    losses = [erm(batch), irmv1(batch), vrex(batch)]
    pair_o = pair.torch.Pair(sgd, preference=[1, 1e10, 1e12], parameters=head.parameters())
    pair_o.step(losses)                                        # instead of zero_grad, backward, step

Works with torch 1.13 and later; nothing here is compiled against torch.
"""

from .moments import TrackedMoments
from .objectives import (
    Batch,
    Fishr,
    GroupDRO,
    clove,
    coral,
    erm,
    fishr,
    groupdro,
    ib,
    iga,
    irmv1,
    mmd,
    sd,
    vrex,
    worst_risk,
)
from .optimizer import Diverged, Guard, Pair, Step, estimate_preference
from .solvers import *  # noqa: F401,F403  one class per solver of the registry
from .solvers import Weighting
from .solvers import __all__ as _solver_names

__all__ = [
    "Batch",
    "Diverged",
    "Fishr",
    "GroupDRO",
    "Guard",
    "Pair",
    "Step",
    "TrackedMoments",
    "Weighting",
    "clove",
    "coral",
    "erm",
    "estimate_preference",
    "fishr",
    "groupdro",
    "ib",
    "iga",
    "irmv1",
    "mmd",
    "sd",
    "vrex",
    "worst_risk",
    *_solver_names,
]
