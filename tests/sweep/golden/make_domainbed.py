#!/usr/bin/env python3
"""Writes domainbed.json: draws and splits of DomainBed itself, for tests/sweep/domainbed_registry_test.cpp.

    git clone https://github.com/facebookresearch/DomainBed    (the stored file: commit b93c22a)
    PYTHONPATH=DomainBed make_domainbed.py > domainbed.json

Needs numpy and torch (Debian: python3-numpy, python3-torch; the stored file was written with numpy 1.24).
"""
import hashlib
import json
import sys
import types

sys.modules.setdefault("tqdm", types.ModuleType("tqdm"))  # imported by DomainBed, not used here

from domainbed import hparams_registry
from domainbed.lib import misc

ALGORITHMS = ["ERM", "IRM", "VREx", "Fishr", "GroupDRO", "CORAL", "MMD", "DANN", "CDANN", "Mixup", "SD", "IGA",
              "IB_ERM", "IB_IRM"]

hparams = []
for dataset in ["ColoredMNIST", "PACS", "DomainNet"]:
    for algorithm in ALGORITHMS:
        for seed, trial_seed in [(0, 0), (7, 2)]:
            # As in domainbed/scripts/train.py.
            if seed == 0:
                values = hparams_registry.default_hparams(algorithm, dataset)
            else:
                values = hparams_registry.random_hparams(algorithm, dataset, misc.seed_hash(seed, trial_seed))
            values = {name: getattr(value, "item", lambda value=value: value)() for name, value in values.items()}
            hparams.append({"dataset": dataset, "algorithm": algorithm, "seed": seed, "trial_seed": trial_seed,
                            "hparams": values})

splits = []
for count in [10, 2048, 23334]:
    for trial_seed in [0, 2]:
        for env_i in [0, 3]:
            out, in_ = misc.split_dataset(range(count), int(count * 0.2), misc.seed_hash(trial_seed, env_i))
            splits.append({"count": count, "trial_seed": trial_seed, "environment": env_i, "out": out.keys[:20],
                           "in": in_.keys[:20],
                           "sha256": hashlib.sha256(" ".join(map(str, out.keys + in_.keys)).encode()).hexdigest()})

print(json.dumps({"hparams": hparams, "splits": splits}, indent=None, separators=(",", ":")))
