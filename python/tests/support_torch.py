"""Imported first by the tests that need torch: they are skipped where it is missing."""
import unittest

try:
    import torch
except ImportError as error:
    raise unittest.SkipTest(f"torch is not installed ({error}); on Debian it is in python3-torch")

torch.set_num_threads(1)


def two_environments(samples=400, seed=0):
    """Inputs [2 samples, 2] (shape, colour), labels, sizes: ERM follows the colour, which is wrong elsewhere."""
    generator = torch.Generator().manual_seed(seed)

    def flips(probability):
        return torch.rand(samples, generator=generator) < probability

    inputs, labels = [], []
    for beta in (0.1, 0.2):
        shape = flips(0.5)
        label = shape ^ flips(0.25)
        colour = label ^ flips(beta)
        seen = torch.stack([shape, colour], 1).float() * 2 - 1
        inputs.append(seen + 0.1 * torch.randn(samples, 2, generator=generator))
        labels.append(label.float())
    return torch.cat(inputs), torch.cat(labels), [samples, samples]
