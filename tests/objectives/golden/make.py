"""Makes domainbed.json: the penalties that DomainBed's own algorithms log on made-up batches.

    python3 make.py DOMAINBED > domainbed.json

DOMAINBED: a checkout of github.com/facebookresearch/DomainBed. Needs PyTorch. The classes are taken from DomainBed's
algorithms.py and executed as they are; the featurizer is the identity, the classifier a linear layer.
"""
import json
import pathlib
import random
import re
import sys

import torch
import torch.autograd as autograd
import torch.nn as nn
import torch.nn.functional as F

source = (pathlib.Path(sys.argv[1]) / "domainbed/algorithms.py").read_text()


class Algorithm(nn.Module):
    def __init__(self, input_shape, num_classes, num_domains, hparams):
        super().__init__()
        self.hparams = hparams


class Identity(nn.Identity):
    n_outputs = 3


class networks:
    Featurizer = staticmethod(lambda shape, hparams: Identity())
    Classifier = staticmethod(lambda inputs, classes, nonlinear: nn.Linear(inputs, classes))


space = {"torch": torch, "nn": nn, "F": F, "autograd": autograd, "Algorithm": Algorithm, "networks": networks}
for name in ("ERM", "IRM", "VREx", "AbstractMMD", "MMD", "CORAL", "SD", "IB_ERM"):
    exec(re.search(rf"^class {name}\(.*?(?=^class )", source, re.S | re.M)[0], space)
torch.set_default_dtype(torch.float64)
torch.zeros = lambda *a, zeros=torch.zeros, **k: zeros(*a, **{"dtype": torch.float64, **k})

draw = random.Random(14)
hparams = {"lr": 1e-3, "weight_decay": 0.0, "nonlinear_classifier": False, "irm_lambda": 1.0, "vrex_lambda": 1.0,
           "irm_penalty_anneal_iters": 100, "vrex_penalty_anneal_iters": 100, "ib_penalty_anneal_iters": 100,
           "ib_lambda": 1.0, "mmd_gamma": 1.0, "sd_reg": 1.0}
cases = []
for sizes in ((6, 6), (5, 4, 7)):
    weight = [[draw.gauss(0, 1) for _ in range(3)] for _ in range(3)]
    bias = [draw.gauss(0, 1) for _ in range(3)]
    features = [[[draw.gauss(0.3 * e, 1 + 0.2 * e) for _ in range(3)] for _ in range(n)] for e, n in enumerate(sizes)]
    labels = [[draw.randrange(3) for _ in range(n)] for n in sizes]
    batches = [(torch.tensor(f), torch.tensor(y)) for f, y in zip(features, labels)]
    case = {"sizes": sizes, "weight": weight, "bias": bias, "features": features, "labels": labels, "penalties": {}}
    for name in ("IRM", "VREx", "MMD", "CORAL", "SD", "IB_ERM"):
        algorithm = space[name]((3,), 3, len(sizes), hparams)
        with torch.no_grad():
            algorithm.classifier.weight.copy_(torch.tensor(weight))
            algorithm.classifier.bias.copy_(torch.tensor(bias))
        logged = algorithm.update(batches)
        case["penalties"][name] = logged.get("penalty", logged.get("IB_penalty"))
    cases.append(case)
print(json.dumps(cases))
