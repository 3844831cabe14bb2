#!/usr/bin/env python3
"""Prints loss and parameters after one step of LISA, by its authors' own code, for lisa_test.cpp.

    python3 tests/algorithms/golden/make_lisa.py LISA      (with PyTorch and NumPy; made with 1.13 and 1.24)

LISA is a folder with https://github.com/huaxiuyao/LISA (c857a6b). Its train_lisa, mix_up and rand_bbox run unchanged, on a
small network and four samples whose partners are fixed: the second half of the batch. Random numbers are those that the test
draws, so that both mix the same.
"""

import sys
import types

import numpy as np
import torch
from torch import nn
from torch.nn import functional

import authors_code

# draw_beta(2, random) of lisa_test.cpp: one share per sample, or one for the batch and the middle of the rectangle.
SHARES = [0.67372773765036487, 0.41496174969918354, 0.3713662610248174, 0.64238371947942696]
CUT_SHARE, CUT_MIDDLE = 0.67372773765036487, [2, 9]

ROWS = torch.tensor([[1.0, 0.5], [-0.5, 1.0], [0.8, -0.6], [-1.1, 0.2]])
LABELS = torch.tensor([1, 0, 1, 0])  # of two environments with one sample of each label
PICTURES = torch.sin(0.37 * torch.arange(4 * 2 * 8 * 10).float()).view(4, 2, 8, 10)


class Net(nn.Module):
    """model[0] are the features, model[1] is the head, as in the authors' networks for texts."""

    def __init__(self, inputs):
        super().__init__()
        self.model = nn.Sequential(nn.Sequential(nn.Flatten(), nn.Linear(inputs, 3), nn.Tanh()), nn.Linear(3, 2))
        with torch.no_grad():
            for layer, size in ((self.model[0][1], 0.3), (self.model[1], 0.7)):
                count = layer.weight.numel()
                layer.weight.copy_(size * torch.sin(0.9 * torch.arange(count).float() + 0.4).view_as(layer.weight))
                layer.bias.copy_(0.1 * torch.cos(torch.arange(layer.bias.numel()).float()))

    def forward(self, x):
        return self.model(x)


class Samples:
    """The first half of the batch, and for each of its samples the partner in the second half."""

    def __init__(self, inputs):
        self.inputs = inputs

    def reset_batch(self):
        pass

    def get_sample(self, group, index):
        partner = index + 2
        return self.inputs[partner], LABELS[partner], group


class Loader(list):
    def __init__(self, inputs):
        super().__init__([(inputs[:2].clone(), LABELS[:2], torch.zeros(2), torch.arange(2))])
        self.dataset = Samples(inputs)


def lisa(folder, dataset, inputs, cut_mix):
    shares, middles = list(SHARES), list(CUT_MIDDLE)

    def beta(_a, _b, size=None):
        if size is None:
            return CUT_SHARE
        drawn = np.array(shares[:size[0]]).reshape(size)
        del shares[:size[0]]
        return drawn

    numpy = types.SimpleNamespace(**{name: getattr(np, name) for name in ("sqrt", "clip", "tile")}, int=int)
    numpy.random = types.SimpleNamespace(beta=beta, randint=lambda _size: middles.pop(0))
    net = Net(inputs[0].numel())
    args = types.SimpleNamespace(dataset=dataset, cut_mix=cut_mix, mix_alpha=2, print_loss_iters=1, print_iters=-1)
    scope = {"torch": torch, "np": numpy, "F": functional, "args": args, "device": "cpu", "model": net, "n_class": 2,
             "scheduler": None, "optimiserC": torch.optim.SGD(net.parameters(), lr=0.1)}
    authors_code.functions(folder + "/domain_shifts/mixup.py", ["rand_bbox", "mix_up"], scope)
    train_lisa, = authors_code.functions(folder + "/domain_shifts/main.py", ["train_lisa"], scope)
    told = {"train_loss": [], "train_iters": []}
    train_lisa(Loader(inputs), 0, told)
    return told["train_loss"][0], net


def show(name, loss, net):
    print(name, "loss", f"{loss:.9g}")
    print("  head", [float(f"{x:.9g}") for x in net.model[1].weight.detach().flatten()])
    print("  first row", [float(f"{x:.9g}") for x in net.model[0][1].weight.detach()[0, :4]])


if len(sys.argv) != 2:
    raise SystemExit(__doc__)
show("features", *lisa(sys.argv[1], "civil", ROWS, True))
show("input", *lisa(sys.argv[1], "fmow", ROWS, False))
show("cutmix", *lisa(sys.argv[1], "fmow", PICTURES, True))
