#!/usr/bin/env python3
"""Prints the draws of NumPy's RandomState that tests/data/numpy_random_test.cpp expects. Needs numpy."""
import hashlib

import numpy as np


def seed_hash(*args):
    return int(hashlib.md5(str(args).encode("utf-8")).hexdigest(), 16) % (2 ** 31)


for seed in [0, 1, 4294967295, [1], [1, 2, 3], list(range(700))]:
    r = np.random.RandomState(seed)
    words = [int(r.randint(0, 2 ** 32, dtype=np.uint32)) for _ in range(3)]
    for _ in range(700):
        r.randint(0, 2 ** 32, dtype=np.uint32)
    words.append(int(r.randint(0, 2 ** 32, dtype=np.uint32)))
    print("words", seed if not isinstance(seed, list) else seed[:3], words)
r = np.random.RandomState(7)
print("uniform", [repr(r.uniform()) for _ in range(3)], [repr(r.uniform(-4.5, -2.5)) for _ in range(3)])
r = np.random.RandomState(7)
print("randint", [int(r.randint(10)) for _ in range(6)], [int(r.randint(-5, 10 ** 12)) for _ in range(3)])
r = np.random.RandomState(7)
print("choice", [int(r.choice([0, 1, 2])) for _ in range(8)])
print("permutation", np.random.RandomState(7).permutation(10).tolist())
keys = list(range(10))
np.random.RandomState(7).shuffle(keys)
print("shuffle", keys)
keys = list(range(70000))
np.random.RandomState(seed_hash(0, 0)).shuffle(keys)
print("shuffle 70000", keys[:5], keys[-5:], hashlib.md5(str(keys).encode()).hexdigest())
print("seed_hash", seed_hash(0, 0), seed_hash(3, 2), seed_hash(seed_hash(3, 2), "lr"), seed_hash(123456789012, 1))
