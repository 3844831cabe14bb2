"""Moments of environments as averages over steps, for minibatches."""

from __future__ import annotations

from typing import Any, Tuple

import torch
from torch import Tensor

from .objectives import Batch


class _ValueOf(torch.autograd.Function):
    """The average as the value, the batch's moment as what the gradient goes to."""

    @staticmethod
    def forward(ctx: Any, moment: Tensor, average: Tensor) -> Tensor:  # type: ignore[override]
        return average.clone()

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> Tuple[Tensor, None]:  # type: ignore[override]
        return gradient, None


class TrackedMoments(torch.nn.Module):
    """Risks and derivatives of environments as moving averages over steps.

    IRMv1, V-REx and their like are functions of expectations, ``F(E[m])``; of one small batch they are mostly noise. So F and its
    derivatives are taken at averages, and the step follows the batch::

        m^_t = m^_(t-1) + a_t (m_t - m^_(t-1)),  a_t = max(1 / window, 1 / t)
        gradient = sum_j dF/dm_j (m^_t) * gradient of m_j on the batch

    The first ``window`` steps are thus a plain mean. Every step must have all environments, in the same order::

        tracked = TrackedMoments(window=50, environments=2)
        batch = tracked(Batch(logits, labels, sizes))
        pair_o.step([erm(batch), irmv1(batch), vrex(batch)])    # with backtrack=False: batches differ

    Values that are not finite are left out of the averages; the gradient of such a batch is not finite, and :class:`Pair`
    refuses its step. The state is in buffers: ``state_dict`` and ``to`` work as for other modules.
    """

    steps: Tensor
    risks: Tensor
    derivatives: Tensor

    def __init__(self, window: float, environments: int):
        super().__init__()
        if not 1 <= window <= 1e6:
            raise ValueError(f"window: expected a number from 1 to 1e+06, got {window:g}")
        if environments < 1:
            raise ValueError(f"environments: expected an integer of at least 1, got {environments}")
        self.window = float(window)
        self.register_buffer("steps", torch.zeros(1, dtype=torch.float64))
        self.register_buffer("risks", torch.zeros(environments, dtype=torch.float64))
        self.register_buffer("derivatives", torch.zeros(environments, dtype=torch.float64))

    def reset(self) -> None:
        """As before the first step."""
        for buffer in (self.steps, self.risks, self.derivatives):
            buffer.zero_()

    def forward(self, batch: Batch) -> Batch:
        """Takes the batch's moments and returns the batch with the averages in their place."""
        if len(batch.sizes) != len(self.risks):
            raise ValueError(
                f"tracked moments: expected a batch of {len(self.risks)} environments, got {len(batch.sizes)}"
            )
        # Outside of no_grad: these may be computed here for the first time.
        risks, derivatives = batch.risks, batch.derivatives
        with torch.no_grad():
            self.steps.add_(1.0)
            share = self.steps.reciprocal().clamp_min(1.0 / self.window)
            for average, moment in ((self.risks, risks), (self.derivatives, derivatives)):
                change = torch.nan_to_num(moment.detach() - average, 0.0, 0.0, 0.0)
                average.add_(change * share)
        return batch.with_moments(_ValueOf.apply(risks, self.risks), _ValueOf.apply(derivatives, self.derivatives))
