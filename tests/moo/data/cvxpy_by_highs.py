"""A small module in place of CVXPY: what the solvers of the paper's release use of it, solved by SciPy's HiGHS.

The release's solvers state linear programs in CVXPY and solve them with a commercial solver. They run as they are if
`module` takes the place of cvxpy. A solved Problem also tells whether its program has one solution (`unique`).
"""
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


module = types.SimpleNamespace(
    GUROBI=None, Parameter=Parameter, Variable=Variable, Problem=Problem, Maximize=lambda objective: objective,
    sum=lambda e: Expression(lambda x: np.sum(e.at(x))), max=lambda e: Expression(lambda x: np.max(e.at(x))),
    neg=lambda e: Expression(lambda x: np.maximum(-e.at(x), 0)),
    sum_squares=lambda e: Expression(lambda x: np.sum(e.at(x) ** 2)))
