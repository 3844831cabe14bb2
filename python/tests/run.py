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
    loader = unittest.TestLoader()
    if names:
        suite = loader.loadTestsFromNames([f"test_{name}" for name in names])
    else:
        suite = loader.discover(str(FOLDER))
    if suite.countTestCases() == 0:
        print("no tests found", file=sys.stderr)
        return 1
    result = unittest.TextTestRunner(verbosity=1).run(suite)
    for test, reason in result.skipped:
        print(f"skipped {test}: {reason}")
    if not result.wasSuccessful():
        return 1
    return 77 if len(result.skipped) >= result.testsRun else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
