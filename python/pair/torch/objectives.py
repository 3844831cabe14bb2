"""Objectives: functions to minimise, of the samples of several environments.

Each is the function of the same name of the program (docs/objectives has a page per objective), with the same numbers. A
:class:`Batch` holds what they are functions of. Values are scalars with a graph and are not negative (except ``irmv1`` with
``negative="keep"``). Objectives that compare environments are 0 for a single one.

``R_e`` is the risk of environment e: the mean of the task's loss over its samples.
"""

from __future__ import annotations

from typing import Callable, Dict, Iterable, List, Optional, Sequence, Union

import torch
import torch.nn.functional as F
from torch import Tensor

from .._core import Random

_LOSSES = ("bce", "ce", "mse")
_TYPE_NAMES = {
    torch.float16: "Half", torch.bfloat16: "BFloat16", torch.float32: "Float", torch.float64: "Double",
    torch.uint8: "Byte", torch.int8: "Char", torch.int16: "Short", torch.int32: "Int", torch.int64: "Long",
    torch.bool: "Bool",
}  # fmt: skip


def _shape(tensor: Tensor) -> str:
    return str(list(tensor.shape))


class Batch:
    """The samples of one step as the head sees them, ordered by environment.

    Parameters
    ----------
    logits : [n, k] or [n], or a list with one such tensor per environment.
    labels : [n], or a list: classes (int64) for the loss "ce", otherwise numbers.
    sizes : samples per environment, in order; they sum to n. Not needed with lists; None: one environment.
    features : [n, d], the inputs of the linear head, or a list; for fishr, ib, coral and mmd.
    loss : "bce", one logit z and y in {0, 1}: ``log(1 + exp(z)) - y z``; "ce", k logits: ``logsumexp(z) - z_y``; "mse":
        ``(z - y)^2``. None: "bce" for one logit, otherwise "ce".

    Raises ValueError for shapes that do not fit and empty environments, TypeError for values that are not tensors.

    >>> batch = Batch([torch.zeros(4, 1), torch.zeros(2, 1)], [torch.ones(4), torch.ones(2)])
    >>> batch.sizes, [round(risk, 4) for risk in batch.risks.tolist()]
    ([4, 2], [0.6931, 0.6931])
    """

    def __init__(
        self,
        logits: Union[Tensor, Sequence[Tensor]],
        labels: Union[Tensor, Sequence[Tensor]],
        sizes: Optional[Iterable[int]] = None,
        *,
        features: Union[Tensor, Sequence[Tensor], None] = None,
        loss: Optional[str] = None,
    ):
        if not isinstance(logits, Tensor) and sizes is None:
            sizes = [len(part) for part in logits if isinstance(part, Tensor) and part.dim() > 0]
        self.logits = _joined("logits", logits)
        if self.logits.dim() == 1:
            self.logits = self.logits.unsqueeze(1)
        if self.logits.dim() != 2:
            raise ValueError(f"logits: expected shape [n, k], got {_shape(self.logits)}")
        n, k = self.logits.shape
        self.features = None if features is None else _joined("features", features)
        if self.features is not None and (self.features.dim() != 2 or len(self.features) != n):
            raise ValueError(
                f"features: expected shape [{n}, d], as there are {n} logits, got {_shape(self.features)}"
            )
        self.loss = loss or ("bce" if k == 1 else "ce")
        if self.loss not in _LOSSES:
            raise ValueError(f"unknown loss '{self.loss}'. Known: {', '.join(_LOSSES)}")
        self.sizes: List[int] = [n] if sizes is None else [int(size) for size in sizes]
        self.labels = self._labels_for(_joined("labels", labels), n, k)
        self._risks: Optional[Tensor] = None
        self._derivatives: Optional[Tensor] = None

    def _labels_for(self, labels: Tensor, n: int, k: int) -> Tensor:
        if labels.dim() != 1 or len(labels) != n:
            raise ValueError(f"labels: expected shape [{n}], as there are {n} logits, got {_shape(labels)}")
        if not self.sizes or min(self.sizes) < 1 or sum(self.sizes) != n:
            raise ValueError(
                f"sizes of environments: expected numbers of at least 1 that sum to {n}, got {self.sizes}"
            )
        if self.loss == "ce":
            if labels.dtype != torch.int64:
                got = _TYPE_NAMES.get(labels.dtype, str(labels.dtype))
                raise ValueError(f"labels of classes: expected type Long, got {got}")
            return labels
        if k != 1:
            raise ValueError(f"logits: expected shape [n, 1] for the loss '{self.loss}', got [{n}, {k}]")
        return labels.to(self.logits.dtype)

    @property
    def risks(self) -> Tensor:
        """``R_e``, [environments], doubles, differentiable."""
        if self._risks is None:
            self._risks = environment_means(per_sample_loss(self), self.sizes)
        return self._risks

    @property
    def derivatives(self) -> Tensor:
        """``D_e``, the derivative of ``R_e(w z)`` in w at w = 1: [environments], doubles, differentiable."""
        if self._derivatives is None:
            samples = logit_gradient(self) * self.logits
            self._derivatives = environment_means(samples, self.sizes).sum(1)
        return self._derivatives

    def with_moments(self, risks: Tensor, derivatives: Tensor) -> "Batch":
        """The same samples with other risks and derivatives, such as averages over steps."""
        batch = Batch(self.logits, self.labels, self.sizes, features=self.features, loss=self.loss)
        batch._risks, batch._derivatives = risks, derivatives
        return batch

    def _features_for(self, objective: str) -> Tensor:
        if self.features is None:
            raise ValueError(f"{objective}: expected a batch with features, got one without")
        return self.features


def _joined(name: str, values: Union[Tensor, Sequence[Tensor]]) -> Tensor:
    if isinstance(values, Tensor):
        return values
    parts = list(values) if isinstance(values, (list, tuple)) else [values]
    for part in parts:
        if not isinstance(part, Tensor):
            raise TypeError(f"{name}: expected a tensor or a list of tensors, got {type(part).__name__}")
    if not parts:
        raise ValueError(f"{name}: expected at least one environment, got none")
    return torch.cat(parts)


def per_sample_loss(batch: Batch) -> Tensor:
    """The task's loss of each sample, [n]."""
    if batch.loss == "bce":
        return F.binary_cross_entropy_with_logits(batch.logits[:, 0], batch.labels, reduction="none")
    if batch.loss == "ce":
        return F.cross_entropy(batch.logits, batch.labels, reduction="none")
    return (batch.logits[:, 0] - batch.labels).square()


def logit_gradient(batch: Batch) -> Tensor:
    """The derivative of each sample's loss in its logits in closed form, [n, k], differentiable."""
    column = batch.labels.unsqueeze(1)
    if batch.loss == "bce":
        return torch.sigmoid(batch.logits) - column
    if batch.loss == "ce":
        minus_one = torch.full_like(column, -1, dtype=batch.logits.dtype)
        return torch.softmax(batch.logits, 1).scatter_add(1, column, minus_one)
    return 2 * (batch.logits - column)


def environment_means(rows: Tensor, sizes: Sequence[int]) -> Tensor:
    """The mean over the rows of each environment, [environments, ...], in doubles."""
    if _equal(sizes):
        return rows.reshape(len(sizes), sizes[0], *rows.shape[1:]).mean(1, dtype=torch.float64)
    return torch.stack([part.mean(0, dtype=torch.float64) for part in rows.split(list(sizes))])


def _equal(sizes: Sequence[int]) -> bool:
    return all(size == sizes[0] for size in sizes)


def _zero_of(numbers: Tensor) -> Tensor:
    return numbers.sum() * 0


def _require_samples(objective: str, sizes: Sequence[int], fewest: int) -> None:
    smallest = min(range(len(sizes)), key=lambda e: sizes[e])
    if sizes[smallest] < fewest:
        raise ValueError(
            f"{objective}: expected at least {fewest} samples per environment; environment {smallest} of the batch "
            f"has {sizes[smallest]}"
        )


def erm(batch: Batch) -> Tensor:
    """ERM: ``1/|E| sum_e R_e``. V. Vapnik, "Principles of Risk Minimization for Learning Theory", NeurIPS 1991.

    >>> round(erm(Batch(torch.tensor([0.0, 0.0]), torch.tensor([0.0, 1.0]), [1, 1])).item(), 4)
    0.6931
    """
    return batch.risks.mean()


def worst_risk(batch: Batch) -> Tensor:
    """The largest risk, ``max_e R_e``. S. Sagawa et al., ICLR 2020."""
    return batch.risks.max()


def irmv1(batch: Batch, *, unbiased: bool = False, negative: str = "scale", constant: float = 1e-2) -> Tensor:
    """IRMv1: ``1/|E| sum_e D_e^2``, ``D_e = d/dw R_e(w z)`` at w = 1, in closed form.

    ``unbiased``: the product of ``D_e`` over two halves of each environment, its samples at even and odd positions, which must
    be in random order. A negative estimate is multiplied by ``-constant`` (negative="scale"), raised by at least
    ``constant`` ("shift"), or kept ("keep"), which solvers do not accept.

    M. Arjovsky et al., "Invariant Risk Minimization", arXiv:1907.02893, 2019.

    >>> batch = Batch(torch.tensor([1.0, -1.0]), torch.tensor([1.0, 0.0]), [1, 1])
    >>> round(irmv1(batch).item(), 4)  # (sigmoid(1) - 1)^2
    0.0723
    """
    if not unbiased:
        return batch.derivatives.square().mean()
    if negative not in ("shift", "scale", "keep"):
        raise ValueError(f"negative: expected shift, scale or keep, got '{negative}'")
    if not constant > 0:
        raise ValueError(f"constant: expected a number above 0, got {constant:g}")
    _require_samples("irmv1 with irmv1_unbiased", batch.sizes, 2)
    derivatives = logit_gradient(batch) * batch.logits
    products = [
        samples[0::2].mean(0).sum() * samples[1::2].mean(0).sum() for samples in derivatives.split(batch.sizes)
    ]
    estimate = torch.stack(products).mean()
    if negative == "keep":
        return estimate
    if negative == "scale":
        return torch.maximum(estimate, -constant * estimate)
    return estimate + (-estimate.detach()).clamp_min(constant)


def vrex(batch: Batch) -> Tensor:
    """V-REx: the variance of the risks, ``1/(|E| - 1) sum_e (R_e - mean R)^2``; 0 for one environment.

    D. Krueger et al., "Out-of-Distribution Generalization via Risk Extrapolation (REx)", ICML 2021.
    """
    if len(batch.sizes) < 2:
        return _zero_of(batch.risks)
    return batch.risks.var(unbiased=True)


def sd(batch: Batch) -> Tensor:
    """Spectral decoupling: the mean square of the logits. M. Pezeshki et al., "Gradient Starvation", NeurIPS 2021."""
    return batch.logits.square().mean()


def ib(batch: Batch) -> Tensor:
    """The information bottleneck of IB-IRM: ``1/|E| sum_e 1/d sum_j Var_e[phi_j]``, at least two samples per environment.

    K. Ahuja et al., "Invariance Principle Meets Information Bottleneck for OOD Generalization", NeurIPS 2021.
    """
    features = batch._features_for("ib")
    _require_samples("ib", batch.sizes, 2)
    if _equal(batch.sizes):
        return _mean_variance(features.reshape(len(batch.sizes), batch.sizes[0], -1))
    return torch.stack([_mean_variance(part) for part in features.split(batch.sizes)]).mean()


def _mean_variance(features: Tensor) -> Tensor:
    means = features.detach().mean(-2, keepdim=True).expand_as(features)
    samples = features.shape[-2]
    return F.mse_loss(features, means) * (samples / (samples - 1.0))


def fishr(batch: Batch, *, mean: bool = False) -> Tensor:
    """Fishr: the disagreement of the head's gradient variances, ``1/|E| sum_e || v_e - mean v ||^2``.

    ``v_e`` is the variance over the samples of e of the gradient of their loss in the linear head's weights and bias. ``mean``:
    DomainBed's mean over the head's parameters in place of the sum. :class:`Fishr` has the moving average over steps.

    A. Rame, C. Dancette and M. Cord, "Fishr: Invariant Gradient Variances for OOD Generalization", ICML 2022.
    """
    return _disagreement(_gradient_variances(batch), mean)


def _disagreement(variances: Tensor, mean: bool) -> Tensor:
    disagreement = variances.var(0, unbiased=False)
    return disagreement.mean() if mean else disagreement.sum()


def _gradient_variances(batch: Batch) -> Tensor:
    """[environments, k (d + 1)]: weights, then biases."""
    features, sizes = batch._features_for("fishr"), batch.sizes
    slopes = logit_gradient(batch)
    squares = slopes.square()
    weights = _mean_products(squares, features.square(), sizes) - _mean_products(slopes, features, sizes).square()
    biases = environment_means(squares, sizes) - environment_means(slopes, sizes).square()
    return torch.cat([weights.flatten(1), biases], 1)


def _mean_products(left: Tensor, right: Tensor, sizes: Sequence[int]) -> Tensor:
    if _equal(sizes):
        shape = (len(sizes), sizes[0], -1)
        return torch.bmm(left.reshape(shape).transpose(1, 2), right.reshape(shape)) / sizes[0]
    parts = zip(left.split(list(sizes)), right.split(list(sizes)), sizes)
    return torch.stack([a.t().mm(b) / size for a, b, size in parts])


class _Remembering:
    """An objective with state between steps: each call is one step of it."""

    _name = ""

    def __init__(self) -> None:
        self._state: Optional[Tensor] = None

    def _match(self, current: Tensor) -> Tensor:
        assert self._state is not None
        if self._state.shape != current.shape:
            raise ValueError(
                f"{self._name}: expected a batch of the same environments as in the steps before, with a state of "
                f"shape {_shape(self._state)}, got {_shape(current)}"
            )
        return self._state.to(current)

    def reset(self) -> None:
        """As before the first step."""
        self._state = None

    def state_dict(self) -> Dict[str, Tensor]:
        """The state; empty before the first step."""
        return {} if self._state is None else {"state": self._state.clone()}

    def load_state_dict(self, state: Dict[str, Tensor]) -> None:
        self._state = state["state"].detach().clone() if state else None


class Fishr(_Remembering):
    """:func:`fishr` of a moving average of the variances, for minibatches: ``v* <- ema v* + (1 - ema) v``.

    The value is divided by ``(1 - ema)^2``, and no gradient goes through the past, as in the authors' release. Every step must have
    the same environments.
    """

    _name = "fishr"

    def __init__(self, ema: float = 0.95, *, mean: bool = False):
        super().__init__()
        if not 0 <= ema < 1:
            raise ValueError(f"ema: expected a number from 0 to below 1, got {ema:g}")
        self.ema, self.mean = ema, mean

    def __call__(self, batch: Batch) -> Tensor:
        variances = _gradient_variances(batch)
        if self.ema > 0:
            if self._state is not None:
                variances = variances + (self.ema / (1.0 - self.ema)) * self._match(variances)
            self._state = (1.0 - self.ema) * variances.detach()
        return _disagreement(variances, self.mean)


def groupdro(batch: Batch, *, rate: float = 1e-2) -> Tensor:
    """The first step of :class:`GroupDRO`, from equal weights."""
    return GroupDRO(rate)(batch)


class GroupDRO(_Remembering):
    """GroupDRO: ``q_e <- q_e exp(rate R_e) / sum_f q_f exp(rate R_f)``, value ``sum_e q_e R_e``.

    q starts at ``1/|E|`` and takes no gradient. Every step must have the same environments.

    S. Sagawa et al., "Distributionally Robust Neural Networks for Group Shifts", ICLR 2020, Algorithm 1.
    """

    _name = "group_dro"

    def __init__(self, rate: float = 1e-2):
        super().__init__()
        if not rate > 0:
            raise ValueError(f"rate: expected a number above 0, got {rate:g}")
        self.rate = rate

    def __call__(self, batch: Batch) -> Tensor:
        log_weights = self.rate * batch.risks.detach()
        if self._state is not None:
            log_weights = log_weights + self._match(log_weights)
        self._state = torch.log_softmax(log_weights, 0)
        return self._state.exp().dot(batch.risks)


def clove(
    batch: Batch,
    *,
    size: int = 512,
    width: float = 0.4,
    random: Union[Random, torch.Generator, None] = None,
) -> Tensor:
    """CLOvE: the kernel calibration error, ``1/|E| sum_e 1/m^2 sum_ij (c_i - r_i)(c_j - r_j) exp(-|r_i - r_j| / width)``.

    r is the confidence in the predicted label, c is 1 if that label is right. Of environments with more than ``size``
    samples, that many are drawn: from ``random``, a :class:`pair.Random` (the program's draws) or a torch.Generator;
    None: torch's default generator. For classifiers only.

    Y. Wald et al., "On Calibration and Out-of-domain Generalization", NeurIPS 2021; A. Kumar et al., ICML 2018.
    """
    if batch.loss == "mse":
        raise ValueError("clove: expected the loss bce or ce (it measures calibration), got 'mse'")
    if size < 2:
        raise ValueError(f"size: expected an integer of at least 2, got {size}")
    if not width > 0:
        raise ValueError(f"width: expected a number above 0, got {width:g}")
    errors = []
    for logits, labels in zip(batch.logits.split(batch.sizes), batch.labels.split(batch.sizes)):
        if len(logits) > size:
            rows = _draw(size, len(logits), random).to(logits.device)
            logits, labels = logits[rows], labels[rows]
        if batch.loss == "bce":
            logit = logits[:, 0]
            confidence = torch.sigmoid(logit.abs())
            correct = ((logit.detach() > 0) == (labels > 0.5)).to(logits.dtype)
        else:
            confidence, predicted = torch.softmax(logits, 1).max(1)
            correct = (predicted == labels).to(logits.dtype)
        kernel = (confidence.unsqueeze(1) - confidence).abs().mul(-1.0 / width).exp()
        gap = (correct - confidence) / len(logits)
        errors.append(gap.dot(kernel.mv(gap)))
    return torch.stack(errors).mean().clamp_min(0.0)


def _draw(count: int, size: int, random: Union[Random, torch.Generator, None]) -> Tensor:
    """The first ``count`` entries of a random permutation of 0 .. size - 1."""
    if not isinstance(random, Random):
        device = torch.device("cpu") if random is None else random.device
        return torch.randperm(size, generator=random, device=device)[:count]
    order = list(range(size))
    for i in range(count):
        other = i + random.below(size - i)
        order[i], order[other] = order[other], order[i]
    return torch.tensor(order[:count])


def iga(batch: Batch, parameters: Iterable[Tensor]) -> Tensor:
    """IGA: ``1/|E| sum_e || grad R_e - mean grad R ||^2``, gradients in ``parameters``, the whole network's.

    |E| - 1 extra backward passes, through which the value is differentiated again.

    M. Koyama and S. Yamaguchi, "When is invariance useful in an OOD Generalization problem?", arXiv:2008.01883, 2020.
    """
    weights = [parameter for parameter in parameters if parameter.requires_grad]
    if not weights:
        raise ValueError("iga: expected a batch with the network's parameters, got none")
    # Deviations from the mean sum to zero, so the last is the negative sum of the others.
    deviations = batch.risks - batch.risks.mean()
    trace = _zero_of(batch.risks)
    last: List[Optional[Tensor]] = []
    for e in range(len(batch.sizes) - 1):
        gradients = torch.autograd.grad(
            deviations[e], weights, retain_graph=True, create_graph=True, allow_unused=True
        )
        trace = trace + _squares(gradients)
        if not last:
            last = list(gradients)
            continue
        last = [a if a is None or b is None else a + b for a, b in zip(last, gradients)]
    return (trace + _squares(last)) / len(batch.sizes)


def _squares(gradients: Iterable[Optional[Tensor]]) -> Union[Tensor, float]:
    return sum((gradient.square().sum() for gradient in gradients if gradient is not None), 0.0)


def coral(batch: Batch) -> Tensor:
    """CORAL: the mean over pairs of environments of ``mean (m_e - m_f)^2 + mean (C_e - C_f)^2`` of the features.

    B. Sun and K. Saenko, "Deep CORAL", ECCV Workshops 2016, in DomainBed's form.
    """
    features = batch._features_for("coral")
    _require_samples("coral", batch.sizes, 2)

    def distance(x: Tensor, y: Tensor) -> Tensor:
        mean_x, mean_y = x.mean(0, keepdim=True), y.mean(0, keepdim=True)
        return F.mse_loss(mean_x, mean_y) + F.mse_loss(_covariance(x, mean_x), _covariance(y, mean_y))

    return _mean_over_pairs(features, batch.sizes, distance)


def _covariance(features: Tensor, mean: Tensor) -> Tensor:
    centred = features - mean
    return centred.t().mm(centred) / (len(features) - 1)


def _mean_over_pairs(
    features: Tensor, sizes: Sequence[int], distance: Callable[[Tensor, Tensor], Tensor]
) -> Tensor:
    if len(sizes) < 2:
        return _zero_of(features)
    parts = features.split(list(sizes))
    return torch.stack(
        [distance(parts[i], parts[j]) for i in range(len(parts)) for j in range(i + 1, len(parts))]
    ).mean()


_GAMMAS = (1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3)


def mmd(batch: Batch) -> Tensor:
    """MMD: the mean over pairs of environments of ``mean k(x, x') + mean k(y, y') - 2 mean k(x, y)`` of the features.

    ``k(x, y) = sum over g in {1e-3, 1e-2, ..., 1e3} of exp(-g |x - y|^2)``.

    H. Li et al., "Domain Generalization with Adversarial Feature Learning", CVPR 2018; A. Gretton et al., JMLR 2012.
    """

    def distance(x: Tensor, y: Tensor) -> Tensor:
        between = _mean_kernel(_squared_distances(x, y))
        return (_mean_kernel_within(x) + _mean_kernel_within(y) - 2 * between).clamp_min(0)

    return _mean_over_pairs(batch._features_for("mmd"), batch.sizes, distance)


def _squared_distances(x: Tensor, y: Tensor) -> Tensor:
    norms_x = x.square().sum(1, keepdim=True)
    norms_y = y.square().sum(1, keepdim=True)
    return (norms_x + norms_y.t() - 2 * x.mm(y.t())).clamp_min(0)


def _mean_kernel(distances: Tensor) -> Tensor:
    total = distances.new_zeros(())
    for gamma in _GAMMAS:
        total = total + (distances * -gamma).exp().mean()
    return total


def _mean_kernel_within(x: Tensor) -> Tensor:
    distances = _squared_distances(x, x)
    # The sharpest kernel would be affected by rounding of exact zeros.
    distances.fill_diagonal_(0.0)
    return _mean_kernel(distances)
