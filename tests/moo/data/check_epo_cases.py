"""Checks epo_cases.jsonl: solves EPO's linear program of each case in rational arithmetic, by trying all vertices.

    python3 check_epo_cases.py epo_cases.jsonl

Prints the cases whose phase, divergence, feasibility or optimum differs, and ends with status 1 if there is one. Needs Python
alone. The script that drew the 300 problems was not kept; their stored answers are checked here.
The direction towards the preferred ray, which contains logarithms, is computed in doubles and then taken as exact. On the
ray it is nothing but rounding, so the order of each sum matters.
"""
import fractions
import itertools
import json
import math
import sys

Fraction = fractions.Fraction


def added(numbers):
    """The sum in order, rounded after each number. (Python's own sum rounds otherwise since 3.12.)"""
    total = 0.0
    for number in numbers:
        total += number
    return total


def adjustment(losses, preference):
    """EPO's divergence from the preferred ray, its direction towards it, and which objectives violate it most."""
    m = len(losses)
    preference = [p / added(preference) for p in preference]
    products = [p * loss for p, loss in zip(preference, losses)]
    shares = [product / added(products) for product in products]
    divergence = added(share * math.log(share * m) for share in shares if share > sys.float_info.epsilon)
    towards = [p * (math.log(share * m) - divergence) for p, share in zip(preference, shares)]
    return divergence, towards, [product >= (1 - 4 * sys.float_info.epsilon) * max(products) for product in products]


def solved(rows, right):
    """The solution of a square system, or None if it is singular."""
    n = len(rows)
    table = [row[:] + [value] for row, value in zip(rows, right)]
    for column in range(n):
        pivot = next((i for i in range(column, n) if table[i][column] != 0), None)
        if pivot is None:
            return None
        table[column], table[pivot] = table[pivot], table[column]
        inverse = 1 / table[column][column]
        table[column] = [value * inverse for value in table[column]]
        for i in range(n):
            if i != column and table[i][column] != 0:
                factor = table[i][column]
                table[i] = [a - factor * b for a, b in zip(table[i], table[column])]
    return [row[-1] for row in table]


def optimum(case):
    """The phase, the divergence, the optimum (None if the program has no solution) and the largest coefficient of the
    objective."""
    m = len(case["losses"])
    gram = [[Fraction(value) for value in row] for row in case["gram"]]
    divergence, towards, worst = adjustment(case["losses"], case["preference"])
    towards = [Fraction(value) for value in towards]
    gains = [sum(g * a for g, a in zip(row, towards)) for row in gram]
    # Rows a with a . weights >= b, besides sum = 1.
    limits = [([Fraction(i == j) for j in range(m)], Fraction(0)) for i in range(m)]
    if divergence > case["epsilon"]:
        phase, objective = "balance", gains
        for i in range(m):
            if worst[i]:
                limits.append((gram[i], Fraction(0)))
            elif gains[i] <= 0:
                limits.append((gram[i], gains[i]))
    else:
        phase, objective = "descent", [sum(row[j] for row in gram) for j in range(m)]
        limits.append((gains, min(max(gains), Fraction(0))))
        limits += [(row, Fraction(0)) for row in gram]
    best = None
    for active in itertools.combinations(limits, m - 1):
        point = solved([[Fraction(1)] * m] + [row for row, _ in active], [Fraction(1)] + [b for _, b in active])
        if point is None or any(sum(a * x for a, x in zip(row, point)) < b for row, b in limits):
            continue
        value = sum(c * x for c, x in zip(objective, point))
        best = value if best is None else max(best, value)
    return phase, divergence, best, float(max(abs(c) for c in objective))


def main(path):
    wrong = 0
    with open(path) as file:
        for number, line in enumerate(file, 1):
            case = json.loads(line)
            phase, divergence, best, scale = optimum(case)
            # In two cases the optimum is all cancellation, and the rounding of the direction is visible.
            close = (best is None) != case["feasible"] and (
                best is None or math.isclose(best, case["optimum"], rel_tol=1e-9, abs_tol=1e-16 * scale))
            close = close and math.isclose(divergence, case["divergence"], rel_tol=1e-12, abs_tol=1e-12)
            if phase != case["phase"] or not close:
                wrong += 1
                print(f"line {number}: {phase}, divergence {divergence}, {best if best is None else float(best)}; "
                      f"stored: {case['phase']}, {case['optimum']}")
    print(f"{number} cases, {wrong} differ")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
