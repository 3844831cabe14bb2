"""A plain PyTorch training loop. docs/python.md shows the lines that turn it into PAIR-o: pair_loop.py."""

import torch
from reversed_colour import accuracy, environments

torch.manual_seed(0)
inputs, labels, sizes = environments([0.1, 0.2])
head = torch.nn.Linear(16, 1)
model = torch.nn.Sequential(torch.nn.Linear(2, 16), torch.nn.ReLU(), head)
sgd = torch.optim.SGD(model.parameters(), lr=0.5, momentum=0.9)

for step in range(400):
    logits = model(inputs)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(logits[:, 0], labels)
    sgd.zero_grad()
    loss.backward()
    sgd.step()

print(f"accuracy with reversed colours: {accuracy(model):.2f}")
