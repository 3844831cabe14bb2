"""The Pareto tools."""
import math
import unittest

import numpy as np

import pair


class Pareto(unittest.TestCase):
    def test_non_dominated_points_are_those_of_the_definition(self):
        random = np.random.RandomState(0)
        for m in (2, 3, 5):
            points = random.randint(0, 6, (60, m)).astype(float)
            by_definition = [
                i for i, a in enumerate(points)
                if not any(np.all(b <= a) and np.any(b < a) for b in points)
            ]
            self.assertEqual(pair.non_dominated(points).tolist(), by_definition)
            for i in by_definition:
                self.assertFalse(any(pair.dominates(b, points[i]) for b in points))

    def test_hypervolume(self):
        self.assertEqual(pair.hypervolume([[1, 2], [2, 1], [2, 2], [9, 0]], [3, 3]), 3.0)
        self.assertEqual(pair.hypervolume([[0, 0, 0]], [1, 2, 3]), 6.0)

    def test_stationarity_and_conflict(self):
        gram = pair.gram_of([[3, 0], [0, 4]])
        self.assertAlmostEqual(pair.pareto_stationarity(gram), 2.4)
        self.assertAlmostEqual(pair.conflict_angle(gram, 0, 1), math.pi / 2)

    def test_invalid_input_is_refused(self):
        for call, kind, sentence in (
            (lambda: pair.non_dominated([1, 2]), ValueError, "points: expected one row per point, got shape"),
            (lambda: pair.non_dominated([[1, math.nan]]), ValueError, "points"),
            (lambda: pair.hypervolume([[1, 2]], [1, 2, 3]), ValueError, "reference"),
            (lambda: pair.hypervolume([[1, -math.inf]], [1, 2]), ValueError, "points"),
            (lambda: pair.pareto_stationarity([[1, 2, 3]]), ValueError, "gram: expected a square matrix"),
            (lambda: pair.conflict_angle(np.eye(2), 0, 2), ValueError, ""),
            (lambda: pair.conflict_angle(np.eye(2), -1, 0), TypeError, ""),
            (lambda: pair.dominates([1], [1, 2]), ValueError, "b: expected a point with as many values as a"),
            (lambda: pair.gram_of([1, 2]), ValueError, "gradients: expected one row per objective"),
            (lambda: pair.gram_of("x"), TypeError, "gradients: expected numbers"),
            (lambda: pair.gram_of([[1, 0], [0, 1e-170]]), ValueError, "gradients[1]: expected a norm of 0 or in"),
        ):
            with self.assertRaises(kind) as caught:
                call()
            self.assertIn(sentence, str(caught.exception))


if __name__ == "__main__":
    unittest.main()
