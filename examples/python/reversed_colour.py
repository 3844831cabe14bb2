"""Data for the training loops.

The label shows through a shape, which is right three times in four, and through a colour, which is wrong with probability
beta. ERM learns the colour where beta is small; with beta 0.9 the colour misleads.
"""

import torch


def environment(beta, samples=2000):
    """Inputs [samples, 2], shape and colour, -1 or 1 with a little noise; labels [samples], 0 or 1."""
    shape = torch.rand(samples) < 0.5
    label = shape ^ (torch.rand(samples) < 0.25)
    colour = label ^ (torch.rand(samples) < beta)
    inputs = torch.stack([shape, colour], 1).float() * 2 - 1
    return inputs + 0.1 * torch.randn(samples, 2), label.float()


def environments(betas):
    """The samples of several environments, one after another, and their numbers."""
    parts = [environment(beta) for beta in betas]
    return torch.cat([x for x, y in parts]), torch.cat([y for x, y in parts]), [len(y) for x, y in parts]


def accuracy(model, beta=0.9):
    inputs, labels = environment(beta)
    with torch.no_grad():
        return ((model(inputs)[:, 0] > 0) == (labels > 0.5)).float().mean().item()
