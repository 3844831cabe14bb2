"""The scripts of examples/python, and the diff and the code of docs/python.md."""
import contextlib
import doctest
import importlib
import importlib.util
import io
import os
import pathlib
import pkgutil
import re
import runpy
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

from support import PROJECT
from support_torch import torch, torchjd

import pair
import pair.torch

EXAMPLES = PROJECT / "examples" / "python"
DOCUMENT = PROJECT / "docs" / "python.md"


def run_example(name, *arguments, folder=None):
    ended = subprocess.run(
        [sys.executable, str(EXAMPLES / name), *arguments], capture_output=True, text=True, cwd=folder,
        env={**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": str(pathlib.Path(pair.__file__).parents[1].absolute())},
    )
    assert ended.returncode == 0, ended.stderr
    return ended.stdout


def is_there(module):
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:
        return False


class Loops(unittest.TestCase):
    def test_erm_follows_the_colour_and_pair_the_shape(self):
        accuracy = {
            name: float(re.search(r"accuracy with reversed colours: (\S+)", run_example(name)).group(1))
            for name in ("erm_loop.py", "pair_loop.py")
        }
        self.assertLess(accuracy["erm_loop.py"], 0.4)
        self.assertGreater(accuracy["pair_loop.py"], 0.65)

    def test_the_diff_turns_one_into_the_other(self):
        [diff] = re.findall(r"```diff\n(.*?)```", DOCUMENT.read_text(), re.S)

        def code_of(name):
            return (EXAMPLES / name).read_text().split("\n\n", 1)[1]  # after the line that says what the file is

        changed, before, after = code_of("erm_loop.py"), "", ""
        for line in diff.splitlines() + ["@@"]:
            if line.startswith("@"):
                self.assertIn(before, changed)
                changed = changed.replace(before, after, 1) if before else changed
                before = after = ""
                continue
            before += "" if line.startswith("+") else line[1:] + "\n"
            after += "" if line.startswith("-") else line[1:] + "\n"
        self.assertEqual(changed, code_of("pair_loop.py"))
        self.assertLessEqual(sum(line.startswith("+") and len(line) > 1 for line in diff.splitlines()), 5)

    def test_weights_are_drawn(self):
        with tempfile.TemporaryDirectory() as folder:
            if not is_there("matplotlib"):
                self.skipTest("matplotlib is not installed")
            text = run_example("draw_weights.py", "12", "400", "picture.png", folder=folder)
            self.assertIn("beta 0.9: accuracy 0.", text)
            self.assertTrue((pathlib.Path(folder) / "picture.png").read_bytes().startswith(b"\x89PNG"))

    def test_lightning(self):
        if not is_there("lightning"):
            self.skipTest("Lightning is not installed")
        self.assertRegex(run_example("lightning_pair.py"), r"accuracy with reversed colours: 0\.[67]")

    def test_torchjd(self):
        if torchjd() is None:
            self.skipTest("TorchJD is not installed, or does not work with this torch")
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            runpy.run_path(str(EXAMPLES / "torchjd_epo.py"))
        self.assertAlmostEqual(float(printed.getvalue().split()[-1]), 3.0, delta=0.3)


class LikeERM(torch.nn.Module):
    """DomainBed's ERM as far as a subclass sees it."""

    def __init__(self, input_shape, num_classes, num_domains, hparams):
        super().__init__()
        self.hparams = hparams
        self.featurizer = torch.nn.Sequential(torch.nn.Linear(input_shape[0], 8), torch.nn.ReLU())
        self.classifier = torch.nn.Linear(8, num_classes)
        self.network = torch.nn.Sequential(self.featurizer, self.classifier)
        self.optimizer = torch.optim.Adam(self.network.parameters(), lr=hparams["lr"],
                                          weight_decay=hparams["weight_decay"])

    def predict(self, x):
        return self.network(x)


class DomainBed(unittest.TestCase):
    def use(self, shape, hparams):
        """Imports the example with the domainbed that sys.modules or sys.path has, and trains."""
        sys.path.insert(0, str(EXAMPLES))
        try:
            sys.modules.pop("domainbed_pair", None)
            algorithm = importlib.import_module("domainbed_pair").PAIR(shape, 2, 3, hparams)
        finally:
            sys.path.remove(str(EXAMPLES))
        generator = torch.Generator().manual_seed(0)
        torch.manual_seed(0)

        def minibatches():
            pairs = []
            for e in range(3):
                x = torch.randn(16, *shape, generator=generator)
                pairs.append((x, (x.flatten(1)[:, 0] + 0.3 * e > 0).long()))
            return pairs

        results = [algorithm.update(minibatches()) for _ in range(60)]
        self.assertEqual(set(results[0]), {"loss", "nll", "penalty"})
        self.assertLess(sum(r["nll"] for r in results[-5:]), sum(r["nll"] for r in results[:5]))
        self.assertEqual(algorithm.pair.steps, 60)
        self.assertEqual(algorithm.predict(minibatches()[0][0]).shape, (16, 2))
        self.assertEqual(algorithm.pair.guard.rollbacks, 0)

    hparams = {"lr": 1e-2, "weight_decay": 0.0, "nonlinear_classifier": False, "pair_pretrain": 20, "mlp_width": 16,
               "mlp_depth": 3, "mlp_dropout": 0.0, "resnet_dropout": 0.0}

    def test_the_class_by_its_interface(self):
        package, module = types.ModuleType("domainbed"), types.ModuleType("domainbed.algorithms")
        package.algorithms, module.ERM = module, LikeERM
        with unittest.mock.patch.dict(sys.modules, {"domainbed": package, "domainbed.algorithms": module}):
            self.use((4,), self.hparams)

    def test_the_class_in_domainbed_itself(self):
        folder = os.environ.get("PAIR_DOMAINBED", "")
        if folder:
            sys.path.insert(0, folder)
            if not is_there("timm"):  # only for transformers, which this does not use
                sys.modules.setdefault("timm", types.ModuleType("timm"))
        try:
            importlib.import_module("domainbed.algorithms")
        except ImportError as error:
            self.skipTest(f"DomainBed is not installed: {error}")
        self.use((4,), self.hparams)

    def test_the_class_has_thirty_lines(self):
        text = (EXAMPLES / "domainbed_pair.py").read_text()
        self.assertLessEqual(len(text[text.index("class PAIR"):].splitlines()), 30)


class Documents(unittest.TestCase):
    def test_doctests_run(self):
        attempted = 0
        names = [module.name for module in pkgutil.walk_packages(pair.__path__, "pair.")]
        self.assertIn("pair.torch.optimizer", names)
        for name in ["pair", *names]:
            result = doctest.testmod(importlib.import_module(name))
            self.assertEqual(result.failed, 0, name)
            attempted += result.attempted
        self.assertGreater(attempted, 25)

    def test_the_code_of_the_guide_runs(self):
        """Blocks of Python in their order, in one namespace and one folder; examples with >>> are compared."""
        text = DOCUMENT.read_text()
        blocks = re.findall(r"```python\n(.*?)```", text, re.S)
        self.assertGreater(len(blocks), 5)
        namespace = {}
        before = os.getcwd()
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                os.symlink(PROJECT / "examples" / "sweep", "sweep")
                for block in blocks:
                    if block.startswith(">>>"):
                        test = doctest.DocTestParser().get_doctest(block, namespace, "docs/python.md", str(DOCUMENT), 0)
                        runner = doctest.DocTestRunner(verbose=False)
                        runner.run(test, clear_globs=False)
                        self.assertEqual(runner.failures, 0, block)
                        namespace.update(test.globs)
                    else:
                        exec(compile(block, "docs/python.md", "exec"), namespace)
            finally:
                os.chdir(before)


if __name__ == "__main__":
    unittest.main()
