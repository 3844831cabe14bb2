"""Builds pair._core with CMake, from the project around this folder; pyproject.toml has the rest.

PAIR_PYTHON_CORE names a module that is built already, which is then taken as it is. CMAKE_ARGS is passed to CMake.
"""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

PROJECT = pathlib.Path(__file__).resolve().parent.parent


def version():
    """The project's, which CMakeLists.txt states."""
    text = (PROJECT / "CMakeLists.txt").read_text()
    return re.search(r"project\(pair VERSION ([0-9.]+)", text).group(1)


class BuildCore(build_ext):
    def build_extension(self, extension):
        target = pathlib.Path(self.get_ext_fullpath(extension.name)).resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        ready = os.environ.get("PAIR_PYTHON_CORE")
        shutil.copy(ready or self.built(), target)

    def built(self):
        folder = pathlib.Path(self.build_temp).resolve()
        generator = ["-G", "Ninja"] if shutil.which("ninja") else []
        subprocess.check_call(
            ["cmake", "-S", str(PROJECT), "-B", str(folder), *generator, "-DCMAKE_BUILD_TYPE=Release", "-DPAIR_TORCH=off",
             "-DPAIR_TESTS=OFF", "-DPAIR_GLPK=OFF", "-DPAIR_RSVG=OFF", "-DPAIR_PLOTLY=off", "-DPAIR_PYTHON=on",
             f"-DPAIR_PYTHON_EXECUTABLE={sys.executable}", *shlex.split(os.environ.get("CMAKE_ARGS", ""))]
        )  # fmt: skip
        subprocess.check_call(["cmake", "--build", str(folder), "--target", "pair_python", "--parallel"])
        [module] = (folder / "python" / "pair").glob("_core.*.so")
        return module


setup(version=version(), ext_modules=[Extension("pair._core", [])], cmdclass={"build_ext": BuildCore})
