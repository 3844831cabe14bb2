"""Makes release.json: training by the paper's public release on a small problem, with a fixed penalty and by PAIR-o.

    python3 make_release.py RELEASE > release.json

RELEASE: a checkout of github.com/LFhase/PAIR. Needs PyTorch, NumPy and SciPy. The stored file: the release's commit
a9a434b, PyTorch 1.13.1, NumPy 1.24 and SciPy 1.10 (Debian).

The training functions are taken from ColoredMNIST/train.py and pair_alg.py, the optimizer from pair.py, the network from
models.py and the losses from utils.py. They are executed as they are, in double precision, on the CPU: Tensor.cuda
returns the tensor itself, and Tensor.float one of doubles. The learning rate and other numbers that the training
functions need are the defaults of run_exp.py. "penalties" and PAIR-o's "losses" are those that the functions log, of the
parameters before each step.

PAIR-o: the commercial solver of its linear programs is replaced by tests/moo/data/cvxpy_by_highs.py. "weights" has the
solver's weights by step after pretraining.

Fishr takes the gradients of single samples from BackPACK. In its place is a class with what the release uses of it: the
gradients of a linear layer. With BackPACK 1.3.0 itself, the release's results were the same in every digit.

CLOvE draws its samples with numpy.random.shuffle, which is replaced: each step has the rows of CLOVE_ROWS. These are
the rows that train::Minibatches draws for seed 0, so some occur twice. The release alone would draw without
replacement.

The release's L2 term for Fishr leaves out the head. "fishr" has no L2 term. For "fishr_l2", Adam adds the term of the
head to the gradient before each step. "fishr_l2_of_release" is the release without that.
"""
import collections
import contextlib
import functools
import json
import pathlib
import random
import re
import sys
import traceback
import types
import unittest.mock

import numpy as np
import torch
import torch.nn.functional as F
from torch import autograd, nn, optim
from torch.optim.optimizer import required

TESTS = pathlib.Path(__file__).parents[2]
sys.path[:0] = [str(TESTS / "algorithms" / "golden"), str(TESTS / "moo" / "data")]
import authors_code  # noqa: E402
import cvxpy_by_highs  # noqa: E402

METHODS = ["erm", "vrex", "irm", "iga", "sd", "fishr", "clove"]
STEPS = 12
PRETRAIN = 4
PENALTY = 100
PAIR_STEPS = 40
PAIR_RATE = 0.1  # PAIR-o's learning rate after pretraining
INPUTS = 4
WIDTH = 6
SAMPLES = 24  # of each environment
# By step and environment.
CLOVE_ROWS = [
    [[12, 5, 7, 22, 5, 11, 0, 10, 16, 12, 7, 10], [11, 15, 20, 3, 2, 23, 19, 6, 6, 22, 2, 9]],
    [[13, 19, 1, 2, 12, 6, 21, 22, 3, 21, 22, 20], [21, 16, 19, 22, 12, 20, 11, 18, 22, 14, 3, 10]],
    [[10, 5, 19, 6, 14, 12, 19, 3, 2, 8, 13, 23], [15, 6, 14, 7, 16, 2, 2, 23, 11, 23, 23, 17]],
    [[10, 4, 23, 18, 18, 9, 3, 12, 16, 7, 15, 7], [11, 4, 7, 22, 17, 20, 21, 2, 7, 20, 19, 2]],
    [[3, 6, 15, 0, 4, 7, 14, 10, 11, 23, 6, 11], [15, 9, 3, 20, 5, 17, 3, 5, 5, 13, 13, 22]],
    [[2, 0, 20, 6, 20, 0, 18, 23, 12, 2, 1, 1], [11, 17, 2, 19, 9, 1, 5, 11, 18, 14, 22, 9]],
    [[4, 1, 5, 22, 13, 16, 15, 17, 21, 13, 22, 18], [9, 20, 9, 3, 22, 1, 14, 10, 21, 8, 13, 18]],
    [[4, 5, 2, 13, 10, 7, 14, 16, 12, 8, 6, 15], [7, 7, 21, 8, 15, 10, 14, 9, 0, 23, 12, 1]],
    [[22, 14, 11, 0, 22, 5, 4, 19, 12, 11, 21, 4], [17, 16, 16, 9, 1, 6, 9, 18, 17, 0, 4, 17]],
    [[20, 4, 6, 7, 21, 13, 7, 19, 12, 6, 14, 20], [18, 0, 13, 1, 4, 15, 6, 21, 17, 3, 21, 7]],
    [[0, 18, 10, 11, 2, 19, 11, 6, 9, 13, 18, 13], [22, 8, 5, 6, 2, 5, 19, 12, 5, 11, 0, 1]],
    [[9, 2, 5, 15, 7, 14, 16, 3, 9, 16, 2, 0], [3, 18, 11, 14, 20, 20, 19, 22, 10, 22, 13, 8]],
]


class BackPack:
    """In place of BackPACK: within its context, a backward pass sets grad_batch of the extended layers' parameters."""

    def __init__(self):
        self.active = False

    def extend(self, module):
        if isinstance(module, nn.Linear):
            module.register_forward_hook(self.watch)
        return module

    def watch(self, layer, inputs, outputs):
        def set_gradients(gradient):
            if self.active:
                layer.weight.grad_batch = gradient.unsqueeze(2) * inputs[0].unsqueeze(1)
                layer.bias.grad_batch = gradient
        if outputs.requires_grad:
            outputs.register_hook(set_gradients)

    @contextlib.contextmanager
    def __call__(self, extension):
        self.active = True
        yield
        self.active = False


class AdamWithTheHead(optim.Adam):
    """Adds the L2 term of the head, the last two parameters, which the release's Fishr leaves out."""

    def __init__(self, parameters, lr, l2):
        super().__init__(parameters, lr=lr)
        self.l2 = l2
        self.steps = 0

    def step(self):
        factor = self.l2 / (1 if self.steps < PRETRAIN else PENALTY)
        for parameter in self.param_groups[0]["params"][-2:]:
            parameter.grad += 2 * factor * parameter.detach()
        self.steps += 1
        super().step()


def rounded(value):
    """The nearest number that is also exact in single precision."""
    return round(value * 1024) / 1024


def environment(draw, beta):
    """A cause of the label, with noise in the label, and an effect of it; the rest is noise."""
    inputs, labels = [], []
    for _ in range(SAMPLES):
        shape = draw.random() < 0.5
        label = shape != (draw.random() < 0.25)
        colour = label != (draw.random() < beta)
        means = [1 if shape else -1, 1 if colour else -1] + [0] * (INPUTS - 2)
        inputs.append([rounded(draw.gauss(mean, 0.5)) for mean in means])
        labels.append(int(label))
    return {"inputs": inputs, "labels": labels}


def defaults(run_exp):
    """The defaults of the release's command line, by name."""
    found = re.findall(r"add_argument\('--(\w+)'.*?default=([\d.]+)\)", run_exp.read_text())
    return {name: float(value) for name, value in found}


class Release:
    """The release's code, and the problem that it is run on."""

    def __init__(self, folder):
        backpack = BackPack()
        self.scope = {"torch": torch, "np": np, "F": F, "nn": nn, "autograd": autograd,
                      "OrderedDict": collections.OrderedDict, "backpack": backpack, "extend": backpack.extend,
                      "BatchGrad": lambda: None, "optim": types.SimpleNamespace(Adam=optim.Adam)}
        authors_code.functions(folder / "utils.py", ["pretty_print", "mean_nll", "mean_accuracy", "validation"],
                               self.scope)
        authors_code.functions(folder / "models.py", ["Net", "MLP", "TopMLP"], self.scope)
        authors_code.functions(folder / "train.py", ["IGA_penalty", "IRM_penalty"] + [f"{m}_train" for m in METHODS],
                               self.scope)
        self.scope |= {"traceback": traceback, "Variable": autograd.Variable, "Optimizer": optim.Optimizer,
                       "required": required, "cp": cvxpy_by_highs.module}
        authors_code.functions(folder / "pair.py", ["PAIR", "EPO"], self.scope)
        self.folder = folder
        self.defaults = defaults(folder / "run_exp.py")
        draw = random.Random(19)
        self.environments = [environment(draw, beta) for beta in (0.1, 0.3)]
        self.parameters = [[rounded(draw.uniform(-0.9, 0.9)) for _ in range(parameter.numel())]
                           for parameter in self.network(False)[0]]

    def network(self, fishr):
        """All parameters, and the network's two parts."""
        mlp = self.scope["MLP"](hidden_dim=WIDTH, input_dim=INPUTS)
        head = self.scope["TopMLP"](hidden_dim=WIDTH, fishr=fishr)
        return [*mlp.parameters(), *head.parameters()], mlp, head

    def start(self, fishr=False):
        """The network with the parameters to start from, and the environments."""
        parameters, mlp, head = self.network(fishr)
        with torch.no_grad():
            for parameter, values in zip(parameters, self.parameters, strict=True):
                parameter.copy_(torch.tensor(values).view_as(parameter))
        environments = [{"images": torch.tensor(one["inputs"]),
                         "labels": torch.tensor(one["labels"]).double().view(-1, 1)}
                        for one in self.environments]
        return parameters, mlp, head, environments

    def train_pair(self):
        """PAIR-o, with the options of the release's example command."""
        parameters, mlp, head, environments = self.start()
        weights = []

        class Watched(self.scope["PAIR"]):
            def step(self):
                answer = super().step()
                weights.append(answer[3].tolist())
                return answer

        scope = self.scope | {"PAIR": Watched}
        authors_code.functions(self.folder / "pair_alg.py", ["IRM_penalty_pair", "pair_train"], scope)
        scope["optim"] = optim
        hparams = {"opt": "pair", "opt_verbose": False, "opt_coe": 0}
        with contextlib.redirect_stdout(sys.stderr):
            _, log = scope["pair_train"](
                mlp, head, PAIR_STEPS, environments, environments, scope["mean_nll"], PRETRAIN, PENALTY,
                self.defaults["anneal_val"], PAIR_RATE, self.defaults["l2_regularizer_weight"], eval_steps=1,
                verbose=False, hparams=hparams)
        return {"steps": PAIR_STEPS, "pretrain": PRETRAIN, "lr": PAIR_RATE, "losses": [line[3].tolist() for line in log],
                "weights": weights,
                "parameters": [parameter.detach().flatten().tolist() for parameter in parameters]}

    def train(self, method, pretrain=PRETRAIN, l2=None, adam=optim.Adam):
        parameters, mlp, head, environments = self.start(fishr=method == "fishr")
        l2 = self.defaults["l2_regularizer_weight"] if l2 is None else l2
        self.scope["optim"].Adam = adam
        batch = len(CLOVE_ROWS[0][0])
        hparams = {name: self.defaults[name] for name in ("lr_s2_decay", "kernel_scale")} | {"batch_size": batch}
        rows = iter([rows for step in CLOVE_ROWS for rows in step])

        def shuffle(order):
            order[-batch:] = next(rows)  # the release's step is on the last batch of an epoch

        with unittest.mock.patch("numpy.random.shuffle", shuffle), contextlib.redirect_stdout(sys.stderr):
            _, log = self.scope[f"{method}_train"](
                mlp, head, STEPS, environments, environments, self.scope["mean_nll"], pretrain, PENALTY,
                self.defaults["anneal_val"], self.defaults["lr"], l2, eval_steps=1, verbose=False,
                **({} if method == "vrex" else {"hparams": hparams}))
        return {"pretrain": pretrain, "l2": l2, "penalties": [float(line[3]) for line in log],
                "parameters": [parameter.detach().flatten().tolist() for parameter in parameters]}


def main(folder):
    torch.set_default_dtype(torch.float64)
    torch.Tensor.cuda = lambda tensor: tensor
    torch.Tensor.float = lambda tensor: tensor.double()
    release = Release(pathlib.Path(folder) / "ColoredMNIST")
    cases = {method: release.train(method) for method in METHODS}
    cases["sd_at_once"] = release.train("sd", pretrain=0)
    cases["fishr"] = release.train("fishr", l2=0)
    cases["fishr_l2_of_release"] = release.train("fishr")
    with_the_head = functools.partial(AdamWithTheHead, l2=release.defaults["l2_regularizer_weight"])
    cases["fishr_l2"] = release.train("fishr", adam=with_the_head)
    cases["pair"] = release.train_pair()
    print(json.dumps({"steps": STEPS, "penalty": PENALTY, "width": WIDTH, "lr": release.defaults["lr"],
                      "environments": release.environments, "parameters": release.parameters,
                      "clove_rows": CLOVE_ROWS, "cases": cases}))


if __name__ == "__main__":
    main(sys.argv[1])
