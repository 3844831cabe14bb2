"""The program's networks: a featurizer and a linear head, under the names of its weight files."""

from __future__ import annotations

import math
from typing import Optional, Sequence

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from .._core import Random


class Model(nn.Module):
    """A predictor ``f = w o phi``: features [n, d], and a linear head that gives logits [n, k]."""

    head: nn.Linear

    def features(self, inputs: Tensor) -> Tensor:
        raise NotImplementedError

    def forward(self, inputs: Tensor) -> Tensor:
        return self.head(self.features(inputs))


class MLP(Model):
    """``depth`` hidden layers of ``width`` units with ReLU. 392-256-256-1 is the paper's on ColoredMNIST.

    seed: the initial weights of the program's runs with that seed (Glorot and Bengio 2010); None: torch's own.

    >>> model = MLP(392, seed=0)
    >>> model(torch.zeros(5, 392)).shape
    torch.Size([5, 1])
    """

    def __init__(self, inputs: int, outputs: int = 1, *, width: int = 256, depth: int = 2, seed: Optional[int] = None):
        super().__init__()
        self._inputs, self._depth = inputs, depth
        for layer in range(depth):
            self.add_module(f"hidden{layer}", nn.Linear(inputs if layer == 0 else width, width))
        self.head = nn.Linear(width, outputs)
        if seed is not None:
            fill_xavier_uniform(self, Random(seed, "model"))

    def features(self, inputs: Tensor) -> Tensor:
        rows = _flattened(inputs, self._inputs)
        for layer in range(self._depth):
            rows = torch.relu(getattr(self, f"hidden{layer}")(rows))
        return rows


class LinearModel(Model):
    """A linear head on the inputs."""

    def __init__(self, inputs: int, outputs: int = 1):
        super().__init__()
        self._inputs = inputs
        self.head = nn.Linear(inputs, outputs)

    def features(self, inputs: Tensor) -> Tensor:
        return _flattened(inputs, self._inputs)


class MnistCnn(Model):
    """DomainBed's network for digits: four convolutions with group norm, 128 features, a linear head."""

    def __init__(self, channels: int, outputs: int = 1):
        super().__init__()
        for number, (width, stride) in enumerate(((64, 1), (128, 2), (128, 1), (128, 1)), 1):
            self.add_module(f"conv{number}", nn.Conv2d(channels, width, 3, stride=stride, padding=1))
            self.add_module(f"norm{number}", nn.GroupNorm(8, width))
            channels = width
        self.head = nn.Linear(channels, outputs)

    def features(self, inputs: Tensor) -> Tensor:
        images = inputs
        for number in range(1, 5):
            images = getattr(self, f"norm{number}")(F.relu(getattr(self, f"conv{number}")(images)))
        return images.mean((2, 3))


def _flattened(inputs: Tensor, size: int) -> Tensor:
    rows = inputs.reshape(len(inputs), -1)
    if rows.shape[1] != size:
        raise ValueError(f"inputs: expected {size} values each, got {rows.shape[1]}")
    return rows


@torch.no_grad()
def fill_xavier_uniform(module: nn.Module, random: Random) -> None:
    """Linear layers, in their order: weights uniform within +- sqrt(6 / (inputs + outputs)), biases zero."""
    for layer in module.modules():
        if isinstance(layer, nn.Linear):
            bound = math.sqrt(6.0 / sum(layer.weight.shape))
            draws = random.uniform(layer.weight.numel(), -bound, bound)
            layer.weight.copy_(torch.from_numpy(draws.astype("float32")).view_as(layer.weight))
            layer.bias.zero_()


def product(sizes: Sequence[int]) -> int:
    return math.prod(sizes)
