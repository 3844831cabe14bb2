"""The same numbers as the C++ side: the trainer on ColoredMNIST, and every objective.

The reference is the program, run here. If it is not built, records that it wrote earlier (data/, made by
'test_agreement.py --store' with PAIR_PROGRAM set) take its place.
"""
import json
import sys
import tempfile
import unittest

import numpy as np

from support import DATA, program, run_program
from support_torch import torch

import pair
from pair.torch import (
    Batch, Fishr, GroupDRO, Pair, clove, coral, erm, fishr, ib, iga, irmv1, mmd, sd, vrex, worst_risk,
)
from pair.torch.models import MLP

OBJECTIVES = ["erm", "irmv1", "vrex", "fishr", "ib", "clove", "iga", "sd", "group_dro", "coral", "mmd", "worst_risk"]
RUNS = {
    # Twenty steps: eight of ERM with Adam, twelve of PAIR-o with momentum and the decay of the learning rate.
    "cmnist_pair": ["--seed", "3", "--steps", "20", "--set", "train_digits=4000", "test_digits=50", "pretrain=8"],
    # No ERM at the beginning, EPO from the first step on.
    "cmnist_balance": ["--seed", "1", "--steps", "20", "--set", "train_digits=2000", "test_digits=50", "pretrain=0",
                       "balance_lr=0.05"],
    # Steps that are too long: the guard undoes some of them and drops momentum.
    "cmnist_guard": ["--seed", "3", "--steps", "20", "--set", "train_digits=1000", "test_digits=50", "pretrain=4",
                     "balance_lr=20"],
    "halves": ["--seed", "6", "--steps", "3", "--set", "objectives=erm,irmv1,fishr", "preference=auto", "pretrain=3",
               "train_digits=101", "test_digits=50", "width=16", "irmv1_unbiased=true", "irmv1_negative=shift",
               "irmv1_constant=0.001", "fishr_mean=true", "fishr_ema=0"],
    "objectives": ["--seed", "5", "--steps", "3", "--set", "objectives=" + ",".join(OBJECTIVES), "preference=auto",
                   "pretrain=3", "train_digits=400", "test_digits=50", "width=16", "clove_batch=64"],
}  # fmt: skip
KEPT = ("step", "losses", "weights", "phase", "divergence", "restarts", "backtracks", "rollbacks")


def reference(name):
    """The records of a run, one per step, and its settings."""
    if program() is None:
        with open(DATA / f"{name}.json") as file:
            stored = json.load(file)
        return stored["records"], stored["hparams"], stored["seed"]
    with tempfile.TemporaryDirectory() as folder:
        run_program("train", "--dataset", "cmnist", "--algorithm", "pair", "--out", f"{folder}/run", *RUNS[name],
                    "eval_every=1")
        with open(f"{folder}/run/results.jsonl") as file:
            records = [json.loads(line) for line in file]
    first = records[0]
    return [{key: record[key] for key in KEPT} for record in records], first["hparams"], first["args"]["seed"]


def data_of(hparams, seed):
    train, _ = pair.colored_mnist(
        seed, train_digits=hparams["train_digits"], test_digits=hparams["test_digits"],
        train_betas=hparams["train_betas"], test_betas=hparams["test_betas"],
    )
    inputs = torch.from_numpy(np.concatenate([environment.inputs for environment in train]))
    labels = torch.from_numpy(np.concatenate([environment.labels for environment in train]))
    return inputs, labels, [len(environment.labels) for environment in train]


class Training(unittest.TestCase):
    def agree(self, name):
        records, hparams, seed = reference(name)
        # Stored records come from another matrix library, whose rounding differs.
        loose = 1.0 if program() else 100.0
        self.assertEqual([record["step"] for record in records][-20:], list(range(1, 21)))
        inputs, labels, sizes = data_of(hparams, seed)
        model = MLP(inputs.shape[1], width=hparams["width"], depth=hparams["depth"], seed=seed)
        adam = torch.optim.Adam(model.parameters(), lr=hparams["lr"], weight_decay=2 * hparams["l2"])
        sgd = torch.optim.SGD(model.parameters(), lr=hparams["balance_lr"], momentum=hparams["momentum"])
        pretrain, steps = hparams["pretrain"], hparams["steps"]
        cosine = torch.optim.lr_scheduler.LambdaLR(
            sgd, lambda taken: 0.5 * (1 + np.cos(np.pi * taken / (steps - pretrain)))
        )
        pair_o = Pair(sgd, hparams["preference"], model.head.parameters(), pretrain=pretrain, pretrain_optimizer=adam)
        for record in records:
            if record["step"] == 0:
                continue
            batch = Batch(model(inputs), labels, sizes)
            step = pair_o.step({"erm": erm(batch), "irmv1": irmv1(batch), "vrex": vrex(batch)})
            if record["phase"] == "balance":
                cosine.step()
            self.assertEqual(pair_o.guard.restarts, record["restarts"], record["step"])
            self.assertEqual(pair_o.guard.backtracks, record["backtracks"], record["step"])
            if step.taken:  # otherwise the record repeats the step before
                for mine, other in ((step.losses, record["losses"]), (step.weights, record["weights"])):
                    expected = [other[name] for name in step.names]
                    np.testing.assert_allclose(mine, expected, rtol=0, atol=loose * 1e-5, err_msg=str(record["step"]))
        return records

    def test_pair_after_erm_takes_the_trainers_steps(self):
        records = self.agree("cmnist_pair")
        self.assertEqual({record["phase"] for record in records}, {"descent", "balance"})
        # The comparison means little unless EPO mixes objectives.
        self.assertTrue(any(0.01 < record["weights"]["irmv1"] < 0.99 for record in records))

    def test_the_guard_undoes_the_steps_that_the_trainer_undoes(self):
        records = self.agree("cmnist_guard")
        self.assertGreater(records[-1]["backtracks"], 2)
        self.assertGreater(records[-1]["restarts"], 0)

    def test_pair_from_the_first_step_takes_the_trainers_steps(self):
        self.agree("cmnist_balance")


class Objectives(unittest.TestCase):
    def test_have_the_programs_values_over_three_steps(self):
        """Three steps, because fishr and group_dro have a state and clove draws."""
        records, hparams, seed = reference("objectives")
        inputs, labels, sizes = data_of(hparams, seed)
        model = MLP(inputs.shape[1], width=hparams["width"], seed=seed)
        adam = torch.optim.Adam(model.parameters(), lr=hparams["lr"], weight_decay=2 * hparams["l2"])
        average, groups, random = Fishr(), GroupDRO(), pair.Random(seed, "objectives")
        compared = 0
        for record in records:
            if record["step"] == 0:
                continue
            features = model.features(inputs)
            batch = Batch(model.head(features), labels, sizes, features=features)
            values = {
                "erm": erm(batch), "irmv1": irmv1(batch), "vrex": vrex(batch), "fishr": average(batch),
                "ib": ib(batch), "clove": clove(batch, size=hparams["clove_batch"], random=random),
                "iga": iga(batch, model.parameters()), "sd": sd(batch), "group_dro": groups(batch),
                "coral": coral(batch), "mmd": mmd(batch), "worst_risk": worst_risk(batch),
            }
            self.assertEqual(sorted(values), sorted(record["losses"]))
            for name, value in values.items():
                np.testing.assert_allclose(value.item(), record["losses"][name], rtol=2e-5, atol=1e-9, err_msg=name)
                compared += 1
            adam.zero_grad()
            values["erm"].backward()
            adam.step()
        self.assertEqual(compared, 3 * len(OBJECTIVES))


    def test_halves_and_means_have_the_programs_values(self):
        records, hparams, seed = reference("halves")
        inputs, labels, sizes = data_of(hparams, seed)
        self.assertNotEqual(sizes[0], sizes[1])
        model = MLP(inputs.shape[1], width=hparams["width"], seed=seed)
        features = model.features(inputs)
        batch = Batch(model.head(features), labels, sizes, features=features)
        [first] = [record for record in records if record["step"] == 1]
        halves = irmv1(batch, unbiased=True, negative="shift", constant=0.001)
        np.testing.assert_allclose(halves.item(), first["losses"]["irmv1"], rtol=2e-5)
        np.testing.assert_allclose(fishr(batch, mean=True).item(), first["losses"]["fishr"], rtol=2e-5)


def store():
    for name in RUNS:
        records, hparams, seed = reference(name)
        with open(DATA / f"{name}.json", "w") as file:
            json.dump({"seed": seed, "hparams": hparams, "records": records}, file, indent=None)
            file.write("\n")


if __name__ == "__main__":
    store() if sys.argv[1:] == ["--store"] else unittest.main()
