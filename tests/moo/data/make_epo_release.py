"""Makes epo_release.jsonl and sepo_release.jsonl: what the EPO and the SEPO of the paper's release give on small problems.

    python3 make_epo_release.py RELEASE EPO > epo_release.jsonl
    python3 make_epo_release.py RELEASE SEPO > sepo_release.jsonl

RELEASE: a checkout of github.com/LFhase/PAIR. Needs NumPy and SciPy. The stored files: the release's commit a9a434b,
NumPy 1.24 and SciPy 1.10 (Debian).

The class is taken from ColoredMNIST/pair.py and executed as it is. It states its linear programs in CVXPY and
solves them with a commercial solver; cvxpy_by_highs.py takes their place. "weights" is null if the program is
infeasible; "unique" tells whether the program has one solution.
SEPO gets the Gram matrix in the place of the gradients, as the release's optimizer gives it. Cases in which it lowers
the first preference are left out, because ours does not do that.

Left out: losses of zero, for which the release divides by zero, and products p_i L_i that are equal up to rounding, of
which the release takes the largest as it is rounded. tests/moo/preference_test.cpp has our results for these.
"""
import contextlib
import io
import json
import pathlib
import sys

import numpy as np

import cvxpy_by_highs

source = (pathlib.Path(sys.argv[1]) / "ColoredMNIST/pair.py").read_text()
space = {"np": np, "cp": cvxpy_by_highs.module}
exec(source[source.index("class EPO(object)"):source.index("def getNumParams")], space)
name = sys.argv[2]
solver_class = space[name]

wanted = {"balance": 12, "descent": 8, "no objective improves": 3, "several solutions": 2, "infeasible": 3}
if name == "SEPO":
    wanted = {"balance": 12, "descent": 6, "infeasible": 4}
draw = np.random.RandomState(20)
while any(wanted.values()):
    m = draw.randint(2, 6)
    scale = 10 ** draw.uniform(-1, 1, m)
    gradients = np.round(draw.normal(draw.normal(0, 1, 6) * draw.randint(0, 3), 1, (m, 6)) * scale[:, None], 3)
    if draw.randint(4) == 0:
        gradients[-1] = gradients[0]  # two objectives that no program can tell apart
    losses = np.round(10 ** draw.uniform(-2, 1, m), 4)
    preference = np.round(10 ** draw.uniform(-2, 2, m), 4)
    epsilon = float(draw.choice([1e-4, 0.1, 1.0]))
    gram = gradients @ gradients.T
    epo = solver_class(m, preference, eps=epsilon)
    l_hat, _, divergence, adjustment = epo.adjustments(losses, epo.r)
    with contextlib.redirect_stdout(io.StringIO()):  # SEPO prints when it lowers the preference
        weights = epo.get_alpha(losses, gram, C=True)
    phase = {"bal": "balance", "dom": "descent"}[epo.last_move]
    # SEPO states the first step's program apart.
    balance = epo.prob_bal_orig if name == "SEPO" else epo.prob_bal
    program = balance if phase == "balance" else epo.prob_dom
    kind = phase
    if name == "SEPO" and divergence <= 0.1:
        kind = "lowered"
    elif weights is None:
        kind = "infeasible"
    elif not program.unique:
        kind = "several solutions"
    elif phase == "balance" and not (epo.Ca.value > 0).any():
        kind = "no objective improves"
    if not wanted.get(kind):
        continue
    wanted[kind] -= 1
    print(json.dumps({
        "kind": kind, "losses": losses.tolist(), "gram": gram.tolist(), "preference": preference.tolist(),
        "epsilon": epsilon, "phase": phase, "normalised": l_hat.tolist(), "divergence": float(divergence),
        "adjustment": adjustment.tolist(), "weights": None if weights is None else weights.tolist(),
        "optimum": None if weights is None else float(epo.gamma), "unique": program.unique}))
