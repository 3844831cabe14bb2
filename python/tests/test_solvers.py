"""Solvers as torch modules, alone and inside TorchJD."""
import copy
import io
import pathlib
import pickle
import re
import unittest

import numpy as np

from support_torch import torch, torchjd

import pair
import pair.torch
from pair.torch import EPO, MGDA, Weighting

GRAMIAN = torch.tensor([[1.0, -0.3], [-0.3, 0.5]])


class Modules(unittest.TestCase):
    def test_there_is_one_per_solver(self):
        classes = {cls.solver_name: cls for cls in Weighting.__subclasses__()}
        self.assertEqual(sorted(classes), sorted(solver.name for solver in pair.solvers()))
        for name, cls in classes.items():
            self.assertIs(getattr(pair.torch, cls.__name__), cls)
            self.assertGreater(len(cls.__doc__), 200, name)
            self.assertEqual(cls.__name__, next(one.python_class for one in pair.solvers() if one.name == name))
        stub = (pathlib.Path(pair.torch.__file__).parent / "solvers.pyi").read_text()
        declared = re.findall(r"class (\w+)\(Weighting\)", stub)
        self.assertEqual(declared, pair.torch.solvers.__all__, "run scripts/reference")

    def test_classes_keep_their_names(self):
        names = {solver.name: solver.python_class for solver in pair.solvers()}
        expected = {
            "epo": "EPO", "epo_smooth": "EPOSmooth", "epo_worst": "EPOWorst", "sepo": "SEPO", "linear": "LinearScalarization",
            "mgda": "MGDA", "chebyshev": "Chebyshev", "chebyshev_smooth": "ChebyshevSmooth", "pmtl": "PMTL",
            "pcgrad": "PCGrad", "cagrad": "CAGrad", "nash": "NashMTL", "upgrad": "UPGrad",
        }  # fmt: skip
        self.assertEqual({name: names.get(name) for name in expected}, expected)

    def test_weights_are_those_of_weigh_with_the_options_of_training(self):
        losses, preference = [0.5, 0.2], [1, 30]
        for solver in pair.solvers():
            module = next(cls for cls in Weighting.__subclasses__() if cls.solver_name == solver.name)(preference)
            module.set_losses(torch.tensor(losses, dtype=torch.float64))
            weights = module(GRAMIAN)
            options = {option.name: option.training_default for option in solver.options}
            expected = pair.weigh(losses, GRAMIAN.double().numpy(), preference, solver.name, **options)
            np.testing.assert_allclose(weights.numpy(), expected.weights, rtol=1e-6, atol=1e-7)
            self.assertEqual(weights.dtype, GRAMIAN.dtype)
            self.assertEqual(module.solution.divergence, expected.divergence)

    def test_solvers_that_do_not_use_losses_need_none(self):
        for cls in Weighting.__subclasses__():
            results = []
            for losses in ([0.5, 0.2], [0.1, 3.0]):
                module = cls([1, 2])
                module.set_losses(losses)
                results.append(module(GRAMIAN))
            if not cls.uses_losses:
                self.assertTrue(torch.equal(results[0], results[1]), cls.__name__)
                self.assertTrue(torch.equal(cls([1, 2])(GRAMIAN), results[0]), cls.__name__)
            else:
                with self.assertRaisesRegex(ValueError, "expected set_losses"):
                    cls([1, 2])(GRAMIAN)

    def test_losses_are_used_once(self):
        epo = EPO([1, 1])
        epo.set_losses([1, 2])
        epo(GRAMIAN)
        with self.assertRaisesRegex(ValueError, r"losses: expected set_losses\(losses\) before each use of EPO, got none"):
            epo(GRAMIAN)

    def test_previous_weights_are_kept_until_reset(self):
        smooth = pair.torch.EPOSmooth([1, 1e10, 1e12])
        gramian = torch.tensor([[0.0525, -0.0065, -0.003], [-0.0065, 0.0014, 0.001], [-0.003, 0.001, 0.0009]])

        def weights(*losses):
            smooth.set_losses(losses)
            return smooth(gramian)

        fresh = weights(0.46, 0.0019, 0.0008)
        weights(1e16, 1e-9, 1e-9)
        self.assertFalse(torch.equal(weights(0.46, 0.0019, 0.0008), fresh))
        smooth.reset()
        self.assertTrue(torch.equal(weights(0.46, 0.0019, 0.0008), fresh))

    def test_modules_can_be_copied_and_saved(self):
        epo = EPO([1, 3], epsilon=0.2)
        other = copy.deepcopy(epo)
        for module in (epo, other):
            module.set_losses([1, 2])
        self.assertTrue(torch.equal(epo(GRAMIAN), other(GRAMIAN)))
        self.assertEqual(other.options, {"epsilon": 0.2, "without_solution": "min_norm"})
        torch.save(epo, io.BytesIO())
        solution = pickle.loads(pickle.dumps(epo.solution))
        self.assertEqual(repr(solution), repr(epo.solution))

    def test_refusals(self):
        epo = EPO([1, 1])
        for call, kind, sentence in (
            (lambda: epo([[1, 0], [0, 1]]), TypeError, "gramian: expected a tensor, got list"),
            (lambda: epo(torch.eye(2, dtype=torch.int64)), TypeError,
             "gramian: expected a tensor of floating-point numbers, got torch.int64"),
            (lambda: epo(torch.zeros(2, 3)), ValueError, "gramian: expected shape [m, m], got [2, 3]"),
            (lambda: epo.set_losses(torch.zeros(2, 2)), ValueError, "losses: expected one value per objective"),
            (lambda: epo.set_losses("ab"), TypeError, "losses: expected one number per objective"),
            (lambda: EPO([1, 1], epsilon=-1), ValueError, "epsilon: expected a number from 0"),
            (lambda: EPO("x"), TypeError, "preference: expected one number per objective"),
        ):
            with self.assertRaises(kind) as caught:
                call()
            self.assertIn(sentence, str(caught.exception))
        epo.set_losses([1, 2])
        with self.assertRaisesRegex(ValueError, "gram: expected a positive semidefinite matrix"):
            epo(torch.tensor([[1.0, 2.0], [2.0, 1.0]]))


class LikeTorchJD(torch.nn.Module):
    """How TorchJD's GramianWeightedAggregator uses a weighting: composed with the Gram matrix, then applied to the rows."""

    def __init__(self, weighting):
        super().__init__()
        self.weighting = weighting << (lambda matrix: matrix @ matrix.t())
        self.gramian_weighting = weighting

    def forward(self, matrix):
        return self.weighting(matrix) @ matrix


class InTorchJD(unittest.TestCase):
    def aggregate(self, aggregator_of):
        jacobian = torch.tensor([[1.0, 0.5, 0.0], [-0.4, 1.0, 0.2]])
        epo = EPO([1, 1])
        aggregator = aggregator_of(epo)
        seen = []
        epo.register_forward_hook(lambda module, inputs, output: seen.append(output))
        epo.set_losses([0.5, 2.0])
        direction = aggregator(jacobian)
        weights = pair.weigh([0.5, 2.0], (jacobian @ jacobian.t()).double().numpy(), [1, 1], epsilon=0.1).weights
        torch.testing.assert_close(direction, torch.tensor(weights, dtype=torch.float32) @ jacobian)
        self.assertEqual(len(seen), 1)
        plain = aggregator_of(MGDA())(jacobian)
        self.assertTrue(bool((jacobian @ plain >= -1e-6).all()))

    def test_by_its_interface(self):
        self.aggregate(LikeTorchJD)

    def test_in_the_library_itself(self):
        library = torchjd()
        if library is None:
            self.skipTest("TorchJD is not installed, or does not work with this torch")
        self.aggregate(library.GramianWeightedAggregator)


if __name__ == "__main__":
    unittest.main()
