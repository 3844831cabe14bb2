#!/usr/bin/env python3
"""Runs the tests: all of them, or those of the files that are named.

  tests/run.py [NAME...]     NAME: solve for test_solve.py

Needs nothing but the package itself. Exits with 0 if all tests passed, 1 if some failed, and 77 if all were skipped.
"""
import pathlib
import sys
import unittest

FOLDER = pathlib.Path(__file__).resolve().parent


def main(names):
    sys.path.insert(0, str(FOLDER))
    # By discovery, which counts a file that raises SkipTest as skipped.
    patterns = [f"test_{name}.py" for name in names] or ["test_*.py"]
    suite = unittest.TestSuite(unittest.TestLoader().discover(str(FOLDER), pattern) for pattern in patterns)
    for name in names:
        if not (FOLDER / f"test_{name}.py").exists():
            known = sorted(path.stem[5:] for path in FOLDER.glob("test_*.py"))
            print(f"unknown test '{name}'. Known: {', '.join(known)}", file=sys.stderr)
            return 1
    result = unittest.TextTestRunner(verbosity=1).run(suite)
    for test, reason in result.skipped:
        print(f"skipped {test}: {reason}")
    if not result.wasSuccessful():
        return 1
    return 77 if len(result.skipped) >= result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
