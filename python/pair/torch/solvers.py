"""Solvers as modules, shaped like TorchJD's weightings: Gram matrix in, weights out.

One class per solver of the registry (:func:`pair.solvers`): :class:`EPO`, ``EPOSmooth``, ``MGDA``, ``UPGrad`` and so on. They work
alone, and inside TorchJD, which has no EPO::

    from torchjd.aggregation import GramianWeightedAggregator
    weighting = pair.torch.EPO(preference=[1, 1e4])
    aggregator = GramianWeightedAggregator(weighting)
    ...
    weighting.set_losses(losses)          # before each use
"""

from __future__ import annotations

from typing import Any, Callable, Dict, List, Optional, Sequence, Type, Union

import torch
from numpy.typing import ArrayLike
from torch import Tensor, nn

from .._core import Solution, Solver
from .._solve import SolverInfo
from .._solve import solvers as _registered

__all__: List[str] = []


class Weighting(nn.Module):
    """The common part of all solvers.

    Parameters
    ----------
    preference : [m], positive; a larger number asks for a smaller loss. None: equal for all.
    options : the solver's, such as ``epsilon``. Defaults are those of training (:class:`pair.OptionInfo`).

    ``solution`` is the last :class:`pair.Solution`, for monitoring. Solvers that use the weights of the previous step
    (``EPOSmooth``) keep them; :meth:`reset` forgets them. Weights take no gradient. ``uses_losses``: whether
    :meth:`set_losses` is required.
    """

    solver_name = "epo"
    uses_losses = True
    solution: Optional[Solution]

    def __init__(self, preference: Optional[ArrayLike] = None, **options: Any):
        super().__init__()
        self._solver = Solver(self.solver_name, True, **options)
        self._preference = None if preference is None else _numbers("preference", preference)
        self._losses: Optional[List[float]] = None
        self.reset()

    @property
    def preference(self) -> Optional[List[float]]:
        return self._preference

    @property
    def options(self) -> Dict[str, Any]:
        return self._solver.options

    def reset(self) -> None:
        """Forgets the previous weights and the losses."""
        self.solution = None
        self._previous: Optional[List[float]] = None
        self._losses = None

    def set_losses(self, losses: Union[Tensor, Sequence[Union[Tensor, float]]]) -> None:
        """The losses of the objectives, [m], in the order of the Gram matrix. Call it before each use."""
        self._losses = _numbers("losses", losses)

    def forward(self, gramian: Tensor, /) -> Tensor:
        """The weights [m], of the type and on the device of the Gram matrix [m, m]."""
        if not isinstance(gramian, Tensor):
            raise TypeError(f"gramian: expected a tensor, got {type(gramian).__name__}")
        if gramian.dim() != 2 or gramian.shape[0] != gramian.shape[1]:
            raise ValueError(f"gramian: expected shape [m, m], got {list(gramian.shape)}")
        if not gramian.is_floating_point():
            raise TypeError(f"gramian: expected a tensor of floating-point numbers, got {gramian.dtype}")
        m = len(gramian)
        losses, self._losses = self._losses, None
        if losses is None:
            if self.uses_losses:
                raise ValueError(
                    f"losses: expected set_losses(losses) before each use of {type(self).__name__}, got none"
                )
            losses = [1.0] * m
        preference = [1.0] * m if self._preference is None else self._preference
        previous = self._previous if self._previous is not None and len(self._previous) == m else None
        gram = gramian.detach().to("cpu", torch.float64).numpy()
        self.solution = self._solver.weigh(losses, gram, preference, previous)
        weights = self.solution.weights
        # pmtl may return negative weights, which cannot be the previous weights of the next step.
        self._previous = weights.tolist() if (weights >= 0).all() else None
        return torch.tensor(weights, dtype=gramian.dtype, device=gramian.device)

    def __lshift__(self, fn: Callable[[Tensor], Tensor]) -> "Composition":
        """``weighting << compute_gramian``: the weighting of another statistic, as in TorchJD."""
        return Composition(self, fn)

    def extra_repr(self) -> str:
        options = "".join(f", {name}={value!r}" for name, value in self.options.items())
        return f"preference={self._preference}{options}"


class Composition(nn.Module):
    """A weighting after a function."""

    def __init__(self, weighting: nn.Module, fn: Callable[[Tensor], Tensor]):
        super().__init__()
        self.weighting = weighting
        self.fn = fn

    def forward(self, statistic: Tensor, /) -> Tensor:
        return self.weighting(self.fn(statistic))

    def __lshift__(self, fn: Callable[[Tensor], Tensor]) -> "Composition":
        return Composition(self, fn)


def _numbers(name: str, values: Any) -> List[float]:
    if isinstance(values, Tensor):
        if values.dim() != 1:
            raise ValueError(f"{name}: expected one value per objective, got shape {list(values.shape)}")
        return values.detach().to("cpu", torch.float64).tolist()
    try:
        return [float(value.detach() if isinstance(value, Tensor) else value) for value in values]
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(f"{name}: expected one number per objective, got {values!r}") from error


def _documentation(info: SolverInfo) -> str:
    options = "".join(
        f"\n    {option.name} : {option.summary}; {option.accepted}, default {option.training_default}"
        for option in info.options
    )
    formula = "\n".join("    " + line for line in info.formula.splitlines())
    cited = "\n".join(f"- {work}" for work in info.cited)
    options = f"Options\n-------{options}\n\n" if options else ""
    return f"{info.summary[0].upper()}{info.summary[1:]}.\n\n{formula}\n\n{options}{info.advice}\n\n{cited}\n"


def _define(info: SolverInfo) -> Type[Weighting]:
    body = {
        "solver_name": info.name,
        "uses_losses": info.uses_losses,
        "__doc__": _documentation(info),
        "__module__": __name__,
    }
    return type(info.python_class, (Weighting,), body)


for _info in _registered():
    globals()[_info.python_class] = _define(_info)
    __all__.append(_info.python_class)
