"""Makes epo_release.jsonl and sepo_release.jsonl: what the EPO and the SEPO of the paper's release give on small problems.

    python3 make_epo_release.py RELEASE EPO > epo_release.jsonl
    python3 make_epo_release.py RELEASE SEPO > sepo_release.jsonl

RELEASE: a checkout of github.com/LFhase/PAIR. Needs NumPy and SciPy. The stored files: the release's commit a9a434b,
NumPy 1.24 and SciPy 1.10 (Debian).

The class is taken from ColoredMNIST/pair.py and executed as it is. It states its linear programs in CVXPY and
solves them with a commercial solver; in their place stands a small module with what it uses, which hands the programs
to SciPy's HiGHS. "weights" is null if the program is infeasible; "unique" tells whether the program has one solution.
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
import types

import numpy as np
from scipy.optimize import linprog


class Expression:
    """A function of the variable, affine once the parameters have values."""

    def __init__(self, function):
        self.at = function

    @staticmethod
    def of(value):
        return value if isinstance(value, Expression) else Expression(lambda x: value)

    def joined(self, other, function):
        other = Expression.of(other)
        return Expression(lambda x: function(self.at(x), other.at(x)))

    def __matmul__(self, other):
        return self.joined(other, lambda a, b: a @ b)

    def __sub__(self, other):
        return self.joined(other, lambda a, b: a - b)

    def __rmul__(self, factor):
        return Expression(lambda x: factor * self.at(x))

    def __neg__(self):
        return Expression(lambda x: -self.at(x))

    def __ge__(self, other):
        return "at least", self - other

    def __eq__(self, other):
        return "equal", self - other


class Parameter(Expression):
    def __init__(self, shape):
        super().__init__(lambda x: self.value)
        self.value = None


class Variable(Expression):
    last = None

    def __init__(self, size):
        super().__init__(lambda x: x)
        self.size = size
        self.value = None
        Variable.last = self


def affine(expression, size):
    """A and b with expression(x) = A x + b, without the rows of infinite b, which state nothing."""
    b = np.atleast_1d(expression.at(np.zeros(size)))
    rows = np.isfinite(b)
    with np.errstate(invalid="ignore"):
        columns = [np.atleast_1d(expression.at(unit)) - b for unit in np.eye(size)]
    return np.stack(columns, axis=1)[rows], b[rows]


def highs(cost, at_least, equal):
    """The result for: minimise cost x with A x + b >= 0 and = 0. Bounds are among the rows, so x itself is free."""
    tolerances = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}
    return linprog(cost, A_ub=-at_least[0], b_ub=at_least[1], A_eq=equal[0], b_eq=-equal[1], bounds=(None, None),
                   method="highs-ds", options={"presolve": False, **tolerances})


class Problem:
    def __init__(self, objective, constraints):
        self.objective, self.constraints, self.variable = objective, constraints, Variable.last
        self.unique = None

    def solve(self, solver, verbose):
        m = self.variable.size
        parts = {"at least": [], "equal": []}
        for kind, expression in self.constraints:
            parts[kind].append(affine(expression, m))
        at_least, equal = ([np.concatenate(p) for p in zip(*parts[kind])] for kind in ("at least", "equal"))
        gain = affine(self.objective, m)[0][0]
        found = highs(-gain, at_least, equal)
        self.variable.value, self.unique = None, None
        if not found.success:
            return -np.inf
        # The set of optima: how far it reaches in each weight.
        face = np.vstack([at_least[0], gain]), np.append(at_least[1], found.fun + 1e-9)
        ends = [highs(sign * unit, face, equal).x for unit in np.eye(m) for sign in (1, -1)]
        # HiGHS may find such a thin set empty; then nothing is known.
        if all(end is not None for end in ends):
            reach = [end[i // 2] for i, end in enumerate(ends)]
            self.unique = bool(np.ptp(np.reshape(reach, (m, 2)), axis=1).max() < 1e-6)
        self.variable.value = found.x
        return -found.fun


cvxpy = types.SimpleNamespace(
    GUROBI=None, Parameter=Parameter, Variable=Variable, Problem=Problem, Maximize=lambda objective: objective,
    sum=lambda e: Expression(lambda x: np.sum(e.at(x))), max=lambda e: Expression(lambda x: np.max(e.at(x))),
    neg=lambda e: Expression(lambda x: np.maximum(-e.at(x), 0)),
    sum_squares=lambda e: Expression(lambda x: np.sum(e.at(x) ** 2)))

source = (pathlib.Path(sys.argv[1]) / "ColoredMNIST/pair.py").read_text()
space = {"np": np, "cp": cvxpy}
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
