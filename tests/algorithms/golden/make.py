"""Makes the losses in domainbed.json: those of DomainBed's own DANN, CDANN and Mixup.

    python3 make.py DOMAINBED INPUTS

DOMAINBED: a checkout of github.com/facebookresearch/DomainBed; INPUTS: the file that the test
DISABLED_WritesTheInputsOfMakePy of domainbed_reference_test.cpp writes (data, the parameters before the first update,
Mixup's shares). Needs PyTorch and NumPy. The stored file: DomainBed's commit b93c22a, PyTorch 1.13.1 and NumPy 1.24
(Debian). The classes are taken from DomainBed's files and executed as they are; only the featurizer is replaced by the
network of the test.
"""
import json
import pathlib
import re
import sys

import numpy as np
import torch
import torch.autograd as autograd
import torch.nn as nn
import torch.nn.functional as F

domainbed = pathlib.Path(sys.argv[1]) / "domainbed"
case = json.loads(pathlib.Path(sys.argv[2]).read_text())


class Algorithm(nn.Module):
    def __init__(self, input_shape, num_classes, num_domains, hparams):
        super().__init__()
        self.hparams = hparams


def of(file, *names):
    """The source of these classes or functions."""
    source = (domainbed / file).read_text()
    return "\n".join(re.search(rf"^(?:class|def) {name}\b.*?(?=^(?:class|def|@)|\Z)", source, re.S | re.M)[0]
                     for name in names)


def tensor(values, dtype=torch.float64):
    return torch.tensor(values, dtype=dtype)


def fill(parameters, values):
    parameters = list(parameters)
    assert len(parameters) == len(values)
    with torch.no_grad():
        for parameter, value in zip(parameters, values):
            parameter.copy_(tensor(value).view_as(parameter))


class networks:
    pass


def featurizer(*_):
    layers = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 8), nn.ReLU())
    layers.n_outputs = 8
    return layers


space = {"torch": torch, "nn": nn, "F": F, "np": np, "autograd": autograd, "Algorithm": Algorithm, "networks": networks}
exec(of("networks.py", "MLP"), space)
networks.Featurizer = featurizer
networks.Classifier = lambda inputs, classes, nonlinear: nn.Linear(inputs, classes)
networks.MLP = space["MLP"]
exec(of("lib/misc.py", "random_pairs_of_minibatches"), space)
exec(of("algorithms.py", "AbstractDANN", "DANN", "CDANN", "ERM", "Mixup"), space)
torch.set_default_dtype(torch.float64)
batches = [(tensor(e["inputs"]), tensor(e["labels"], torch.int64)) for e in case["environments"]]
hparams = dict(case["hparams"], nonlinear_classifier=False, weight_decay_g=0.0, weight_decay_d=0.0, weight_decay=0.0)

for name in ("DANN", "CDANN"):
    algorithm = space[name]((4,), 2, 2, hparams)
    fill(list(algorithm.featurizer.parameters()) + list(algorithm.classifier.parameters()), case["model"])
    adversary = list(algorithm.discriminator.parameters())
    if name == "CDANN":
        adversary.append(algorithm.class_embeddings.weight)
    fill(adversary, case[name]["adversary"])
    case[name]["losses"] = [algorithm.update(batches) for _ in range(6)]

mixup = space["Mixup"]((4,), 2, 2, hparams)
fill(mixup.network.parameters(), case["model"])
shares = iter(case["Mixup"]["shares"])
space["np"].random.beta = lambda a, b: next(shares)
orders = iter(case["Mixup"]["orders"])
torch.randperm = lambda n: torch.tensor(next(orders))
case["Mixup"]["losses"] = [mixup.update(batches)["loss"] for _ in range(4)]
print(json.dumps(case))
