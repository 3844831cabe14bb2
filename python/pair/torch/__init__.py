"""PAIR for PyTorch: an optimizer for several losses, objectives per environment, solvers as modules.

These lines turn a plain loop into PAIR-o::

    from pair.torch import Batch, Pair, erm, irmv1, vrex

    pair_o = Pair(sgd, preference=[1, 1e10, 1e12], parameters=head.parameters(), pretrain=100)

    # in the loop, instead of zero_grad, backward and step:
    batch = Batch(logits, labels, sizes)  # samples ordered by environment; sizes: samples per environment
    pair_o.step([erm(batch), irmv1(batch), vrex(batch)])

Works with torch 1.13 and later; nothing here is compiled against torch.
"""

from . import solvers
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
]
__all__ += solvers.__all__
