"""pair.select and pair.records on sweep folders."""
import json
import pathlib
import tempfile
import threading
import unittest
import warnings
from unittest import mock

import numpy as np

import pair
from support import PROJECT, program, run_program

SWEEP = PROJECT / "examples" / "sweep"


class Select(unittest.TestCase):
    def test_chooses_as_the_program_does(self):
        if program() is None:
            self.skipTest("the program pair is not built here (PAIR_PROGRAM)")
        for criterion, arguments, options in (
            ("pair", [], {}),
            ("pair", ["--preference", "1,1e4", "--last", "2", "--across", "score"],
             {"preference": [1, 1e4], "last": 2, "across": "score"}),
            ("pair", ["--validation", "training", "--percentile", "0.2"],
             {"validation": "training", "percentile": 0.2}),
            ("pair", ["--rule", "release"], {"rule": "release"}),
            ("train-domain", [], {}),
            ("pair", ["--validation", "test-domain"], {"validation": "test-domain"}),
            ("pair-run", [], {}),
            ("pair-run", ["--validation", "training", "--skip-steps", "1", "--preference", "1e-2,1"],
             {"validation": "training", "skip": 1, "preference": [1e-2, 1]}),
            ("oracle", ["--algorithms", "IRM"], {"algorithms": ["IRM"]}),
        ):
            text = run_program("select", SWEEP, "--criterion", criterion, "--format", "json", "--explain", *arguments)
            [expected] = json.loads(text)["criteria"]
            selection = pair.select(SWEEP, criterion, **options)
            self.assertEqual(selection.title, expected["title"])
            self.assertEqual(list(selection.notes), expected["notes"])
            self.assertEqual(len(selection.decisions), len(expected["choices"]))
            for decision, choice in zip(selection.decisions, expected["choices"]):
                self.assertEqual((decision.dataset, decision.algorithm), (choice["dataset"], choice["algorithm"]))
                self.assertEqual(decision.chosen.run, choice["chosen"]["run"])
                self.assertEqual(decision.chosen.step, choice["chosen"]["step"])
                self.assertEqual(decision.chosen.hparams, choice["chosen"]["hparams"])

    def test_candidates_are_in_order(self):
        [decision] = pair.select(SWEEP, "pair", algorithms=["IRM"]).decisions
        self.assertEqual(len(decision.candidates), 3)
        self.assertEqual(decision.losses, ("nll", "penalty"))
        self.assertAlmostEqual(sum(decision.preference), 1)
        score = -np.dot(decision.preference, decision.chosen.losses)
        self.assertAlmostEqual(decision.chosen.score, score)

    def test_leave_one_out_and_held_out_losses_reach_the_criterion(self):
        # The example has neither, and the notes say so.
        selection = pair.select(SWEEP, "pair", validation="leave-one-out", algorithms=["IRM"])
        self.assertEqual(selection.decisions, ())
        self.assertIn("second test domain", " ".join(selection.notes))
        selection = pair.select(SWEEP, "pair", losses_from="held-out", algorithms=["IRM"])
        self.assertEqual(selection.decisions, ())
        self.assertIn("held-out", " ".join(selection.notes))

    def test_refuses_unknown_names_and_values(self):
        for options, sentence in (
            ({"criterion": "pairs"}, "criterion: expected pair, pair-run, train-domain, leave-one-out, oracle or all, "
                                     "got 'pairs'; did you mean 'pair'?"),
            ({"criterion": "all"}, "criterion: expected one criterion, got 'all'"),
            ({"validation": "test"}, "validation: expected train-domain, test-domain, leave-one-out or training, got 'test'"),
            ({"criterion": "pair-run", "validation": "test-domain"},
             "validation: expected train-domain or training with the criterion pair-run, got 'test-domain'"),
            ({"across": "scores"}, "across: expected paper, score or validation, got 'scores'; did you mean 'score'?"),
            ({"rule": "code"}, "rule: expected paper or release, got 'code'"),
            ({"losses_from": "test"}, "losses_from: expected train or held-out, got 'test'"),
            ({"losses": ["nll", "nll"]}, "losses: expected each loss once, got 'nll' twice"),
            ({"losses": ["env0_in_acc"]}, "losses: expected losses, got 'env0_in_acc', which is an accuracy"),
            ({"skip": -1}, "skip: expected an integer of at least 0, got -1"),
            ({"percentile": 2}, "percentile: expected a number from 0 to 1, got 2"),
            ({"last": 0}, "last: expected an integer of at least 1, got 0"),
            ({"algorithms": ["IRN"]}, "unknown algorithm 'IRN'; did you mean 'IRM'?"),
            ({"losses": ["nlll"]}, "unknown loss 'nlll'; did you mean 'nll'?"),
        ):
            with self.assertRaises(ValueError) as caught:
                pair.select(SWEEP, **options)
            self.assertIn(sentence, str(caught.exception))
        with self.assertRaises(TypeError):
            pair.select(SWEEP, skip="1")
        for name, value in (("losses", "nll"), ("datasets", "ColoredMNIST"), ("algorithms", "IRM")):
            with self.assertRaisesRegex(TypeError, f"^{name}: expected a list of names, got the string '{value}'$"):
                pair.select(SWEEP, **{name: value})
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(ValueError, "no run found in"):
                pair.select(folder)
        with self.assertRaisesRegex(ValueError, "does not exist"):
            pair.select("/nowhere/at/all")


class Records(unittest.TestCase):
    def test_has_one_row_per_record(self):
        table = pair.records(SWEEP)
        lines = [json.loads(line) for file in sorted(SWEEP.glob("*/results.jsonl")) for line in open(file)]
        self.assertEqual(len(table["step"]), len(lines))
        self.assertEqual(sorted(table["step"]), sorted(line["step"] for line in lines))
        for line in lines:
            row = (np.asarray(table["step"]) == line["step"]) & (
                np.asarray(table["hparams_seed"]) == line["args"]["hparams_seed"]
            ) & (np.asarray(table["algorithm"]) == line["args"]["algorithm"])
            self.assertEqual(row.sum(), 1)
            self.assertEqual(np.asarray(table["env0_in_acc"])[row][0], line["env0_in_acc"])
            self.assertEqual(np.asarray(table["hparams.lr"])[row][0], line["hparams"]["lr"])

    def test_a_single_run_and_missing_values(self):
        run = SWEEP / "erm-test2-draw0"
        table = pair.records(run, hparams=False)
        self.assertEqual(set(table["run"]), {str(run)})
        self.assertFalse([name for name in table if name.startswith("hparams.")])
        both = pair.records([run, SWEEP / "irm-test2-draw0"])
        self.assertTrue(np.isnan(np.asarray(both["penalty"])[np.asarray(both["algorithm"]) == "ERM"]).all())

    def test_without_pandas_it_is_a_dict_of_arrays(self):
        with mock.patch.dict("sys.modules", {"pandas": None}):
            table = pair.records(SWEEP)
        self.assertIsInstance(table, dict)
        self.assertEqual({len(column) for column in table.values()}, {len(table["step"])})
        try:
            import pandas
        except ImportError:
            return
        frame = pair.records(SWEEP)
        self.assertIsInstance(frame, pandas.DataFrame)
        self.assertEqual(list(frame.columns), list(table))

    def test_warns_of_lines_that_it_left_out(self):
        with tempfile.TemporaryDirectory() as folder:
            run = pathlib.Path(folder) / "run"
            run.mkdir()
            good = open(SWEEP / "erm-test2-draw0" / "results.jsonl").readline()
            (run / "results.jsonl").write_text("no json\n" + good)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                self.assertEqual(len(pair.records(folder)["step"]), 1)
            self.assertIn("line 1, is not JSON", str(caught[0].message))

    def test_progress_is_called_and_may_raise(self):
        seen = []
        pair.records(SWEEP, progress=lambda read, total: seen.append((read, total)))
        self.assertEqual(seen[-1], (6, 6))
        self.assertEqual({total for _, total in seen}, {6})

        def stop(read, total):
            raise KeyError("enough")

        with self.assertRaises(KeyError):
            pair.select(SWEEP, progress=stop)

    def test_eight_threads_read_with_callbacks(self):
        counts, seen = [], []

        def read():
            counts.append(len(pair.records(SWEEP, progress=lambda *numbers: seen.append(numbers))["step"]))

        threads = [threading.Thread(target=read) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(counts), 8)
        self.assertEqual(len(set(counts)), 1)
        self.assertTrue(seen)


if __name__ == "__main__":
    unittest.main()
