"""pip install builds a package that works from another folder."""
import glob
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import pair
from support import PROJECT

CHECK = """
import pathlib, sys
import pair
assert pathlib.Path(pair.__file__).is_relative_to(sys.argv[1]), pair.__file__
assert pair.weigh([1, 2], [[1, 0], [0, 1]], [1, 1]).weights.tolist() == [0, 1]
folder = pathlib.Path(pair.__file__).parent
for name in ("py.typed", "_core.pyi", "torch/solvers.pyi", "torch/lightning.py"):
    assert (folder / name).exists(), name
from importlib.metadata import version
print(version("pair"), pair.__version__)
"""


class Install(unittest.TestCase):
    def test_a_wheel_has_everything(self):
        for name in ("pip", "setuptools", "wheel"):
            if importlib.util.find_spec(name) is None:
                self.skipTest(f"{name} is not installed")
        # The module of this build: compiling it again would take minutes.
        [core] = glob.glob(str(pathlib.Path(pair.__file__).parent / "_core.*.so"))
        with tempfile.TemporaryDirectory() as folder:
            source = pathlib.Path(folder) / "source"
            # setuptools writes into the source folder.
            subprocess.run(["cp", "-r", str(PROJECT / "python"), str(source)], check=True)
            (pathlib.Path(folder) / "CMakeLists.txt").write_bytes((PROJECT / "CMakeLists.txt").read_bytes())
            target = pathlib.Path(folder) / "site"
            ended = subprocess.run(
                [sys.executable, "-m", "pip", "install", "--no-build-isolation", "--no-deps", "--no-index",
                 "--disable-pip-version-check", "--target", str(target), str(source)],
                env={**os.environ, "PAIR_PYTHON_CORE": core, "PIP_NO_CACHE_DIR": "1"}, capture_output=True, text=True,
            )  # fmt: skip
            self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
            ended = subprocess.run(
                [sys.executable, "-c", CHECK, str(target)], env={**os.environ, "PYTHONPATH": str(target)},
                capture_output=True, text=True, cwd=folder,
            )
            self.assertEqual(ended.returncode, 0, ended.stderr)
            one, other = ended.stdout.split()
            self.assertEqual(one, other)


if __name__ == "__main__":
    unittest.main()
