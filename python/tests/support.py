"""Common parts of the tests."""
import ctypes
import json
import os
import pathlib
import subprocess

DATA = pathlib.Path(__file__).resolve().parent / "data"
PROJECT = DATA.parents[2]


def program():
    """The program pair that this build made; None if only the package is built."""
    path = os.environ.get("PAIR_PROGRAM", "")
    return path if path and os.path.exists(path) else None


def kernels():
    """The OpenBLAS kernels of this process for the program, which may choose better ones: their rounding differs."""
    try:
        name = ctypes.CDLL("libopenblas.so.0").openblas_get_corename
    except (OSError, AttributeError):
        return {}
    name.restype = ctypes.c_char_p
    return {"OPENBLAS_CORETYPE": name().decode()}


def run_program(*arguments, text="", folder=None):
    """Its standard output. Raises AssertionError with its messages if it fails."""
    ended = subprocess.run(
        [program(), *map(str, arguments)], input=text, capture_output=True, text=True, cwd=folder,
        env={**kernels(), **os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def lines_of(path):
    with open(path) as file:
        return [json.loads(line) for line in file if line.strip()]
