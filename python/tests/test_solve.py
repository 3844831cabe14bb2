"""pair.weigh, its batch form and the list of solvers."""
import json
import threading
import unittest

import numpy as np

import pair
from support import DATA, PROJECT, lines_of, program, run_program

LOSSES = np.array([0.46, 0.0019, 0.0008])
GRAM = np.array([[0.0525, -0.0065, -0.003], [-0.0065, 0.0014, 0.001], [-0.003, 0.001, 0.0009]])
PREFERENCE = np.array([1, 1e10, 1e12])


def problems(count, m, seed=0):
    """Random problems of the kind that training meets: losses and gradients over many orders of magnitude."""
    random = np.random.RandomState(seed)
    gradients = random.randn(count, m, m + 2) * 10.0 ** random.uniform(-3, 1, (count, m, 1))
    return 10.0 ** random.uniform(-4, 1, (count, m)), gradients @ gradients.transpose(0, 2, 1), 10.0 ** random.uniform(0, 6, m)


class Weigh(unittest.TestCase):
    def test_agrees_with_the_golden_cases(self):
        """The cases that tests/moo compares the C++ solver with, solved with exact rational arithmetic."""
        cases = lines_of(PROJECT / "tests" / "moo" / "data" / "epo_cases.jsonl")
        self.assertGreater(len(cases), 50)
        for case in cases:
            solution = pair.weigh(case["losses"], case["gram"], case["preference"], epsilon=case["epsilon"])
            self.assertEqual(solution.phase, case["phase"])
            self.assertEqual(solution.status, "optimal" if case["feasible"] else "infeasible")
            np.testing.assert_allclose(solution.divergence, case["divergence"], rtol=1e-9, atol=1e-12)
            if case["feasible"]:
                np.testing.assert_allclose(solution.objective, case["optimum"], rtol=1e-9, atol=1e-300)

    def test_is_bit_equal_to_the_program(self):
        if program() is None:
            self.skipTest("the program pair is not built here (PAIR_PROGRAM)")
        requests, expected = [], []
        for solver in pair.solvers():
            for m in (2, 3, 9):
                losses, grams, preference = problems(10, m, seed=m)
                for loss, gram in zip(losses, grams):
                    requests.append({"losses": list(loss), "gram": gram.tolist(), "preference": list(preference),
                                     "solver": solver.name})
                    expected.append(pair.weigh(loss, gram, preference, solver.name))
        answers = run_program("solve", text="".join(json.dumps(request) + "\n" for request in requests))
        answers = [json.loads(line) for line in answers.splitlines()]
        self.assertEqual(len(answers), len(expected))
        for answer, solution in zip(answers, expected):
            self.assertEqual(answer["weights"], list(solution.weights))
            self.assertEqual(answer["phase"], solution.phase)
            self.assertEqual(answer["divergence"], solution.divergence)
            self.assertEqual(answer["objective"], solution.objective)
            self.assertEqual(answer["status"], solution.status)

    def test_accepts_lists_arrays_of_any_type_and_order(self):
        expected = pair.weigh(LOSSES, GRAM, PREFERENCE).weights
        self.assertEqual(list(pair.weigh(list(LOSSES), GRAM.tolist(), [1, 10**10, 10**12]).weights), list(expected))
        self.assertEqual(list(pair.weigh(LOSSES, np.asfortranarray(GRAM), PREFERENCE).weights), list(expected))
        self.assertEqual(list(pair.weigh(LOSSES, np.repeat(GRAM, 2, 0)[::2], PREFERENCE).weights), list(expected))
        whole = pair.weigh(np.array([1, 2]), np.eye(2, dtype=np.int8), np.array([1, 1], dtype=np.uint8))
        self.assertEqual(list(whole.weights), [0, 1])

    def test_weights_outlive_their_solution(self):
        weights = pair.weigh(LOSSES, GRAM, PREFERENCE).weights
        kept = weights.copy()
        for _ in range(100):
            pair.weigh([1, 2], np.eye(2), [1, 1])
        np.testing.assert_array_equal(weights, kept)

    def test_options_reach_the_solver(self):
        self.assertEqual(pair.weigh(LOSSES, GRAM, PREFERENCE, epsilon=0.1).phase, "balance")
        self.assertEqual(pair.weigh(LOSSES, GRAM, PREFERENCE, epsilon=10).phase, "descent")
        self.assertIsNone(pair.weigh(LOSSES, GRAM, PREFERENCE, "mgda").phase)
        self.assertEqual(pair.Solver("epo", training=True).options, {"epsilon": 0.1, "without_solution": "min_norm"})
        solver = pair.Solver("epo", epsilon=10)
        self.assertEqual(pair.weigh(LOSSES, GRAM, PREFERENCE, solver).phase, "descent")

    def test_previous_weights_change_epo_smooth_only(self):
        args = (LOSSES, GRAM, PREFERENCE)
        fresh = pair.weigh(*args, "epo_smooth").weights
        after = pair.weigh(*args, "epo_smooth", previous=[1, 0, 0]).weights
        self.assertFalse(np.array_equal(fresh, after))
        self.assertTrue(np.array_equal(pair.weigh(*args).weights, pair.weigh(*args, previous=[1, 0, 0]).weights))


class Refusals(unittest.TestCase):
    """Sentences of the C++ side reach Python as they are."""

    def refused(self, kind, sentence, *args, **options):
        with self.assertRaises(kind) as caught:
            pair.weigh(*args, **options)
        self.assertIn(sentence, str(caught.exception))

    def test_numbers(self):
        nan = float("nan")
        for losses, sentence in (
            ([-1, 1], "losses[0]: expected a finite number that is not negative, got -1"),
            ([1, nan], "losses[1]: expected a finite number that is not negative, got nan"),
            ([0, 0], "losses: expected at least one above 0, got only zeros"),
            ([1], "losses: expected 2 to 64 values, one per objective, got 1"),
            ([], "losses: expected 2 to 64 values, one per objective, got 0"),
        ):
            self.refused(ValueError, sentence, losses, np.eye(len(losses)), np.ones(len(losses)))
        self.refused(ValueError, "preference[1]: expected a finite positive number, got 0", [1, 2], np.eye(2), [1, 0])
        self.refused(ValueError, "gram[0][1]: expected a finite number, got nan", [1, 2], [[1, nan], [nan, 1]], [1, 1])
        self.refused(ValueError, "gram: expected a positive semidefinite matrix", [1, 2], [[1, 2], [2, 1]], [1, 1])
        self.refused(
            ValueError, "gram: expected a positive semidefinite matrix, got one with a negative eigenvalue",
            [1, 2, 3], [[1, -0.9, -0.9], [-0.9, 1, -0.9], [-0.9, -0.9, 1]], [1, 1, 1],
        )
        self.refused(ValueError, "gram: expected a symmetric matrix", [1, 2], [[1, 0.5], [0, 1]], [1, 1])
        self.refused(ValueError, "previous: expected weights that sum to 1", [1, 2], np.eye(2), [1, 1], previous=[0, 0])

    def test_shapes(self):
        self.refused(ValueError, "gram: expected 2 x 2 values, got 9", [1, 2], np.eye(3), [1, 1])
        self.refused(ValueError, "gram: expected 2 x 2 values, got shape [4]", [1, 2], [1, 0, 0, 1], [1, 1])
        self.refused(ValueError, "gram: expected 2 x 2 values, got shape [1, 4]", [1, 2], [[1, 0, 0, 1]], [1, 1])
        self.refused(ValueError, "losses: expected one value per objective, got shape [1, 2]", [[1, 2]], np.eye(2), [1, 1])
        self.refused(ValueError, "preference: expected 2 values, one per objective, got 3", [1, 2], np.eye(2), [1, 1, 1])
        self.refused(ValueError, "losses: expected numbers, got list", [1, [2]], np.eye(2), [1, 1])

    def test_types(self):
        self.refused(TypeError, "losses: expected numbers, got str", "ab", np.eye(2), [1, 1])
        self.refused(TypeError, "gram: expected numbers, got NoneType", [1, 2], None, [1, 1])
        self.refused(TypeError, "losses: expected numbers, got list of complex128", [1j, 2], np.eye(2), [1, 1])
        self.refused(TypeError, "epsilon: expected a number", [1, 2], np.eye(2), [1, 1], epsilon={})
        self.refused(TypeError, "epsilon: expected no options with a Solver", [1, 2], np.eye(2), [1, 1],
                     solver=pair.Solver("epo"), epsilon=1)

    def test_names_and_options(self):
        args = ([1, 2], np.eye(2), [1, 1])
        self.refused(ValueError, "unknown solver 'epoo'; did you mean 'epo'?", *args, solver="epoo")
        self.refused(ValueError, "epsilon: expected a number from 0 to 1e+300, got '-1'", *args, epsilon=-1)
        self.refused(ValueError, "epsilon: expected a number from 0 to 1e+300, got 'true'", *args, epsilon=True)
        self.refused(ValueError, "unknown option 'radius'", *args, radius=1)


class Batch(unittest.TestCase):
    def test_equals_the_single_form_for_any_number_of_threads(self):
        for m in (2, 3, 10):
            losses, grams, preference = problems(200, m)
            one = pair.weigh_batch(losses, grams, preference)
            several = pair.weigh_batch(losses, grams, np.tile(preference, (200, 1)), threads=4)
            for i in range(200):
                single = pair.weigh(losses[i], grams[i], preference)
                self.assertEqual(list(one.weights[i]), list(single.weights))
                self.assertEqual((one.phase[i], one.status[i]), (single.phase, single.status))
                self.assertEqual((one.divergence[i], one.objective[i]), (single.divergence, single.objective))
            np.testing.assert_array_equal(one.weights, several.weights)
        self.assertEqual(len(one), 200)

    def test_solvers_without_phases_have_none(self):
        solutions = pair.weigh_batch([[1, 2]], [np.eye(2)], [1, 1], "mgda")
        self.assertEqual(solutions.phase[0], "")

    def test_names_the_first_invalid_problem(self):
        losses, grams, preference = problems(500, 3)
        losses[321, 1] = -1
        losses[123, 2] = np.nan
        for threads in (1, 4):
            with self.assertRaisesRegex(ValueError, r"problem 123: losses\[2\]: expected a finite number that is not"):
                pair.weigh_batch(losses, grams, preference, threads=threads)

    def test_refuses_shapes_that_do_not_fit(self):
        for args, sentence in (
            (([1, 2], [np.eye(2)], [1, 1]), "losses: expected one row per problem, got shape [2]"),
            (([[1, 2]], np.eye(2), [1, 1]), "gram: expected one matrix per problem (1 problems), got shape [2, 2]"),
            (([[1, 2]], [np.eye(2)] * 2, [1, 1]), "gram: expected 1 problems, got shape [2, 2, 2]"),
            (([[1, 2]], [np.eye(2)], [[1, 1]] * 2), "preference: expected 1 problems, got shape [2, 2]"),
            (([[1, 2]], [np.eye(3)], [1, 1]), "problem 0: gram: expected 2 x 2 values, got 9"),
        ):
            with self.assertRaises(ValueError) as caught:
                pair.weigh_batch(*args)
            self.assertIn(sentence, str(caught.exception))
        with self.assertRaisesRegex(ValueError, "threads: expected an integer from 1 to 1024, got 0"):
            pair.weigh_batch([[1, 2]], [np.eye(2)], [1, 1], threads=0)

    def test_no_problems_give_no_solutions(self):
        self.assertEqual(pair.weigh_batch(np.zeros((0, 3)), np.zeros((0, 3, 3)), [1, 1, 1]).weights.shape, (0, 3))


class Threads(unittest.TestCase):
    def test_eight_threads_get_the_answers_of_one(self):
        """Single solves below and above the size that releases the lock, and batches, all at the same time."""
        cases = [problems(40, m, seed=m) for m in (3, 12)]
        expected = [[list(pair.weigh(l, g, p).weights) for l, g in zip(losses, grams)] for losses, grams, p in cases]
        wrong = []

        def work(number):
            try:
                for (losses, grams, preference), right in zip(cases, expected):
                    for _ in range(5):
                        for loss, gram, weights in zip(losses, grams, right):
                            if list(pair.weigh(loss, gram, preference).weights) != weights:
                                wrong.append(number)
                        batch = pair.weigh_batch(losses, grams, preference, threads=2)
                        if batch.weights.tolist() != right:
                            wrong.append(number)
                        try:
                            pair.weigh([-1, 1], np.eye(2), [1, 1])
                            wrong.append(number)
                        except ValueError:
                            pass
            except Exception as error:  # a thread's exception would otherwise be lost
                wrong.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])

    def test_a_batch_lets_other_threads_run(self):
        """A thread counts while a long batch is solved: the lock was released."""
        losses, grams, preference = problems(3000, 16)
        counted, stop = [0], threading.Event()

        def count():
            while not stop.is_set():
                counted[0] += 1

        thread = threading.Thread(target=count)
        thread.start()
        before = counted[0]
        pair.weigh_batch(losses, grams, preference)
        after = counted[0]
        stop.set()
        thread.join()
        self.assertGreater(after, before + 1000)


class Solvers(unittest.TestCase):
    def test_are_those_of_the_registry(self):
        names = [solver.name for solver in pair.solvers()]
        self.assertEqual(names[0], "epo")
        self.assertIn("upgrad", names)
        for solver in pair.solvers():
            self.assertTrue(solver.summary and solver.formula and solver.cited and solver.advice, solver.name)
            made = pair.Solver(solver.name).options
            self.assertEqual(made, {option.name: option.default for option in solver.options})
            trained = pair.Solver(solver.name, training=True).options
            self.assertEqual(trained, {option.name: option.training_default for option in solver.options})


if __name__ == "__main__":
    unittest.main()
