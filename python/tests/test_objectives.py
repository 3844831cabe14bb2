"""Objectives of pair.torch: derivatives, single environments, refusals, state, tracked moments."""
import unittest

from support_torch import torch

import pair
from pair.torch import (
    Batch, Fishr, GroupDRO, TrackedMoments, clove, coral, erm, fishr, groupdro, ib, iga, irmv1, mmd, sd, vrex, worst_risk,
)

SIZES = [5, 3, 4]


def numbers(*shape, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def labels_of(loss, classes=3):
    if loss == "ce":
        return torch.arange(sum(SIZES)) % classes
    return (torch.arange(sum(SIZES)) % 2).double()


class Values(unittest.TestCase):
    def test_risks_and_derivatives_are_those_of_autograd(self):
        for loss, k in (("bce", 1), ("ce", 3), ("mse", 1)):
            logits, labels = numbers(sum(SIZES), k), labels_of(loss)
            batch = Batch(logits, labels, SIZES, loss=loss)
            scale = torch.ones((), dtype=torch.float64, requires_grad=True)
            scaled = Batch(logits * scale, labels, SIZES, loss=loss)
            for e in range(len(SIZES)):
                [derivative] = torch.autograd.grad(scaled.risks[e], scale, retain_graph=True)
                self.assertAlmostEqual(batch.derivatives[e].item(), derivative.item(), places=12)

    def test_derivatives_in_logits_and_features_are_right(self):
        functions = {
            "erm": erm, "irmv1": irmv1, "vrex": vrex, "sd": sd, "ib": ib, "fishr": fishr, "groupdro": groupdro,
            "coral": coral, "mmd": mmd, "worst_risk": worst_risk, "clove": clove,
            "halves": lambda batch: irmv1(batch, unbiased=True),
        }
        for loss, k in (("bce", 1), ("ce", 3)):
            labels = labels_of(loss)
            for name, function in functions.items():
                # Small, so that no sample is near another class: clove's labels may not flip within the differences.
                logits = (3 * numbers(sum(SIZES), k)).requires_grad_()
                features = numbers(sum(SIZES), 2, seed=1).requires_grad_()
                if name == "groupdro":  # q takes no gradient
                    continue
                def value(z, f):
                    return function(Batch(z, labels, SIZES, features=f, loss=loss))
                self.assertTrue(torch.autograd.gradcheck(value, (logits, features), atol=1e-6), name)

    def test_equal_and_unequal_sizes_agree(self):
        logits, features, labels = numbers(8, 1), numbers(8, 2, seed=1), torch.arange(8).double() % 2
        whole = Batch(logits, labels, [4, 4], features=features)
        for function in (erm, irmv1, vrex, fishr, ib, coral, mmd):
            parts = [
                function(Batch(torch.cat([logits, logits[:n]]), torch.cat([labels, labels[:n]]), [4, 4] + [n] * (n > 0),
                               features=torch.cat([features, features[:n]])))
                for n in (0, 4)
            ]
            self.assertEqual(parts[0].item(), function(whole).item())
        uneven = Batch(logits, labels, [5, 3], features=features)
        by_hand = torch.stack([uneven.risks[0], uneven.risks[1]])
        self.assertAlmostEqual(vrex(uneven).item(), by_hand.var().item(), places=14)

    def test_one_environment_gives_zero_where_environments_are_compared(self):
        logits = numbers(6, 1).requires_grad_()
        features = numbers(6, 2).requires_grad_()
        batch = Batch(logits, torch.ones(6), features=features)
        for function in (vrex, fishr, coral, mmd):
            value = function(batch)
            self.assertEqual(value.item(), 0.0, function.__name__)
            self.assertTrue(value.requires_grad)
        self.assertEqual(iga(batch, [logits]).item(), 0.0)

    def test_negative_estimates_of_irmv1(self):
        # Halves whose derivatives have opposite signs.
        batch = Batch(torch.tensor([1.0, 1.0]), torch.tensor([1.0, 0.0]))
        kept = irmv1(batch, unbiased=True, negative="keep").item()
        self.assertLess(kept, 0)
        self.assertAlmostEqual(irmv1(batch, unbiased=True, constant=0.5).item(), -0.5 * kept, places=6)
        self.assertAlmostEqual(irmv1(batch, unbiased=True, negative="shift", constant=1.0).item(), 1 + kept, places=6)

    def test_lists_are_joined(self):
        parts = [numbers(3, 1), numbers(2, 1, seed=1)]
        by_list = Batch(parts, [torch.ones(3), torch.zeros(2)])
        joined = Batch(torch.cat(parts)[:, 0], torch.tensor([1.0, 1, 1, 0, 0]), [3, 2])
        self.assertEqual(by_list.sizes, [3, 2])
        self.assertTrue(torch.equal(by_list.risks, joined.risks))


class States(unittest.TestCase):
    def batches(self):
        return [Batch(numbers(6, 1, seed=s), torch.arange(6).double() % 2, [3, 3], features=numbers(6, 2, seed=s + 9))
                for s in range(3)]

    def test_continue_from_a_state_dict(self):
        for make in (Fishr, GroupDRO):
            through, first, second = make(), make(), make()
            values = [through(batch).item() for batch in self.batches()]
            first(self.batches()[0])
            second.load_state_dict(first.state_dict())
            resumed = [second(batch).item() for batch in self.batches()[1:]]
            self.assertEqual(values[1:], resumed)
            through.reset()
            self.assertEqual(through(self.batches()[0]).item(), values[0])

    def test_functions_are_the_first_step(self):
        batch = self.batches()[0]
        self.assertEqual(fishr(batch).item(), Fishr()(batch).item())
        self.assertEqual(groupdro(batch).item(), GroupDRO()(batch).item())

    def test_other_environments_are_refused(self):
        for objective in (Fishr(), GroupDRO()):
            objective(self.batches()[0])
            other = Batch(numbers(6, 1), torch.ones(6), [2, 2, 2], features=numbers(6, 2))
            with self.assertRaisesRegex(ValueError, "expected a batch of the same environments as in the steps before"):
                objective(other)


class Draws(unittest.TestCase):
    def test_clove_draws_from_what_it_is_given(self):
        batch = Batch(numbers(60, 1), (torch.arange(60) % 2).double(), [30, 30])
        def by(random):
            return clove(batch, size=8, random=random).item()
        self.assertEqual(by(pair.Random(1, "x")), by(pair.Random(1, "x")))
        self.assertNotEqual(by(pair.Random(1, "x")), by(pair.Random(2, "x")))
        self.assertEqual(by(torch.Generator().manual_seed(1)), by(torch.Generator().manual_seed(1)))


class Refusals(unittest.TestCase):
    def refused(self, sentence, call, kind=ValueError):
        with self.assertRaises(kind) as caught:
            call()
        self.assertIn(sentence, str(caught.exception))

    def test_batches(self):
        z, y = torch.zeros(4, 1), torch.zeros(4)
        for sentence, call in (
            ("logits: expected shape [n, k], got [2, 2, 2]", lambda: Batch(torch.zeros(2, 2, 2), y)),
            ("labels: expected shape [4], as there are 4 logits, got [3]", lambda: Batch(z, y[:3])),
            ("features: expected shape [4, d], as there are 4 logits, got [4]", lambda: Batch(z, y, features=y)),
            ("sizes of environments: expected numbers of at least 1 that sum to 4, got [4, 0]", lambda: Batch(z, y, [4, 0])),
            ("sizes of environments: expected numbers of at least 1 that sum to 4, got [3]", lambda: Batch(z, y, [3])),
            ("sizes of environments: expected numbers of at least 1 that sum to 4, got []", lambda: Batch(z, y, [])),
            ("sizes of environments: expected numbers of at least 1 that sum to 0, got [0]", lambda: Batch(z[:0], y[:0])),
            ("labels of classes: expected type Long, got Float", lambda: Batch(torch.zeros(4, 2), y)),
            ("logits: expected shape [n, 1] for the loss 'mse', got [4, 2]", lambda: Batch(torch.zeros(4, 2), y, loss="mse")),
            ("unknown loss 'bse'", lambda: Batch(z, y, loss="bse")),
            ("logits: expected at least one environment, got none", lambda: Batch([], [])),
        ):
            self.refused(sentence, call)
        self.refused("logits: expected a tensor or a list of tensors, got str", lambda: Batch("x", y), TypeError)
        self.refused("labels: expected a tensor or a list of tensors, got int", lambda: Batch(z, [1, 2]), TypeError)

    def test_objectives(self):
        one = Batch(torch.zeros(3, 1), torch.zeros(3), [2, 1], features=torch.zeros(3, 2))
        bare = Batch(torch.zeros(4, 1), torch.zeros(4), [2, 2])
        real = Batch(torch.zeros(4, 1), torch.zeros(4), [2, 2], loss="mse")
        few = "expected at least 2 samples per environment; environment 1 of the batch has 1"
        for sentence, call in (
            (f"ib: {few}", lambda: ib(one)),
            (f"coral: {few}", lambda: coral(one)),
            (f"irmv1 with irmv1_unbiased: {few}", lambda: irmv1(one, unbiased=True)),
            ("fishr: expected a batch with features, got one without", lambda: fishr(bare)),
            ("clove: expected the loss bce or ce (it measures calibration), got 'mse'", lambda: clove(real)),
            ("iga: expected a batch with the network's parameters, got none", lambda: iga(bare, [])),
            ("negative: expected shift, scale or keep, got 'x'", lambda: irmv1(bare, unbiased=True, negative="x")),
            ("ema: expected a number from 0 to below 1, got 1", lambda: Fishr(1.0)),
            ("rate: expected a number above 0, got 0", lambda: GroupDRO(0.0)),
        ):
            self.refused(sentence, call)


class Moments(unittest.TestCase):
    def test_are_a_plain_mean_and_then_a_moving_average(self):
        tracked = TrackedMoments(window=2, environments=2)
        batches = [Batch(numbers(6, 1, seed=s), torch.arange(6).double() % 2, [3, 3]) for s in range(3)]
        averages = [tracked(batch) for batch in batches]
        self.assertTrue(torch.equal(averages[0].risks, batches[0].risks))
        torch.testing.assert_close(averages[1].risks, (batches[0].risks + batches[1].risks) / 2)
        third = averages[1].risks + (batches[2].risks - averages[1].risks) / 2
        torch.testing.assert_close(averages[2].risks, third)
        self.assertFalse(torch.equal(averages[2].derivatives, batches[2].derivatives))

    def test_the_gradient_is_the_batchs_at_the_averages(self):
        tracked = TrackedMoments(window=10, environments=2)
        first = Batch(numbers(6, 1, seed=1), torch.arange(6).double() % 2, [3, 3])
        tracked(first)
        logits = numbers(6, 1).requires_grad_()
        batch = Batch(logits, torch.arange(6).double() % 2, [3, 3])
        averaged = tracked(batch)
        for objective in (irmv1, vrex):
            [gradient] = torch.autograd.grad(objective(averaged), logits, retain_graph=True)
            moments = (averaged.derivatives if objective is irmv1 else averaged.risks).detach()
            slopes = 2 * moments / 2 if objective is irmv1 else 2 * (moments - moments.mean())
            followed = batch.derivatives if objective is irmv1 else batch.risks
            [expected] = torch.autograd.grad(followed.dot(slopes), logits, retain_graph=True)
            torch.testing.assert_close(gradient, expected)

    def test_values_that_are_not_finite_are_left_out(self):
        tracked = TrackedMoments(window=10, environments=2)
        tracked(Batch(numbers(6, 1), torch.ones(6), [3, 3]))
        before = tracked.risks.clone()
        logits = torch.full((6, 1), float("nan"), dtype=torch.float64, requires_grad=True)
        value = erm(tracked(Batch(logits, torch.ones(6), [3, 3])))
        self.assertTrue(torch.equal(tracked.risks, before))
        [gradient] = torch.autograd.grad(value, logits)
        self.assertFalse(bool(gradient.isfinite().all()))

    def test_state_dict_and_refusals(self):
        tracked = TrackedMoments(window=10, environments=2)
        tracked(Batch(numbers(6, 1), torch.ones(6), [3, 3]))
        other = TrackedMoments(window=10, environments=2)
        other.load_state_dict(tracked.state_dict())
        self.assertTrue(torch.equal(other.risks, tracked.risks))
        with self.assertRaisesRegex(ValueError, "expected a batch of 2 environments, got 3"):
            tracked(Batch(numbers(6, 1), torch.ones(6), [2, 2, 2]))
        with self.assertRaisesRegex(ValueError, "window: expected a number from 1"):
            TrackedMoments(0.5, 2)


if __name__ == "__main__":
    unittest.main()
