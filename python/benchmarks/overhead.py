#!/usr/bin/env python3
"""Measures what Python adds: to a solve, to many solves at once, and to a training step.

  PYTHONPATH=build/release/python python/benchmarks/overhead.py [--json]

Each number is the smallest of several repetitions, in processor time (of the thread for solves, of the process for steps),
which other processes on the machine disturb less than the time that passes. The target is on the right; the exit status is 1 if one is missed.
EPO through a general solver is measured with cvxpy (GLPK) where it is installed; otherwise with cvxopt's GLPK, the
interface that cvxpy calls, and with scipy's HiGHS, without cvxpy's own work.
"""
import argparse
import json
import sys
import time

import numpy as np

import pair


def fastest(work, repeat=1, clock=time.thread_time):
    """Seconds of the fastest repetition."""
    best = float("inf")
    for _ in range(repeat):
        start = clock()
        work()
        best = min(best, clock() - start)
    return best


def problems(count, m=3):
    """Like those of training: three losses and gradients over several orders of magnitude."""
    random = np.random.RandomState(0)
    gradients = random.randn(count, m, 20) * 10.0 ** random.uniform(-3, 0, (count, m, 1))
    return 10.0 ** random.uniform(-4, 0, (count, m)), gradients @ gradients.transpose(0, 2, 1), np.array([1, 1e4, 1e6])


def solves():
    losses, grams, preference = problems(10_000)
    solver = pair.Solver("epo")
    few = 100  # short, so that another process interrupts few of the repetitions
    rows = list(zip(losses[:few], grams[:few]))
    by_call, alone_few = float("inf"), float("inf")
    for _ in range(500):
        alone_few = min(alone_few, fastest(lambda: solver._solve_only(losses[:few], grams[:few], preference)))
        by_call = min(by_call, fastest(lambda: [pair.weigh(l, g, preference) for l, g in rows]))
    by_batch, alone = float("inf"), float("inf")
    for _ in range(15):
        alone = min(alone, fastest(lambda: solver._solve_only(losses, grams, preference)))
        by_batch = min(by_batch, fastest(lambda: pair.weigh_batch(losses, grams, preference, solver)))
    yield "C++ solve, m = 3", alone_few / few * 1e6, "us", None
    yield "pair.weigh beyond it, per call", (by_call - alone_few) / few * 1e6, "us", 5.0
    yield "pair.weigh_batch over C++, 10,000 problems", by_batch / alone, "times", 1.2
    for name, weigh in general_solvers():
        seconds = fastest(lambda: [weigh(l, g, preference) for l, g in rows[:20]], 20) / 20
        least = 100.0 if name.startswith("cvxpy") else None
        yield f"{name} over pair.weigh, per call", seconds / (by_call / few), "times slower", least


def epo_program(losses, gram, preference, epsilon=1e-4):
    """Maximise objective . w over the simplex with rows @ w >= bounds: docs/solvers/epo.md."""
    m = len(losses)
    scaled = preference * losses
    shares = scaled / scaled.sum()
    divergence = float((shares * np.log(m * shares)).sum())
    conflict = gram @ (preference / preference.sum() * (np.log(m * shares) - divergence))
    if divergence <= epsilon:
        return gram.sum(0), np.vstack([gram, conflict]), np.append(np.zeros(m), min(0.0, conflict.max()))
    worst = scaled == scaled.max()
    kept = worst | (conflict <= 0)
    return conflict, gram[kept], np.where(worst, 0.0, conflict)[kept]


def general_solvers():
    try:
        import cvxpy

        def by_cvxpy(losses, gram, preference):
            objective, rows, bounds = epo_program(losses, gram, preference)
            w = cvxpy.Variable(len(losses))
            cvxpy.Problem(cvxpy.Maximize(objective @ w), [w >= 0, cvxpy.sum(w) == 1, rows @ w >= bounds]).solve(
                solver=cvxpy.GLPK
            )
            return w.value

        yield "cvxpy with GLPK", by_cvxpy
    except ImportError:
        pass
    try:
        import cvxopt
        import cvxopt.glpk

        cvxopt.glpk.options["msg_lev"] = "GLP_MSG_OFF"

        def by_cvxopt(losses, gram, preference):
            objective, rows, bounds = epo_program(losses, gram, preference)
            m = len(losses)
            return cvxopt.glpk.lp(
                cvxopt.matrix(-objective), cvxopt.matrix(np.vstack([-rows, -np.eye(m)])),
                cvxopt.matrix(np.append(-bounds, np.zeros(m))), cvxopt.matrix(np.ones((1, m))), cvxopt.matrix(1.0),
            )[1]  # fmt: skip

        yield "cvxopt's GLPK", by_cvxopt
    except ImportError:
        pass
    try:
        from scipy.optimize import linprog

        def by_scipy(losses, gram, preference):
            objective, rows, bounds = epo_program(losses, gram, preference)
            return linprog(-objective, -rows, -bounds, np.ones((1, len(losses))), [1.0], method="highs").x

        yield "scipy's HiGHS", by_scipy
    except ImportError:
        pass


def steps():
    """A step of Pair and a plain step of the same network, in turns, on all 50,000 digits of ColoredMNIST."""
    try:
        import torch
    except ImportError:
        return
    from pair.torch import Batch, Pair, erm, irmv1, vrex
    from pair.torch.models import MLP

    train, _ = pair.colored_mnist(0, test_digits=1)
    inputs = torch.from_numpy(np.concatenate([environment.inputs for environment in train]))
    labels = torch.from_numpy(np.concatenate([environment.labels for environment in train]))
    sizes = [len(environment.labels) for environment in train]
    plain, weighed = MLP(392, seed=0), MLP(392, seed=0)
    sgd = torch.optim.SGD(plain.parameters(), lr=0.01, momentum=0.9)
    pair_o = Pair(torch.optim.SGD(weighed.parameters(), lr=0.01, momentum=0.9), [1, 1e10, 1e12], weighed.head.parameters(),
                  backtrack=False)  # fmt: skip

    def plain_step():
        loss = torch.nn.functional.binary_cross_entropy_with_logits(plain(inputs)[:, 0], labels)
        sgd.zero_grad()
        loss.backward()
        sgd.step()

    def weighed_step():
        batch = Batch(weighed(inputs), labels, sizes)
        pair_o.step([erm(batch), irmv1(batch), vrex(batch)])

    wall, processor = [float("inf")] * 2, [float("inf")] * 2
    for _ in range(12):
        for i, work in enumerate((plain_step, weighed_step)):
            start = time.process_time()
            wall[i] = min(wall[i], fastest(work, clock=time.perf_counter))
            processor[i] = min(processor[i], time.process_time() - start)
    yield f"plain step of ColoredMNIST, torch {torch.__version__}", wall[0] * 1e3, "ms", None
    yield "Pair.step over it, time passed", wall[1] / wall[0], "times", None
    yield "Pair.step over it, processor time", processor[1] / processor[0], "times", 1.25


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    as_json = parser.parse_args().json
    results, missed = {}, False
    for part in (solves, steps):
        for name, value, unit, target in part():
            faster = target is not None and unit == "times slower"
            good = target is None or (value >= target if faster else value <= target)
            missed = missed or not good
            results[name] = {"value": value, "unit": unit, "target": target}
            if not as_json:
                wanted = "" if target is None else f"{'at least' if faster else 'at most'} {target:g}"
                print(f"{name:52} {value:10.3f} {unit:13} {wanted}{'' if good else '  MISSED'}", flush=True)
    if as_json:
        print(json.dumps(results, indent=1))
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
