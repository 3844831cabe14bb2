"""PAIR-o for your own training loop: any torch optimizer, weighted losses, a guarded step."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Callable, Dict, Iterable, List, Mapping, Optional, Sequence, Tuple, Union

import numpy as np
import torch
from numpy.typing import ArrayLike
from torch import Tensor

from .._core import Solver

Losses = Union[Sequence[Tensor], Mapping[str, Tensor]]


class Diverged(RuntimeError):
    """Training that cannot continue."""


@dataclass
class Guard:
    """The rule that guards steps, and its counts.

    - Restart: if the new gradient opposes the momentum, the momentum is dropped.
    - Backtrack: if the losses show that the last step was too long, it is undone, the momentum dropped and the learning rate
      halved; accepted steps let it recover.
    - Rollback: a step with a loss or gradient that is not finite is never applied. The parameters return to those before the
      last good step, and the learning rate is halved permanently. Ten in a row raise :class:`Diverged`.
    """

    restarts: int = 0
    backtracks: int = 0
    rollbacks: int = 0
    rollbacks_in_a_row: int = 0
    backtracking: float = 1.0  # recovering factor of the learning rate, in (0, 1]
    halving: float = 1.0  # permanent factor of the learning rate

    PATIENCE = 10
    RECOVERY = 1.1
    SHRINKAGE = 0.5

    @property
    def lr_factor(self) -> float:
        return self.backtracking * self.halving

    def _hold(self) -> None:
        self.backtracking = min(1.0, self.backtracking * self.RECOVERY)

    def _accept(self) -> None:
        self._forget_refusals()

    def _take_back(self) -> None:
        self.backtracks += 1
        self.backtracking *= self.SHRINKAGE
        self._forget_refusals()

    def _refuse(self) -> None:
        self.rollbacks += 1
        self.rollbacks_in_a_row += 1
        self.halving *= self.SHRINKAGE

    def _begin_optimizer(self) -> None:
        self.backtracking = self.halving = 1.0

    def _check(self) -> None:
        if self.rollbacks_in_a_row >= self.PATIENCE:
            raise Diverged(
                f"training diverged: {self.PATIENCE} steps in a row had a loss or gradient that was not finite, although the "
                "learning rate was halved each time; a smaller learning rate or preference may help"
            )

    def _forget_refusals(self) -> None:
        if self.rollbacks_in_a_row < self.PATIENCE:
            self.rollbacks_in_a_row = 0


@dataclass(frozen=True)
class Step:
    """The result of one step."""

    losses: np.ndarray  # [m]
    weights: np.ndarray  # [m]; empty if no step was taken
    phase: Optional[str]  # "pretrain", "balance" or "descent"; None for solvers without phases and steps not taken
    divergence: float  # of the losses from the preferred ray; NaN if the solver was not called
    objective: float  # the value that the solver optimises; NaN if it was not called
    status: Optional[str]  # "optimal" or "infeasible"; None if the solver was not called
    names: Tuple[str, ...] = ()  # of the losses, if they were given by name

    @property
    def taken(self) -> bool:
        """Whether the parameters moved. Otherwise the last step was undone."""
        return len(self.weights) > 0

    def named(self, numbers: ArrayLike) -> Dict[str, float]:
        """Losses or weights by name, or by number where the losses had no names."""
        names = self.names or tuple(str(i) for i in range(len(self.losses)))
        return dict(zip(names, np.asarray(numbers, dtype=float).tolist()))


def estimate_preference(losses: ArrayLike) -> np.ndarray:
    """The paper's second heuristic (Appendix D.3): ``p = (1, 100 L_1 / L_2, ...)``; a loss of 0 counts as the smallest above 0.

    >>> estimate_preference([0.5, 0.01, 0.0]).tolist()
    [1.0, 5000.0, 5000.0]
    """
    values = np.asarray(losses, dtype=float)
    for i, value in enumerate(values):
        if not 0 <= value < np.inf:
            raise ValueError(f"losses[{i}]: expected a finite number that is not negative, got {value:g}")
    positive = values[values > 0]
    if not len(positive):
        raise ValueError("losses: expected at least one above 0 to estimate a preference, got only zeros")
    floored = np.maximum(values, positive.min())
    preference = 1e2 * floored[0] / floored
    preference[0] = 1.0
    return preference


class _GuardedOptimizer:
    """A guarded step of a torch optimizer."""

    def __init__(self, optimizer: Any, guard: Guard, restart: bool, buffers: Sequence[Tensor]):
        self.optimizer = optimizer
        self._guard = guard
        self._restart = restart
        self._buffers = list(buffers)
        self.last_good: List[Tensor] = []
        self.kept: List[Tensor] = [buffer.detach().clone() for buffer in self._buffers]

    def parameters(self) -> List[Tensor]:
        return [parameter for group in self.optimizer.param_groups for parameter in group["params"]]

    def _velocities(self) -> List[Tuple[Tensor, Tensor]]:
        pairs = []
        for parameter in self.parameters():
            velocity = self.optimizer.state.get(parameter, {}).get("momentum_buffer")
            if velocity is not None:
                pairs.append((parameter, velocity))
        return pairs

    def _opposed(self) -> bool:
        product: Any = 0.0
        for parameter, velocity in self._velocities():
            if parameter.grad is not None:
                product = product + torch.dot(parameter.grad.reshape(-1), velocity.reshape(-1))
        return float(product) < 0.0

    def _drop_momentum(self) -> None:
        for _, velocity in self._velocities():
            velocity.zero_()

    def _restore(self) -> None:
        for parameter, good in zip(self.parameters(), self.last_good):
            parameter.copy_(good)
        for buffer, kept in zip(self._buffers, self.kept):
            buffer.copy_(kept)
        self._drop_momentum()

    @torch.no_grad()
    def undo(self) -> None:
        """The last step was too long."""
        self._guard._take_back()
        self._restore()

    @torch.no_grad()
    def refuse(self) -> None:
        """A loss or the gradient is not finite."""
        self._guard._refuse()
        self._restore()
        self._guard._check()

    @torch.no_grad()
    def finite_gradient(self) -> bool:
        checks = [
            parameter.grad.isfinite().all() for parameter in self.parameters() if parameter.grad is not None
        ]
        return not checks or bool(torch.stack([check.to(checks[0].device) for check in checks]).all())

    @torch.no_grad()
    def apply(self) -> None:
        """A step from the gradients stored in the parameters."""
        self._guard._accept()
        parameters = self.parameters()
        if len(self.last_good) != len(parameters):
            self.last_good = [parameter.detach().clone() for parameter in parameters]
        else:
            for good, parameter in zip(self.last_good, parameters):
                good.copy_(parameter)
        for buffer, kept in zip(self._buffers, self.kept):
            kept.copy_(buffer)
        if self._restart and self._opposed():
            self._drop_momentum()
            self._guard.restarts += 1
        rates = [group["lr"] for group in self.optimizer.param_groups]
        try:
            for group in self.optimizer.param_groups:
                group["lr"] = group["lr"] * self._guard.lr_factor
            with torch.enable_grad():
                self.optimizer.step()
        finally:
            for group, rate in zip(self.optimizer.param_groups, rates):
                group["lr"] = rate


class Pair:
    """PAIR-o around a torch optimizer: ``pair_o.step(losses)`` in place of zero_grad, backward and step.

    The losses are scalars with their graphs, the first one ERM's. Their gradients in the weighed parameters go to the
    solver; the gradient of the weighted sum goes to every parameter of the optimizer.

    Parameters
    ----------
    optimizer : any torch optimizer, such as SGD with momentum.
    preference : one positive number per loss; larger asks for a smaller loss. None: estimated from the first losses that are
        weighed (:func:`estimate_preference`).
    parameters : whose gradients the solver compares: usually the head's, which is cheap and the paper's choice on
        ColoredMNIST. None: all parameters of the optimizer (its choice on WILDS), one backward pass per loss.
    solver : a name from :func:`pair.solvers`.
    pretrain : number of first steps that follow the first loss alone.
    pretrain_optimizer : the optimizer of those steps; None: the same one.
    restart : drop the momentum if the new direction opposes it.
    backtrack : undo a step that raised what it should have lowered. Only if the losses of two steps come from the same
        samples: turn it off for minibatches.
    buffers : the network's (``model.buffers()``), restored with the parameters if a step is refused or undone.
    options : the solver's, such as ``epsilon``; defaults are those of training (0.1).

    Learning rates are the optimizer's, times the guard's factor; schedulers work as usual. Not handled: gradient scaling of
    mixed precision, and parameters on several devices.

    References: Y. Chen et al., "Pareto Invariant Risk Minimization", ICLR 2023.

    >>> w = torch.nn.Parameter(torch.tensor([3.0, -1.0]))
    >>> pair_o = Pair(torch.optim.SGD([w], lr=0.1), preference=[1, 1])
    >>> for _ in range(100):
    ...     step = pair_o.step([(w - 1).square().sum(), (w + 1).square().sum()])
    >>> bool(abs(step.losses[0] - step.losses[1]) < 0.2)
    True
    """

    def __init__(
        self,
        optimizer: Any,
        preference: Optional[ArrayLike] = None,
        parameters: Optional[Iterable[Tensor]] = None,
        *,
        solver: str = "epo",
        pretrain: int = 0,
        pretrain_optimizer: Any = None,
        restart: bool = True,
        backtrack: bool = True,
        buffers: Iterable[Tensor] = (),
        **options: Any,
    ):
        self._solver = Solver(solver, True, **options)
        self._preference = None if preference is None else _checked_preference(preference)
        if pretrain < 0:
            raise ValueError(f"pretrain: expected an integer of at least 0, got {pretrain}")
        buffers = list(buffers)
        self.guard = Guard()
        self._backtrack = backtrack
        self._balance = _GuardedOptimizer(optimizer, self.guard, restart, buffers)
        self._descent = (
            self._balance
            if pretrain_optimizer is None
            else _GuardedOptimizer(pretrain_optimizer, self.guard, restart, buffers)
        )
        weighed = self._balance.parameters() if parameters is None else list(parameters)
        if not weighed:
            raise ValueError("parameters: expected at least one, got none")
        for i, parameter in enumerate(weighed):
            if not isinstance(parameter, Tensor):
                raise TypeError(f"parameters[{i}]: expected a tensor, got {type(parameter).__name__}")
            if parameters is not None and not parameter.requires_grad:
                raise ValueError(
                    f"parameters[{i}]: expected a tensor that requires gradients, got one that does not"
                )
        self._weighed = [parameter for parameter in weighed if parameter.requires_grad]
        self.pretrain = pretrain
        self.steps = 0  # calls of step, including those that took none
        self._weights = np.empty(0)
        self._losses = np.empty(0)

    @property
    def preference(self) -> Optional[np.ndarray]:
        """Given or estimated; None before the first estimate."""
        return self._preference

    @property
    def pretraining(self) -> bool:
        """Whether the next step follows the first loss alone."""
        return self.steps < self.pretrain

    def step(self, losses: Losses, *, backward: Optional[Callable[[Tensor], None]] = None) -> Step:
        """One step.

        ``losses``: a list, or a dict by name. ``backward``: called with the weighted sum in place of its ``backward()``.

        If a loss or gradient is not finite, or the losses show that the last step was too long, that step is undone instead:
        the result's ``taken`` is False and its weights are empty. Raises :class:`Diverged` after ten that were not finite in
        a row, and ValueError or TypeError, without a change, for losses that are negative, too many or few for the
        preference, not scalars, or without a graph.
        """
        names, terms = _checked(losses)
        # Here, since the solver would only say so after the pretraining.
        if self._preference is not None and len(terms) not in (1, len(self._preference)):
            raise ValueError(
                f"preference: expected {len(terms)} values, one per objective, got {len(self._preference)}"
            )
        with_solver = not self.pretraining
        if with_solver and self.steps == self.pretrain and self._descent is not self._balance:
            self.guard._begin_optimizer()
        result = self._weighed_step(names, terms, backward) if with_solver else self._plain_step(names, terms, backward)
        self.steps += 1
        return result

    def _plain_step(self, names: Tuple[str, ...], terms: List[Tensor], backward: Any) -> Step:
        values = _host([torch.stack([term.detach().double() for term in terms])])
        nothing = Step(values, np.empty(0), None, np.nan, np.nan, None, names)
        if not np.isfinite(values).all():
            self._descent.refuse()
            return nothing
        if not self._follow(self._descent, terms[0], backward):
            return nothing
        weights = np.zeros(len(terms))
        weights[0] = 1.0
        return Step(values, weights, "pretrain", np.nan, np.nan, None, names)

    def _weighed_step(self, names: Tuple[str, ...], terms: List[Tensor], backward: Any) -> Step:
        m = len(terms)
        values = torch.stack([term.detach().double() for term in terms])
        rows = self._rows(terms)
        numbers = _host([values, (rows @ rows.t()).reshape(-1)])
        found, gram = numbers[:m], numbers[m:].reshape(m, m)
        nothing = Step(found, np.empty(0), None, np.nan, np.nan, None, names)
        if not np.isfinite(numbers).all():
            self._balance.refuse()
            return nothing
        if self._backtrack and self._overshot(found):
            self._balance.undo()
            return nothing
        preference = estimate_preference(found) if self._preference is None else self._preference
        previous = self._weights if len(self._weights) == m and (self._weights >= 0).all() else None
        solution = self._solver.weigh(found, gram, preference, previous)
        self._preference = preference
        self._weights = solution.weights.copy()
        self._losses = found
        self.guard._hold()

        total = terms[0] * float(self._weights[0])
        for term, weight in zip(terms[1:], self._weights[1:]):
            total = total + term * float(weight)
        taken = self._follow(self._balance, total, backward)
        return Step(
            found,
            self._weights.copy() if taken else np.empty(0),
            solution.phase,
            solution.divergence,
            solution.objective,
            solution.status,
            names,
        )

    def _follow(self, guarded: _GuardedOptimizer, total: Tensor, backward: Any) -> bool:
        guarded.optimizer.zero_grad(set_to_none=True)
        try:
            total.backward() if backward is None else backward(total)
        except RuntimeError as error:
            raise _dead_graph("losses", error) from error
        if not guarded.finite_gradient():
            guarded.refuse()
            return False
        guarded.apply()
        return True

    def _rows(self, terms: List[Tensor]) -> Tensor:
        """The gradients of the losses in the weighed parameters, [m, parameters], doubles: products are exact to rounding."""
        rows = []
        found = False
        for i, term in enumerate(terms):
            try:
                gradients = torch.autograd.grad(term, self._weighed, retain_graph=True, allow_unused=True)
            except RuntimeError as error:
                raise _dead_graph(f"losses[{i}]", error) from error
            found = found or any(gradient is not None for gradient in gradients)
            rows.append(
                torch.cat(
                    [
                        (torch.zeros_like(parameter) if gradient is None else gradient).reshape(-1).double()
                        for gradient, parameter in zip(gradients, self._weighed)
                    ]
                )
            )
        if not found:
            raise ValueError("parameters: expected some that the losses depend on, got none")
        return torch.stack(rows)

    def _overshot(self, losses: np.ndarray) -> bool:
        """Whether the last step raised its weighted loss, or the most violated one, by more than a tenth."""
        if len(self._weights) != len(losses) or self._preference is None:
            return False

        def grew(before: float, after: float) -> bool:
            # Weights of pmtl may be negative, and so may the weighted loss.
            return bool(after > before + 0.1 * abs(before))

        return grew(self._weights @ self._losses, self._weights @ losses) or grew(
            (self._preference * self._losses).max(), (self._preference * losses).max()
        )

    def state_dict(self) -> Dict[str, Any]:
        """Everything between steps except the model and the optimizers, which have their own ``state_dict``."""
        return {
            "steps": self.steps,
            "preference": None if self._preference is None else self._preference.tolist(),
            "weights": self._weights.tolist(),
            "losses": self._losses.tolist(),
            "guard": asdict(self.guard),
            "last_good": [
                [tensor.clone() for tensor in guarded.last_good] for guarded in (self._descent, self._balance)
            ],
            "buffers": [[tensor.clone() for tensor in guarded.kept] for guarded in (self._descent, self._balance)],
        }

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continues from the result of :meth:`state_dict` of a Pair with the same optimizers."""
        for guarded, good, kept in zip((self._descent, self._balance), state["last_good"], state["buffers"]):
            expected = [parameter.shape for parameter in guarded.parameters()]
            if good and [tensor.shape for tensor in good] != expected:
                raise ValueError(
                    f"state: expected that of {len(expected)} parameters of the same shapes, got {len(good)} others"
                )
            parameters = guarded.parameters()
            guarded.last_good = [tensor.clone().to(one.device) for tensor, one in zip(good, parameters)]
            guarded.kept = [tensor.clone().to(one.device) for tensor, one in zip(kept, guarded.kept)]
        self.steps = int(state["steps"])
        self._preference = None if state["preference"] is None else np.array(state["preference"], dtype=float)
        self._weights = np.array(state["weights"], dtype=float)
        self._losses = np.array(state["losses"], dtype=float)
        for name, value in state["guard"].items():
            setattr(self.guard, name, value)


def _checked(losses: Losses) -> Tuple[Tuple[str, ...], List[Tensor]]:
    """Names and terms. Raises before anything changes."""
    names: Tuple[str, ...] = ()
    if isinstance(losses, Mapping):
        names, terms = tuple(losses.keys()), list(losses.values())
    elif isinstance(losses, (list, tuple)):
        terms = list(losses)
    else:
        raise TypeError(f"losses: expected a list or dict of scalar tensors, got {type(losses).__name__}")
    if not terms:
        raise ValueError("losses: expected 2 to 64 values, one per objective, got 0")
    for i, term in enumerate(terms):
        if not isinstance(term, Tensor):
            raise TypeError(f"losses[{i}]: expected a scalar tensor with a graph, got {type(term).__name__}")
        if term.numel() != 1:
            raise ValueError(f"losses[{i}]: expected a scalar, got shape {list(term.shape)}")
        if not term.requires_grad:
            raise ValueError(f"losses[{i}]: expected a scalar with a graph, got one that does not require gradients")
    return names, [term.reshape(()) for term in terms]


def _checked_preference(preference: ArrayLike) -> np.ndarray:
    values = np.array(preference, dtype=float)
    if values.ndim != 1:
        raise ValueError(f"preference: expected one value per objective, got shape {list(values.shape)}")
    for i, value in enumerate(values):
        if not 0 < value < np.inf:
            raise ValueError(f"preference[{i}]: expected a finite positive number, got {value:g}")
    return values


def _dead_graph(name: str, error: RuntimeError) -> Exception:
    if "second time" in str(error):
        return ValueError(f"{name}: expected a graph that was not used before, got one whose buffers were freed")
    return error


def _host(tensors: List[Tensor]) -> np.ndarray:
    """The numbers as doubles, in one transfer."""
    return torch.cat(tensors).cpu().numpy().astype(float)
