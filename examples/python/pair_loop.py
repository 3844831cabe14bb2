"""The training loop of erm_loop.py with PAIR-o: ERM, IRMv1 and V-REx, weighed at every step."""

import torch
from reversed_colour import accuracy, environments

from pair.torch import Batch, Pair, erm, irmv1, vrex

torch.manual_seed(0)
inputs, labels, sizes = environments([0.1, 0.2])
head = torch.nn.Linear(16, 1)
model = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.ReLU(), head)
sgd = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)
pair_o = Pair(sgd, [1, 1e10, 1e12], head.parameters(), pretrain=100)

for step in range(400):
    logits = model(inputs)
    batch = Batch(logits, labels, sizes)
    pair_o.step([erm(batch), irmv1(batch), vrex(batch)])

print(f"accuracy with reversed colours: {accuracy(model):.2f}")
