"""Makes domainbed.json: the penalties that DomainBed's own algorithms log on made-up batches.

    python3 make.py DOMAINBED > domainbed.json

DOMAINBED: a checkout of github.com/facebookresearch/DomainBed. Needs PyTorch. The stored file: DomainBed's commit
b93c22a, PyTorch 1.13.1 (Debian). The classes are taken from DomainBed's algorithms.py and lib/misc.py and executed as
they are. The featurizer is the identity, or a layer with tanh for IGA, which takes the gradients of the whole network;
the classifier is a linear layer. The learning rate of algorithms with several steps is 0, so that each step depends on
the state of the algorithm alone.

Fishr takes the gradients of single samples from BackPACK. In its place stand a few lines that ask autograd for them,
one sample at a time.
"""
import collections
import contextlib
import json
import pathlib
import random
import re
import sys

import torch
import torch.autograd as autograd
import torch.nn as nn
import torch.nn.functional as F

domainbed = pathlib.Path(sys.argv[1]) / "domainbed"


def of(file, name):
    """The source of this class or function."""
    source = (domainbed / file).read_text()
    return re.search(rf"^(?:class|def) {name}\b.*?(?=^(?:class|def|@)|\Z)", source, re.S | re.M)[0]


class Algorithm(nn.Module):
    def __init__(self, input_shape, num_classes, num_domains, hparams):
        super().__init__()
        self.hparams = hparams


class Identity(nn.Identity):
    n_outputs = 3


class Layer(nn.Sequential):
    n_outputs = 4

    def __init__(self):
        super().__init__(nn.Linear(3, 4), nn.Tanh())


class networks:
    Featurizer = staticmethod(lambda shape, hparams: hparams["featurizer"]())
    Classifier = staticmethod(lambda inputs, classes, nonlinear: nn.Linear(inputs, classes))


class BackPack:
    """In place of BackPACK: sets grad_batch of the parameters of extended modules."""

    def __init__(self):
        self.parameters = []
        self.losses = None

    def extend(self, module):
        self.parameters += module.parameters()
        if isinstance(module, nn.CrossEntropyLoss):
            module.register_forward_hook(lambda module, inputs, losses: setattr(self, "losses", losses))
        return module

    @contextlib.contextmanager
    def __call__(self, extension):
        yield
        rows = [autograd.grad(loss, self.parameters, create_graph=True) for loss in self.losses]
        for parameter, *gradients in zip(self.parameters, *rows):
            parameter.grad_batch = torch.stack(gradients)


backpack = BackPack()
space = {"torch": torch, "nn": nn, "F": F, "autograd": autograd, "Algorithm": Algorithm, "networks": networks,
         "OrderedDict": collections.OrderedDict, "backpack": backpack, "extend": backpack.extend,
         "BatchGrad": lambda: None}
for name in ("MovingAverage", "l2_between_dicts"):
    exec(of("lib/misc.py", name), space)
for name in ("ERM", "IRM", "VREx", "AbstractMMD", "MMD", "CORAL", "SD", "IB_ERM", "IB_IRM", "Fishr", "GroupDRO", "IGA"):
    exec(of("algorithms.py", name), space)
torch.set_default_dtype(torch.float64)
torch.zeros = lambda *a, zeros=torch.zeros, **k: zeros(*a, **{"dtype": torch.float64, **k})



def drawn(draw, *shape):
    return [drawn(draw, *shape[1:]) for _ in range(shape[0])] if shape else draw.gauss(0, 1)


def made(name, environments, hparams, parameters):
    """The algorithm with these parameters, in the order of its network."""
    backpack.__init__()
    algorithm = space[name]((3,), 3, environments, hparams)
    with torch.no_grad():
        for parameter, value in zip(algorithm.network.parameters(), parameters, strict=True):
            parameter.copy_(torch.tensor(value))
    return algorithm


draw = random.Random(14)
draw_further = random.Random(15)
hparams = {"lr": 1e-3, "weight_decay": 0.0, "nonlinear_classifier": False, "irm_lambda": 1.0, "vrex_lambda": 1.0,
           "irm_penalty_anneal_iters": 100, "vrex_penalty_anneal_iters": 100, "ib_penalty_anneal_iters": 100,
           "ib_lambda": 1.0, "mmd_gamma": 1.0, "sd_reg": 1.0, "featurizer": Identity}
cases = []
for sizes in ((6, 6), (5, 4, 7)):
    weight = [[draw.gauss(0, 1) for _ in range(3)] for _ in range(3)]
    bias = [draw.gauss(0, 1) for _ in range(3)]
    features = [[[draw.gauss(0.3 * e, 1 + 0.2 * e) for _ in range(3)] for _ in range(n)] for e, n in enumerate(sizes)]
    labels = [[draw.randrange(3) for _ in range(n)] for n in sizes]
    batches = [(torch.tensor(f), torch.tensor(y)) for f, y in zip(features, labels)]
    case = {"sizes": sizes, "weight": weight, "bias": bias, "features": features, "labels": labels, "penalties": {}}
    for name in ("IRM", "VREx", "MMD", "CORAL", "SD", "IB_ERM"):
        logged = made(name, len(sizes), hparams, (weight, bias)).update(batches)
        case["penalties"][name] = logged.get("penalty", logged.get("IB_penalty"))

    # Weights other than 1, so that the loss shows which belongs to which penalty. The nll that IB_IRM logs is left out:
    # it adds the penalties to it in place, so that it is the loss.
    case["IB_IRM"] = {"irm_lambda": 3.0, "ib_lambda": 0.7}
    anneal = {"irm_penalty_anneal_iters": 0, "ib_penalty_anneal_iters": 0}
    case["IB_IRM"]["logged"] = made("IB_IRM", len(sizes), {**hparams, **anneal, **case["IB_IRM"]},
                                    (weight, bias)).update(batches)
    del case["IB_IRM"]["logged"]["nll"]

    # Further batches of the same environments.
    steps = [{"features": [drawn(draw_further, n, 3) for n in sizes],
              "labels": [[draw_further.randrange(3) for _ in range(n)] for n in sizes]} for _ in range(4)]
    case["steps"] = steps
    further = [[(torch.tensor(f), torch.tensor(y)) for f, y in zip(step["features"], step["labels"])] for step in steps]
    fishr = made("Fishr", len(sizes), {**hparams, "lr": 0.0, "ema": 0.9, "lambda": 1.0, "penalty_anneal_iters": 100},
                 (weight, bias))
    case["Fishr"] = {"ema": 0.9, "penalties": [fishr.update(step)["penalty"] for step in further]}
    group_dro = made("GroupDRO", len(sizes), {**hparams, "lr": 0.0, "groupdro_eta": 0.8}, (weight, bias))
    case["GroupDRO"] = {"eta": 0.8,
                        "steps": [{**group_dro.update(step), "q": group_dro.q.tolist()} for step in further]}

    # Two layers; the gradient of the objective, mean risk and penalty, in all parameters.
    parameters = [drawn(draw_further, 4, 3), drawn(draw_further, 4), drawn(draw_further, 3, 4), drawn(draw_further, 3)]
    iga = made("IGA", len(sizes), {**hparams, "penalty": 0.3, "featurizer": Layer}, parameters)
    logged = iga.update(batches)
    case["IGA"] = {"parameters": parameters, "weight_of_penalty": 0.3, "logged": logged,
                   "gradients": [p.grad.tolist() for p in iga.network.parameters()]}
    cases.append(case)
print(json.dumps(cases))
