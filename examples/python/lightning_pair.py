"""PAIR-o in Lightning: the mixin takes the steps, the callback logs weights, phase and divergence."""

import lightning
import torch
from reversed_colour import accuracy, environments

from pair.torch import Batch, erm, irmv1, vrex
from pair.torch.lightning import PairMixin, PairMonitor


class Net(PairMixin, lightning.LightningModule):
    pair_options = {"preference": [1, 1e10, 1e12], "pretrain": 100}

    def __init__(self, sizes):
        super().__init__()
        self.sizes = sizes
        self.head = torch.nn.Linear(16, 1)
        self.body = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.ReLU(), self.head)

    def forward(self, inputs):
        return self.body(inputs)

    def pair_parameters(self):
        return self.head.parameters()

    def pair_losses(self, batch, batch_idx):
        inputs, labels = batch
        samples = Batch(self(inputs), labels, self.sizes)
        return {"erm": erm(samples), "irmv1": irmv1(samples), "vrex": vrex(samples)}

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.5, momentum=0.9)


if __name__ == "__main__":
    torch.manual_seed(0)
    inputs, labels, sizes = environments([0.1, 0.2])
    data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(inputs, labels), batch_size=len(labels))
    net = Net(sizes)
    lightning.Trainer(max_epochs=400, callbacks=[PairMonitor(every=50)], accelerator="cpu").fit(net, data)
    print(f"accuracy with reversed colours: {accuracy(net):.2f}")
