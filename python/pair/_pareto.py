"""Tools for points of a loss space. All objectives are minimised."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from . import _core


def gram_of(gradients: ArrayLike) -> np.ndarray:
    """The Gram matrix ``G G^T`` [m, m] of m gradients, one per row.

    >>> gram_of([[1, 2], [0, 1]])
    array([[5., 2.],
           [2., 1.]])
    """
    return _core.gram_of(gradients)


def dominates(a: ArrayLike, b: ArrayLike) -> bool:
    """Whether point a is at least as good as b in every objective and better in one.

    >>> dominates([1, 2], [1, 3]), dominates([1, 2], [1, 2])
    (True, False)
    """
    return _core.dominates(a, b)


def non_dominated(points: ArrayLike) -> np.ndarray:
    """The indices of the points (rows) that no other point dominates, in ascending order.

    Copies of a point are all kept, or none. Infinities are values like others; NaN raises ValueError. ``O(n log n)`` for up
    to three objectives (Kung, Luccio and Preparata 1975).

    >>> non_dominated([[1, 3], [2, 2], [3, 3], [3, 1]])
    array([0, 1, 3])
    """
    return _core.non_dominated(points)


def hypervolume(points: ArrayLike, reference: ArrayLike) -> float:
    """The volume that the points dominate below the reference, for two or three objectives; larger is better.

    >>> hypervolume([[1, 2], [2, 1]], [3, 3])
    3.0
    """
    return _core.hypervolume(points, reference)


def pareto_stationarity(gram: ArrayLike) -> float:
    """The norm of the shortest convex combination of the gradients; 0 if no direction improves all objectives.

    >>> pareto_stationarity(gram_of([[1, 0], [-1, 0]]))
    0.0
    """
    return _core.pareto_stationarity(gram)


def conflict_angle(gram: ArrayLike, i: int, j: int) -> float:
    """The angle between the gradients of objectives i and j in radians. Above pi/2 they conflict.

    >>> round(conflict_angle(gram_of([[1, 0], [-1, 1]]), 0, 1) / np.pi, 6)
    0.75
    """
    return _core.conflict_angle(gram, i, j)
