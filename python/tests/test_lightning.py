"""The Lightning mixin and callback.

Lightning itself is tested where it is installed. Elsewhere, a module with the part of its documented interface that the mixin
uses takes its place: optimizers(), manual_backward(), log_dict(), checkpoint hooks, and the optimizer's wrapper.
"""
import copy
import unittest

import numpy as np

from support_torch import torch, two_environments

from pair.torch import Batch, Pair, erm, irmv1, vrex
from pair.torch.lightning import PairMixin, PairMonitor

try:
    from lightning.pytorch import LightningModule, Trainer
except ImportError:
    LightningModule = Trainer = None


class WrappedOptimizer:
    """As LightningOptimizer: step() counts, everything else is the optimizer's."""

    def __init__(self, optimizer):
        self._optimizer = optimizer
        self.steps = 0

    def __getattr__(self, name):
        return getattr(self._optimizer, name)

    def step(self, closure=None):
        self.steps += 1
        return self._optimizer.step(closure)


class LikeLightningModule(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.automatic_optimization = True
        self.logged = {}
        self.backwards = 0
        self._optimizers = None

    def optimizers(self):
        if self._optimizers is None:
            made = self.configure_optimizers()
            self._optimizers = [WrappedOptimizer(one) for one in (made if isinstance(made, list) else [made])]
        return self._optimizers[0] if len(self._optimizers) == 1 else self._optimizers

    def manual_backward(self, loss, *args, **kwargs):
        self.backwards += 1
        loss.backward(*args, **kwargs)

    def log_dict(self, numbers):
        self.logged.update(numbers)

    def on_save_checkpoint(self, checkpoint):
        checkpoint["seen"] = True

    def on_load_checkpoint(self, checkpoint):
        pass


def net_of(base):
    class Net(PairMixin, base):
        pair_options = {"preference": [1, 1e4, 1e6], "pretrain": 2}

        def __init__(self):
            super().__init__()
            torch.manual_seed(0)
            self.body = torch.nn.Linear(2, 8)
            self.head = torch.nn.Linear(8, 1)

        def forward(self, inputs):
            return self.head(torch.relu(self.body(inputs)))

        def pair_parameters(self):
            return self.head.parameters()

        def pair_losses(self, batch, batch_idx):
            inputs, labels = batch
            samples = Batch(self(inputs), labels, [len(labels) // 2] * 2)
            return {"erm": erm(samples), "irmv1": irmv1(samples), "vrex": vrex(samples)}

        def configure_optimizers(self):
            return [torch.optim.Adam(self.parameters(), lr=0.01),
                    torch.optim.SGD(self.parameters(), lr=0.1, momentum=0.9)]

    return Net()


class Mixin(unittest.TestCase):
    def test_takes_the_steps_of_a_plain_loop(self):
        inputs, labels, sizes = two_environments()
        net, twin = net_of(LikeLightningModule), net_of(LikeLightningModule)
        self.assertFalse(net.automatic_optimization)
        adam, sgd = twin.configure_optimizers()
        pair_o = Pair(sgd, [1, 1e4, 1e6], twin.head.parameters(), pretrain=2, pretrain_optimizer=adam)
        for number in range(6):
            net.training_step((inputs, labels), number)
            step = pair_o.step(twin.pair_losses((inputs, labels), number))
            np.testing.assert_array_equal(net.pair_step.weights, step.weights)
        for one, other in zip(net.parameters(), twin.parameters()):
            self.assertTrue(torch.equal(one, other))
        self.assertEqual(net.backwards, 6)
        self.assertEqual([one.steps for one in net.optimizers()], [2, 4])

    def test_a_checkpoint_continues(self):
        inputs, labels, sizes = two_environments()
        net = net_of(LikeLightningModule)
        for number in range(4):
            net.training_step((inputs, labels), number)
        checkpoint = {}
        net.on_save_checkpoint(checkpoint)
        self.assertTrue(checkpoint["seen"])
        resumed = net_of(LikeLightningModule)
        resumed.load_state_dict(net.state_dict())
        resumed.on_load_checkpoint(checkpoint)
        for one, other in zip(resumed.optimizers(), net.optimizers()):
            # A checkpoint on disk is a copy; torch 2 would share the momentum between the two optimizers.
            one.load_state_dict(copy.deepcopy(other.state_dict()))
        for number in range(4, 7):
            for module in (net, resumed):
                module.training_step((inputs, labels), number)
            np.testing.assert_array_equal(net.pair_step.losses, resumed.pair_step.losses)

    def test_monitor_logs(self):
        inputs, labels, sizes = two_environments()
        net, monitor = net_of(LikeLightningModule), PairMonitor(every=2)
        monitor.on_train_batch_end(None, net, None, None, 0)
        self.assertEqual(net.logged, {})
        for number in range(5):
            net.training_step((inputs, labels), number)
            monitor.on_train_batch_end(None, net, None, (inputs, labels), number)
        for key in ("pair/weight/erm", "pair/loss/vrex", "pair/balancing", "pair/divergence", "pair/restarts", "pair/lr_factor"):
            self.assertIn(key, net.logged)
        self.assertEqual(net.logged["pair/loss/erm"], net.pair_step.losses[0])
        with self.assertRaisesRegex(ValueError, "every: expected an integer of at least 1, got 0"):
            PairMonitor(0)

    def test_more_than_two_optimizers_are_refused(self):
        net = net_of(LikeLightningModule)
        net.configure_optimizers = lambda: [torch.optim.SGD(net.parameters(), lr=1.0)] * 3
        with self.assertRaisesRegex(ValueError, "configure_optimizers: expected one or two optimizers, got 3"):
            net.pair

    def test_in_lightning_itself(self):
        if LightningModule is None:
            self.skipTest("Lightning is not installed")
        inputs, labels, sizes = two_environments()
        net = net_of(LightningModule)
        data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(inputs, labels), batch_size=len(labels))
        trainer = Trainer(max_epochs=5, callbacks=[PairMonitor()], logger=False, enable_checkpointing=False,
                          enable_progress_bar=False, accelerator="cpu")
        trainer.fit(net, data)
        self.assertEqual(net.pair.steps, 5)
        self.assertIn("pair/divergence", trainer.callback_metrics)


if __name__ == "__main__":
    unittest.main()
