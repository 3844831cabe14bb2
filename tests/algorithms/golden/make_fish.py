#!/usr/bin/env python3
"""Prints the loss and the parameters of Fish after some steps, for fish_test.cpp.

    python3 tests/algorithms/golden/make_fish.py [FISH]      (with PyTorch; made with 1.13)

Written by the formulas of YugeTen/fish (333efa2) and DomainBed (b93c22a) on a network of two linear layers and BatchNorm,
with their deep copies of the network and of the optimizer's state. The network starts from fixed values, so that nothing
depends on a generator. With FISH, a folder with https://github.com/YugeTen/fish, the authors' train_fish and fish_step run
unchanged on the same network, and the program fails if their parameters differ from those that it prints.
"""

import collections
import copy
import operator
import sys
import types

import torch
from torch import nn
from torch.nn import functional

import authors_code

# Two environments of four samples with two inputs each.
INPUTS = torch.tensor([[[1.0, 0.5], [-0.5, 1.0], [0.3, -1.2], [-1.0, -0.4]],
                       [[0.8, -0.6], [-1.1, 0.2], [0.4, 0.9], [-0.7, -1.3]]])
LABELS = torch.tensor([[1.0, 0.0, 1.0, 0.0], [1.0, 0.0, 0.0, 1.0]])


def network():
    net = nn.Sequential(nn.Linear(2, 3), nn.BatchNorm1d(3), nn.Tanh(), nn.Linear(3, 1))
    with torch.no_grad():
        net[0].weight.copy_(torch.tensor([[0.5, -0.3], [0.2, 0.8], [-0.6, 0.1]]))
        net[0].bias.copy_(torch.tensor([0.1, -0.2, 0.0]))
        net[3].weight.copy_(torch.tensor([[0.7, -0.5, 0.4]]))
        net[3].bias.copy_(torch.tensor([0.05]))
    net.train()
    return net


def risk(net, e):
    return functional.binary_cross_entropy_with_logits(net(INPUTS[e]).squeeze(1), LABELS[e])


def fish(meta_lr, steps):
    net, inner_state = network(), None
    for _ in range(steps):
        inner = copy.deepcopy(net)
        adam = torch.optim.Adam(inner.parameters(), lr=0.1, weight_decay=0.02)
        if inner_state is not None:
            adam.load_state_dict(inner_state)
        losses = []
        for e in range(2):
            loss = risk(inner, e)
            adam.zero_grad()
            loss.backward()
            adam.step()
            losses.append(loss.item())
        inner_state = adam.state_dict()
        meta, there = net.state_dict(), inner.state_dict()
        net.load_state_dict({name: meta[name] + meta_lr * (there[name] - meta[name]) for name in meta})
    return net, sum(losses) / 2


class Reset(nn.Module):
    """The network as the authors' models: logits of samples, and weights that are set at once."""

    def __init__(self):
        super().__init__()
        self.net = network()

    def forward(self, x):
        return self.net(x).squeeze(1)

    def reset_weights(self, weights):
        self.load_state_dict(copy.deepcopy(weights))


class Batches:
    """Both environments in every step, `steps` times."""

    def __init__(self, steps):
        self.steps = steps

    def reset_batch(self):
        self.batches_left = {0: self.steps + 1, 1: self.steps + 1}

    def get_batch(self, domain):
        return INPUTS[domain], LABELS[domain]


def authors_fish(folder, meta_lr, steps):
    """theta <- theta + meta_lr / 2 (...): the authors divide by the environments of a step."""
    net = Reset()
    args = types.SimpleNamespace(meta_steps=2, stratified=False, reload_inner_optim=True, print_iters=-1, meta_lr=meta_lr,
                                 optimiser_args={"lr": 0.1, "weight_decay": 0.02})
    scope = {"torch": torch, "copy": copy, "OrderedDict": collections.OrderedDict, "model": net, "args": args, "device": "cpu",
             "opt": torch.optim.Adam, "criterion": functional.binary_cross_entropy_with_logits, "Number": (int, float), "operator": operator,
             "sample_domains": lambda *_: torch.arange(2)}
    authors_code.functions(folder + "/src/utils.py", ["ParamDict", "fish_step", "unpack_data"], scope)
    train_fish, = authors_code.functions(folder + "/src/main.py", ["train_fish"], scope)
    train_fish(types.SimpleNamespace(dataset=Batches(steps)), 0, {})
    return net.net


def show(name, net, loss):
    print(name, "loss", f"{loss:.9g}")
    for key, value in net.state_dict().items():
        print(" ", key, [float(f"{x:.9g}") for x in value.double().flatten()])


half, small = fish(0.5, 3), fish(0.05 / 2, 3)
for folder in sys.argv[1:]:
    for (net, _), meta_lr in ((half, 1.0), (small, 0.05)):
        theirs = authors_fish(folder, meta_lr, 3).state_dict()
        for name, value in net.state_dict().items():
            # Counters: ours are rounded once per step, theirs as torch casts.
            if value.is_floating_point() and not torch.allclose(theirs[name], value, rtol=0, atol=1e-7):
                raise SystemExit(f"{name} differs: {theirs[name]} by the authors' code, {value} here")
show("fish meta_lr 0.5, 3 steps", *half)
show("fish meta_lr 0.05 / 2, 3 steps", *small)
