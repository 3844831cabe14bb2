"""pair.torch.Pair: weights, the guarded step, phases, state, refusals."""
import copy
import threading
import unittest

import numpy as np

from support_torch import torch, two_environments

import pair
from pair.torch import EPO, Batch, Diverged, Pair, TrackedMoments, erm, estimate_preference, irmv1, vrex

PREFERENCE = [1, 1e10, 1e12]


class Network(torch.nn.Module):
    def __init__(self, seed=0, norm=False):
        super().__init__()
        torch.manual_seed(seed)
        layers = [torch.nn.Linear(2, 16), torch.nn.ReLU()]
        self.body = torch.nn.Sequential(*layers, torch.nn.BatchNorm1d(16)) if norm else torch.nn.Sequential(*layers)
        self.head = torch.nn.Linear(16, 1)

    def forward(self, inputs):
        return self.head(self.body(inputs))


def losses_of(model, data):
    inputs, labels, sizes = data
    batch = Batch(model(inputs), labels, sizes)
    return [erm(batch), irmv1(batch), vrex(batch)]


def flat(model):
    return torch.cat([parameter.detach().reshape(-1).clone() for parameter in model.parameters()])


class Steps(unittest.TestCase):
    def test_learns_what_holds_in_both_environments(self):
        """ERM follows the colour, which is reversed in the test; PAIR-o follows the shape, right in 0.75."""
        data = two_environments(2000)
        accuracies = []
        for pretrain in (400, 60):
            model = Network()
            sgd = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
            pair_o = Pair(sgd, PREFERENCE, model.head.parameters(), pretrain=pretrain)
            for _ in range(400):
                pair_o.step(losses_of(model, data))
            reversed_colour = data[0] * torch.tensor([1.0, -1.0])
            accuracies.append(((model(reversed_colour)[:, 0] > 0) == (data[1] > 0.5)).float().mean().item())
        self.assertLess(accuracies[0], 0.4)
        self.assertGreater(accuracies[1], 0.6)

    def test_the_step_is_the_solvers(self):
        """The weights are those of pair.weigh, and the step is plain SGD on the weighted sum."""
        data, model = two_environments(), Network()
        twin = copy.deepcopy(model)
        pair_o = Pair(torch.optim.SGD(model.parameters(), lr=0.1), [1, 100, 100], model.head.parameters())
        step = pair_o.step(losses_of(model, data))

        losses = losses_of(twin, data)
        rows = torch.stack([
            torch.cat([g.reshape(-1) for g in torch.autograd.grad(loss, list(twin.head.parameters()), retain_graph=True)])
            for loss in losses
        ])
        solution = pair.weigh([loss.item() for loss in losses], pair.gram_of(rows.double().numpy()), [1, 100, 100], epsilon=0.1)
        np.testing.assert_allclose(step.weights, solution.weights, atol=1e-6)
        self.assertEqual((step.phase, step.status), (solution.phase, solution.status))
        sum(loss * weight for loss, weight in zip(losses, step.weights)).backward()
        for mine, other in zip(model.parameters(), twin.parameters()):
            torch.testing.assert_close(mine, other - 0.1 * other.grad)

    def test_gradients_of_everything_or_of_the_head_by_choice(self):
        for everything, expected in ((False, [1 / 3, 2 / 3]), (True, [3 / 34, 31 / 34])):
            head, body = (torch.nn.Parameter(torch.tensor(0.0)) for _ in range(2))
            sgd = torch.optim.SGD([head, body], lr=0.1)
            pair_o = Pair(sgd, [1, 1], None if everything else [head], solver="mgda")
            step = pair_o.step([(head - 2).square() + (body - 5).square(), (head + 1).square()])
            np.testing.assert_allclose(step.weights, expected, rtol=1e-6)
            self.assertNotEqual(body.item(), 0.0)

    def test_names_are_kept(self):
        data, model = two_environments(), Network()
        pair_o = Pair(torch.optim.SGD(model.parameters(), lr=0.1), [1, 1, 1])
        step = pair_o.step(dict(zip(("erm", "irmv1", "vrex"), losses_of(model, data))))
        self.assertEqual(list(step.named(step.weights)), ["erm", "irmv1", "vrex"])
        self.assertEqual(list(pair_o.step(losses_of(model, data)).named([1, 2, 3])), ["0", "1", "2"])

    def test_other_solvers_and_optimizers(self):
        data = two_environments()
        for solver in ("mgda", "upgrad", "epo_smooth", "pmtl"):
            for make in (torch.optim.Adam, torch.optim.RMSprop):
                model = Network()
                pair_o = Pair(make(model.parameters(), lr=1e-3), [1, 10, 10], solver=solver, backtrack=False)
                for _ in range(3):
                    self.assertTrue(pair_o.step(losses_of(model, data)).taken)

    def test_solvers_get_the_weights_of_the_step_before(self):
        w = torch.nn.Parameter(torch.tensor([1.0, 2.0, -1.0]))
        pair_o = Pair(torch.optim.SGD([w], lr=0.05), [1, 5, 20], solver="epo_smooth", backtrack=False)
        weights, differs = None, False
        for _ in range(6):
            losses = [(w - 1).square().sum(), (w[0] + w[1]).square() + 0.1, (w[1] - w[2] - 1).square() + 0.01]
            rows = [torch.autograd.grad(loss, w, retain_graph=True)[0].double().numpy() for loss in losses]
            gram, values = pair.gram_of(rows), [loss.item() for loss in losses]
            options = pair.Solver("epo_smooth", training=True).options
            expected = pair.weigh(values, gram, [1, 5, 20], "epo_smooth", previous=weights, **options).weights
            without = pair.weigh(values, gram, [1, 5, 20], "epo_smooth", **options).weights
            step = pair_o.step(losses)
            np.testing.assert_allclose(step.weights, expected, atol=1e-6)
            differs = differs or not np.allclose(expected, without, atol=1e-3)
            weights = step.weights
        self.assertTrue(differs)

    def test_the_preference_is_estimated_if_there_is_none(self):
        data, model = two_environments(), Network()
        pair_o = Pair(torch.optim.SGD(model.parameters(), lr=0.1))
        self.assertIsNone(pair_o.preference)
        step = pair_o.step(losses_of(model, data))
        np.testing.assert_array_equal(pair_o.preference, estimate_preference(step.losses))
        with self.assertRaisesRegex(ValueError, "expected at least one above 0 to estimate a preference"):
            estimate_preference([0, 0])
        for value in (-0.5, float("nan"), float("inf")):
            with self.assertRaisesRegex(ValueError, rf"losses\[1\]: expected a finite number that is not negative, got {value:g}"):
                estimate_preference([0.5, value])


class Device(unittest.TestCase):
    @unittest.skipUnless(torch.cuda.is_available(), "needs a CUDA device")
    def test_steps_on_a_gpu_are_those_of_the_processor(self):
        losses = []
        for device in ("cpu", "cuda"):
            data = tuple(part.to(device) if isinstance(part, torch.Tensor) else part for part in two_environments())
            model = Network().to(device)
            sgd = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
            pair_o = Pair(sgd, [1, 100, 100], model.head.parameters(), pretrain=3)
            tracked = TrackedMoments(10, 2).to(device)
            losses.append([pair_o.step(losses_of(model, data)).losses for _ in range(10)])
            batch = tracked(Batch(model(data[0]), data[1], data[2]))
            self.assertEqual(vrex(batch).device.type, device)
            epo = EPO([1, 1])
            epo.set_losses(torch.tensor([1.0, 2.0], device=device))
            self.assertEqual(epo(torch.eye(2, device=device)).device.type, device)
        np.testing.assert_allclose(losses[0], losses[1], rtol=1e-3, atol=1e-6)


class Pretraining(unittest.TestCase):
    def test_follows_the_first_loss_with_its_own_optimizer(self):
        data, model, twin = two_environments(), Network(), Network()
        adam, plain = (torch.optim.Adam(one.parameters(), lr=0.01) for one in (model, twin))
        sgd = torch.optim.SGD(model.parameters(), lr=0.1)
        pair_o = Pair(sgd, PREFERENCE, model.head.parameters(), pretrain=3, pretrain_optimizer=adam)
        for _ in range(3):
            self.assertTrue(pair_o.pretraining)
            step = pair_o.step(losses_of(model, data))
            self.assertEqual((step.phase, list(step.weights)), ("pretrain", [1, 0, 0]))
            plain.zero_grad()
            losses_of(twin, data)[0].backward()
            plain.step()
        self.assertTrue(torch.equal(flat(model), flat(twin)))
        self.assertFalse(pair_o.pretraining)
        self.assertIn(pair_o.step(losses_of(model, data)).phase, ("balance", "descent"))


class Guarded(unittest.TestCase):
    def test_a_step_that_raised_its_loss_is_undone_and_shortened(self):
        w = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
        # Far too long: the next losses are larger.
        pair_o = Pair(torch.optim.SGD([w], lr=10.0), [1, 1])

        def losses():
            return [w.square().sum(), (w - 0.1).square().sum()]

        before = w.detach().clone()
        self.assertTrue(pair_o.step(losses()).taken)
        self.assertFalse(torch.equal(w, before))
        undone = pair_o.step(losses())
        self.assertFalse(undone.taken)
        self.assertTrue(torch.equal(w, before))
        self.assertEqual((pair_o.guard.backtracks, pair_o.guard.lr_factor), (1, 0.5))
        for _ in range(60):
            last = pair_o.step(losses())
        self.assertLess(last.losses.sum(), 0.1)
        self.assertEqual(pair_o._balance.optimizer.param_groups[0]["lr"], 10.0)

    def test_without_backtracking_the_step_stands(self):
        w = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
        pair_o = Pair(torch.optim.SGD([w], lr=10.0), [1, 1], backtrack=False)
        for _ in range(2):
            self.assertTrue(pair_o.step([w.square().sum(), (w - 0.1).square().sum()]).taken)

    def test_a_weighted_loss_below_zero_may_stay_as_it_is(self):
        # Weights of pmtl may be negative. Losses that do not change do not show a step that was too long.
        pair_o = Pair(torch.optim.SGD([torch.nn.Parameter(torch.ones(1))], lr=0.1), [1, 1], solver="pmtl")
        pair_o._preference = np.array([1.0, 1.0])
        pair_o._weights, pair_o._losses = np.array([-1.0, 0.5]), np.array([1.0, 1.0])
        self.assertFalse(pair_o._overshot(np.array([1.0, 1.0])))
        self.assertTrue(pair_o._overshot(np.array([0.8, 1.0])))

    def test_momentum_that_opposes_the_gradient_is_dropped(self):
        w = torch.nn.Parameter(torch.tensor([1.0, 1.0]))
        sgd = torch.optim.SGD([w], lr=0.01, momentum=0.9)
        for restart, count in ((True, 1), (False, 0)):
            with torch.no_grad():
                w.fill_(1.0)
            sgd.state.clear()
            pair_o = Pair(sgd, [1, 1], restart=restart, backtrack=False)
            pair_o.step([w.square().sum(), w.square().sum() * 2])
            pair_o.step([(w - 9).square().sum(), (w - 9).square().sum() * 2])
            self.assertEqual(pair_o.guard.restarts, count)

    def test_values_that_are_not_finite_are_never_followed(self):
        model = Network(norm=True)
        data = two_environments()
        sgd = torch.optim.SGD(model.parameters(), lr=0.1, momentum=0.9)
        pair_o = Pair(sgd, [1, 10, 10], model.head.parameters(), buffers=model.buffers(), backtrack=False)
        before = None
        for _ in range(3):
            before = (flat(model), [buffer.clone() for buffer in model.buffers()])
            pair_o.step(losses_of(model, data))
            # The buffers that are kept are those after the forward pass of the last good step.
            before = (before[0], [buffer.clone() for buffer in model.buffers()])
        broken = (data[0] * float("inf"), *data[1:])
        step = pair_o.step(losses_of(model, broken))
        self.assertFalse(step.taken)
        self.assertTrue(torch.equal(flat(model), before[0]))
        for buffer, kept in zip(model.buffers(), before[1]):
            self.assertTrue(torch.equal(buffer, kept))
        self.assertEqual((pair_o.guard.rollbacks, pair_o.guard.halving), (1, 0.5))
        self.assertTrue(pair_o.step(losses_of(model, data)).taken)
        self.assertEqual(pair_o.guard.rollbacks_in_a_row, 0)

    def test_a_gradient_that_is_not_finite_is_refused(self):
        """Finite losses, finite gradients of the head, but not of the body."""
        body, head = torch.nn.Parameter(torch.tensor(0.0)), torch.nn.Parameter(torch.tensor(1.0))
        pair_o = Pair(torch.optim.SGD([body, head], lr=0.1), [1, 1], [head])
        step = pair_o.step([head.square() + body.sqrt(), head.square() * 2])
        self.assertFalse(step.taken)
        self.assertEqual((body.item(), head.item(), pair_o.guard.rollbacks), (0, 1, 1))

    def test_ten_in_a_row_are_the_end(self):
        for pretrain in (0, 100):
            w = torch.nn.Parameter(torch.tensor([1.0]))
            pair_o = Pair(torch.optim.SGD([w], lr=0.1), [1, 1], pretrain=pretrain)
            for _ in range(9):
                self.assertFalse(pair_o.step([(w * float("nan")).sum(), w.square().sum()]).taken)
            with self.assertRaisesRegex(Diverged, "training diverged: 10 steps in a row"):
                pair_o.step([(w * float("nan")).sum(), w.square().sum()])
            self.assertEqual(w.item(), 1.0)


class States(unittest.TestCase):
    def test_a_resumed_run_takes_the_same_steps(self):
        data = two_environments()

        def fresh():
            model = Network()
            adam = torch.optim.Adam(model.parameters(), lr=0.01)
            sgd = torch.optim.SGD(model.parameters(), lr=1.0, momentum=0.9)
            pair_o = Pair(sgd, None, model.head.parameters(), pretrain=5, pretrain_optimizer=adam, solver="epo_smooth")
            return model, adam, sgd, pair_o

        for stop in (3, 5, 12, 13, 14):
            parts = fresh()
            for _ in range(stop):
                parts[3].step(losses_of(parts[0], data))
            saved = copy.deepcopy([part.state_dict() for part in parts])
            resumed = fresh()
            for part, state in zip(resumed, saved):
                part.load_state_dict(state)
            for _ in range(12):
                one, other = parts[3].step(losses_of(parts[0], data)), resumed[3].step(losses_of(resumed[0], data))
                np.testing.assert_array_equal(one.weights, other.weights)
                np.testing.assert_array_equal(one.losses, other.losses)
            self.assertTrue(torch.equal(flat(parts[0]), flat(resumed[0])))
            self.assertEqual(parts[3].guard, resumed[3].guard)

    def test_a_state_of_another_network_is_refused(self):
        data, model = two_environments(), Network()
        pair_o = Pair(torch.optim.SGD(model.parameters(), lr=0.1), [1, 1, 1])
        pair_o.step(losses_of(model, data))
        other = Pair(torch.optim.SGD(model.head.parameters(), lr=0.1), [1, 1, 1])
        with self.assertRaisesRegex(ValueError, "state: expected that of 2 parameters"):
            other.load_state_dict(pair_o.state_dict())


class Refusals(unittest.TestCase):
    def setUp(self):
        self.w = torch.nn.Parameter(torch.tensor([1.0, 2.0]))
        self.unused = torch.nn.Parameter(torch.tensor([1.0]))
        self.sgd = torch.optim.SGD([self.w, self.unused], lr=0.1)

    def refused(self, kind, sentence, losses, **options):
        pair_o = Pair(self.sgd, **{"preference": [1, 1], **options})
        before = self.w.detach().clone()
        with self.assertRaises(kind) as caught:
            pair_o.step(losses)
        self.assertIn(sentence, str(caught.exception))
        self.assertTrue(torch.equal(self.w, before))
        self.assertEqual(pair_o.steps, 0)

    def test_losses(self):
        loss = self.w.square().sum()
        self.refused(ValueError, "losses[1]: expected a finite number that is not negative, got -5", [loss, -loss])
        self.refused(ValueError, "preference: expected 3 values, one per objective, got 2", [loss, loss, loss])
        self.refused(ValueError, "preference: expected 3 values, one per objective, got 2", [loss, loss, loss], pretrain=100)
        self.refused(ValueError, "losses: expected 2 to 64 values, one per objective, got 1", [loss])
        self.refused(ValueError, "losses: expected 2 to 64 values, one per objective, got 0", [])
        self.refused(ValueError, "losses: expected at least one above 0, got only zeros", [loss * 0, loss * 0])
        self.refused(ValueError, "losses[0]: expected a scalar, got shape [2]", [self.w * 1, loss])
        self.refused(TypeError, "losses[1]: expected a scalar tensor with a graph, got float", [loss, 1.0])
        self.refused(TypeError, "losses: expected a list or dict of scalar tensors, got Tensor", loss)

    def test_graphs(self):
        loss = self.w.square().sum()
        self.refused(ValueError, "losses[1]: expected a scalar with a graph, got one that does not require gradients",
                     [loss, loss.detach()])
        used = self.w.square().sum()
        used.backward()
        self.refused(ValueError, "losses[0]: expected a graph that was not used before", [used, used])

    def test_parameters(self):
        loss = self.w.square().sum()
        self.refused(ValueError, "parameters: expected some that the losses depend on, got none", [loss, loss * 2],
                     parameters=[self.unused])
        for parameters, kind, sentence in (
            ([], ValueError, "parameters: expected at least one, got none"),
            ([torch.zeros(1)], ValueError, "parameters[0]: expected a tensor that requires gradients, got one that does not"),
            (["w"], TypeError, "parameters[0]: expected a tensor, got str"),
        ):
            with self.assertRaises(kind) as caught:
                Pair(self.sgd, [1, 1], parameters)
            self.assertIn(sentence, str(caught.exception))

    def test_options(self):
        for options, sentence in (
            ({"solver": "epoo"}, "unknown solver 'epoo'; did you mean 'epo'?"),
            ({"epsilon": -1}, "epsilon: expected a number from 0"),
            ({"epsilo": 1}, "unknown option 'epsilo'"),
            ({"pretrain": -1}, "pretrain: expected an integer of at least 0, got -1"),
            ({"preference": [[1]]}, "preference: expected one value per objective, got shape [1, 1]"),
            ({"preference": [1, -2], "pretrain": 100}, "preference[1]: expected a finite positive number, got -2"),
            ({"preference": [1, float("nan")]}, "preference[1]: expected a finite positive number, got nan"),
        ):
            with self.assertRaises(ValueError) as caught:
                Pair(self.sgd, **options)
            self.assertIn(sentence, str(caught.exception))

    def test_parameters_that_no_loss_uses_have_a_zero_gradient(self):
        pair_o = Pair(self.sgd, [1, 1])
        self.assertTrue(pair_o.step([self.w.square().sum(), (self.w - 1).square().sum()]).taken)
        self.assertEqual(self.unused.item(), 1.0)


class Threads(unittest.TestCase):
    def test_eight_loops_at_the_same_time_give_the_result_of_one(self):
        data = two_environments(100)

        def train():
            torch.set_num_threads(1)
            with lock:  # torch's seed is common to all threads
                model = Network(seed=3)
            pair_o = Pair(torch.optim.SGD(model.parameters(), lr=0.1), PREFERENCE, model.head.parameters())
            for _ in range(20):
                pair_o.step(losses_of(model, data))
            results.append(flat(model))

        lock, results = threading.Lock(), []
        threads = [threading.Thread(target=train) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(results), 8)
        for result in results:
            self.assertTrue(torch.equal(result, results[0]))


if __name__ == "__main__":
    unittest.main()
