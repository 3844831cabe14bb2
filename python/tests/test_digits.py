"""ColoredMNIST and the random generator of the program."""
import unittest

import numpy as np

import pair


class Digits(unittest.TestCase):
    def test_labels_and_colours_are_flipped_as_often_as_stated(self):
        train, test = pair.colored_mnist(7, train_digits=20_000, test_digits=5_000)
        self.assertEqual([one.name for one in train + test], ["beta 0.1", "beta 0.2", "beta 0.9", "beta 0.1", "beta 0.5"])
        for environment, beta in zip(train + test, (0.1, 0.2, 0.9, 0.1, 0.5)):
            self.assertEqual(environment.inputs.dtype, np.float32)
            channels = environment.inputs.reshape(len(environment.labels), 2, -1).sum(2)
            colours = channels[:, 1] > 0
            self.assertTrue(((channels > 0).sum(1) == 1).all())
            self.assertAlmostEqual((colours != (environment.labels > 0.5)).mean(), beta, delta=0.02)

    def test_flips_of_labels_and_colours_are_independent(self):
        _, tests = pair.colored_mnist(7, train_digits=2)
        _, digits = pair._core.mnist14()
        for environment in tests:
            labels = environment.labels > 0.5
            flipped = labels != (digits[50_000:] < 5)
            colours = environment.inputs.reshape(len(labels), 2, -1).sum(2)[:, 1] > 0
            self.assertAlmostEqual(flipped.mean(), 0.25, delta=0.02)
            self.assertLess(abs(np.corrcoef(flipped, colours != labels)[0, 1]), 0.05)

    def test_fewer_digits_are_a_prefix_of_more(self):
        few, _ = pair.colored_mnist(1, train_digits=100, test_digits=1)
        more, _ = pair.colored_mnist(1, train_digits=200, test_digits=1)
        for one, other in zip(few, more):
            np.testing.assert_array_equal(one.inputs, other.inputs[:50])
            np.testing.assert_array_equal(one.labels, other.labels[:50])

    def test_invalid_settings_are_refused(self):
        for options, sentence in (
            ({"train_digits": 1}, "train_digits: expected an integer from 2 to 50000, got 1"),
            ({"test_digits": 10_001}, "test_digits: expected an integer from 1 to 10000, got 10001"),
            ({"alpha": 2}, "alpha: expected a number from 0 to 1, got 2"),
            ({"train_betas": [0.1, -1]}, "train_betas: expected a number from 0 to 1, got -1"),
        ):
            with self.assertRaises(ValueError) as caught:
                pair.colored_mnist(**options)
            self.assertIn(sentence, str(caught.exception))

    def test_draws_depend_on_seed_and_stream_only(self):
        first = pair.Random(1, "model").uniform(5, -2, 3)
        np.testing.assert_array_equal(first, pair.Random(1, "model").uniform(5, -2, 3))
        self.assertFalse(np.array_equal(first, pair.Random(2, "model").uniform(5, -2, 3)))
        self.assertFalse(np.array_equal(first, pair.Random(1, "data").uniform(5, -2, 3)))
        self.assertTrue((first >= -2).all() and (first < 3).all())
        self.assertEqual(sorted(pair.Random(1, "x").permutation(10)), list(range(10)))
        with self.assertRaisesRegex(ValueError, "bound: expected an integer of at least 1, got 0"):
            pair.Random(1, "x").below(0)


if __name__ == "__main__":
    unittest.main()
