"""PAIR-o in Lightning: a mixin with manual optimization, and a callback that logs.

    class Net(PairMixin, lightning.LightningModule):
        pair_options = {"preference": [1, 1e4, 1e6]}          # the arguments of pair.torch.Pair

        def pair_parameters(self):
            return self.head.parameters()

        def pair_losses(self, batch, batch_idx):
            ...
            return {"erm": erm(samples), "irmv1": irmv1(samples), "vrex": vrex(samples)}

        def configure_optimizers(self):
            return torch.optim.SGD(self.parameters(), lr=0.1, momentum=0.9)

    trainer = lightning.Trainer(callbacks=[PairMonitor()])

The module needs Lightning's documented interface only (``optimizers``, ``manual_backward``, ``log_dict``, the checkpoint hooks), so
that it works with ``lightning`` and ``pytorch_lightning``. Not handled: scaled gradients of 16-bit precision, accumulated
batches, several devices.
"""

from __future__ import annotations

from typing import Any, Dict, Iterable, Mapping, Optional, Sequence, Union

from torch import Tensor

from .optimizer import Pair, Step

try:
    from lightning.pytorch import Callback as _Callback
except ImportError:
    try:
        from pytorch_lightning import Callback as _Callback
    except ImportError:
        _Callback = object

_KEY = "pair"


class PairMixin:
    """For a LightningModule: before it in the list of bases. See the module's documentation for an example.

    With two optimizers from ``configure_optimizers``, the first takes the ``pretrain`` steps of ``pair_options`` and the second
    the others. Learning-rate schedulers are stepped by the module, as always with manual optimization.
    """

    pair_options: Mapping[str, Any] = {}

    def __init__(self, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.automatic_optimization = False
        self.pair_step: Optional[Step] = None
        # In a tuple, so that torch does not look for modules in it.
        self._pair: Sequence[Pair] = ()
        self._pair_state: Optional[Dict[str, Any]] = None

    def pair_losses(self, batch: Any, batch_idx: int) -> Union[Sequence[Tensor], Mapping[str, Tensor]]:
        """The losses of a batch, ERM's first; a dict gives them names."""
        raise NotImplementedError("pair_losses: expected the module to define it")

    def pair_parameters(self) -> Optional[Iterable[Tensor]]:
        """The parameters whose gradients the solver compares, usually the head's; None: all of the optimizer."""
        return None

    @property
    def pair(self) -> Pair:
        """The :class:`Pair` of this module, made from its optimizers at the first step."""
        if not self._pair:
            optimizers = self.optimizers()  # type: ignore[attr-defined]
            optimizers = list(optimizers) if isinstance(optimizers, (list, tuple)) else [optimizers]
            if len(optimizers) > 2:
                raise ValueError(f"configure_optimizers: expected one or two optimizers, got {len(optimizers)}")
            first = optimizers[0] if len(optimizers) == 2 else None
            options = {"pretrain_optimizer": first, **self.pair_options}
            self._pair = (Pair(optimizers[-1], parameters=self.pair_parameters(), **options),)
            if self._pair_state is not None:
                self._pair[0].load_state_dict(self._pair_state)
        return self._pair[0]

    def training_step(self, batch: Any, batch_idx: int) -> None:
        losses = self.pair_losses(batch, batch_idx)
        self.pair_step = self.pair.step(losses, backward=self.manual_backward)  # type: ignore[attr-defined]

    def on_save_checkpoint(self, checkpoint: Dict[str, Any]) -> None:
        super().on_save_checkpoint(checkpoint)  # type: ignore[misc]
        if self._pair:
            checkpoint[_KEY] = self.pair.state_dict()

    def on_load_checkpoint(self, checkpoint: Dict[str, Any]) -> None:
        super().on_load_checkpoint(checkpoint)  # type: ignore[misc]
        self._pair_state = checkpoint.get(_KEY)
        self._pair = ()


class PairMonitor(_Callback):  # type: ignore[misc,valid-type]
    """Logs weights, losses, phase and divergence of the last step, and what the guard counted.

    Keys: ``pair/weight/NAME``, ``pair/loss/NAME``, ``pair/balancing`` (1 or 0), ``pair/divergence``, ``pair/taken``,
    ``pair/restarts``, ``pair/backtracks``, ``pair/rollbacks``, ``pair/lr_factor``.
    """

    def __init__(self, every: int = 1):
        super().__init__()
        if every < 1:
            raise ValueError(f"every: expected an integer of at least 1, got {every}")
        self.every = every

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        step = getattr(pl_module, "pair_step", None)
        if step is not None and batch_idx % self.every == 0:
            pl_module.log_dict(numbers_of(step, pl_module.pair))


def numbers_of(step: Step, pair_o: Pair) -> Dict[str, float]:
    """A step as numbers by name, for any logger."""
    numbers = {f"pair/loss/{name}": loss for name, loss in step.named(step.losses).items()}
    numbers["pair/taken"] = float(step.taken)
    if step.taken:
        numbers.update({f"pair/weight/{name}": weight for name, weight in step.named(step.weights).items()})
        numbers["pair/balancing"] = float(step.phase == "balance")
    if step.status is not None:
        numbers["pair/divergence"] = step.divergence
    guard = pair_o.guard
    for name in ("restarts", "backtracks", "rollbacks", "lr_factor"):
        numbers[f"pair/{name}"] = float(getattr(guard, name))
    return numbers
