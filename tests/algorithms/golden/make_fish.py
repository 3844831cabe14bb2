#!/usr/bin/env python3
"""Prints the loss and the parameters of Fish after some steps, for fish_test.cpp.

    python3 tests/algorithms/golden/make_fish.py      (with PyTorch; made with 1.13)

Written by the formulas of YugeTen/fish (333efa2) and DomainBed (b93c22a) on a network of two linear layers and BatchNorm,
with their deep copies of the network and of the optimizer's state. The network starts from fixed values, so that nothing
depends on a generator.
"""

import copy

import torch
from torch import nn
from torch.nn import functional

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


def show(name, net, loss):
    print(name, "loss", f"{loss:.9g}")
    for key, value in net.state_dict().items():
        print(" ", key, [float(f"{x:.9g}") for x in value.double().flatten()])


show("fish meta_lr 0.5, 3 steps", *fish(0.5, 3))
show("fish meta_lr 0.05 / 2, 3 steps", *fish(0.05 / 2, 3))
