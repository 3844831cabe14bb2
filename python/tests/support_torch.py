"""Imported first by the tests that need torch: they are skipped where it is missing."""
import importlib
import os
import sys
import types
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


def torchjd():
    """torchjd.aggregation: installed, or from the folder PAIR_TORCHJD without the packages of its own solvers; else None."""
    folder = os.environ.get("PAIR_TORCHJD", "")
    if folder and folder not in sys.path:
        sys.path.insert(0, folder)
        for name in ("quadprog", "qpsolvers"):
            try:
                importlib.import_module(name)
            except ImportError:
                sys.modules[name] = types.ModuleType(name)
                sys.modules[name].solve_qp = None
    try:
        library = importlib.import_module("torchjd.aggregation")
    except Exception:  # not installed, or made for a later torch
        return None
    if not hasattr(library, "GramianWeightedAggregator"):  # public in later versions
        library.GramianWeightedAggregator = importlib.import_module(
            "torchjd.aggregation._aggregator_bases"
        ).GramianWeightedAggregator
    return library
