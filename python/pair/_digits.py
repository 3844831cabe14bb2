"""ColoredMNIST, the same numbers as the program's."""

from __future__ import annotations

from dataclasses import dataclass
from typing import List, Sequence, Tuple

import numpy as np

from . import _core


@dataclass(frozen=True)
class Environment:
    """The samples of one environment."""

    name: str
    inputs: np.ndarray  # [n, 392], float32: the channel of colour 0, then that of colour 1
    labels: np.ndarray  # [n], float32, 0 or 1


def colored_mnist(
    seed: int = 0,
    *,
    alpha: float = 0.25,
    train_betas: Sequence[float] = (0.1, 0.2),
    test_betas: Sequence[float] = (0.9, 0.1, 0.5),
    train_digits: int = 50_000,
    test_digits: int = 10_000,
) -> Tuple[List[Environment], List[Environment]]:
    """ColoredMNIST: training and test environments.

    The label, 1 for digits below 5, is flipped with probability ``alpha``; the colour is the label, flipped with
    probability beta, which differs between environments. The digits are in the package; nothing is downloaded. The same
    seed and options give the same numbers as the dataset ``cmnist`` of the program.

    M. Arjovsky et al., "Invariant Risk Minimization", arXiv:1907.02893, 2019.

    >>> train, test = colored_mnist(train_digits=100, test_digits=10)
    >>> [(one.name, one.inputs.shape) for one in train + test][:3]
    [('beta 0.1', (50, 392)), ('beta 0.2', (50, 392)), ('beta 0.9', (10, 392))]
    """
    pixels, digit_labels = _core.mnist14()
    pool = len(digit_labels) * 5 // 6
    for name, value, low, high in (
        ("train_digits", train_digits, len(train_betas), pool),
        ("test_digits", test_digits, 1, len(digit_labels) - pool),
    ):
        if not low <= value <= high:
            raise ValueError(f"{name}: expected an integer from {low} to {high}, got {value}")
    for name, shares in (("alpha", [alpha]), ("train_betas", train_betas), ("test_betas", test_betas)):
        for share in shares:
            if not 0 <= share <= 1:
                raise ValueError(f"{name}: expected a number from 0 to 1, got {share:g}")
    order = _core.Random(seed, "cmnist/order").permutation(pool)[:train_digits]
    intensity = np.arange(256, dtype=np.float32) / np.float32(255)

    def coloured(chosen: np.ndarray, beta: float, stream: str) -> Environment:
        draws = _core.Random(seed, stream).uniform(2 * len(chosen)).reshape(-1, 2)
        labels = (digit_labels[chosen] < 5) != (draws[:, 0] < alpha)
        colours = labels != (draws[:, 1] < beta)
        images = intensity[pixels[chosen].reshape(len(chosen), -1)]
        inputs = np.zeros((len(chosen), 2, images.shape[1]), dtype=np.float32)
        inputs[np.arange(len(chosen)), colours.astype(np.intp)] = images
        return Environment(f"beta {beta:g}", inputs.reshape(len(chosen), -1), labels.astype(np.float32))

    train = [
        coloured(order[e :: len(train_betas)], beta, f"cmnist/train/{e}") for e, beta in enumerate(train_betas)
    ]
    rest = np.arange(pool, pool + test_digits)
    return train, [coloured(rest, beta, f"cmnist/test/{e}") for e, beta in enumerate(test_betas)]
