"""One run on several processes: 'pair train --ranks', torchrun and bad launchers, with real processes.

    ranks_test.py PAIR SCRATCH [-k NAME ...]
"""
import json
import math
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import unittest

PAIR, SCRATCH = "", pathlib.Path()
VARIABLES = {name: value for name, value in os.environ.items()
             if name not in ("RANK", "WORLD_SIZE", "LOCAL_RANK", "MASTER_ADDR", "MASTER_PORT")
             and not name.startswith("SLURM_")}
# 60 steps of which 10 are ERM's, a record per step.
SETTINGS = {"seed": "3", "steps": "60", "train_digits": "600", "test_digits": "100", "width": "16", "pretrain": "10",
            "eval_every": "1", "checkpoint_every": "7"}


def command(name, *more, ranks=None):
    """more: options, and settings as key=value"""
    settings = {**SETTINGS, **dict(word.split("=") for word in more if "=" in word)}
    start = [PAIR, "train", "--dataset", "cmnist", *(word for word in more if "=" not in word), "--out",
             str(SCRATCH / name), "--set", *(f"{key}={value}" for key, value in settings.items())]
    return start if ranks is None else [*start, "--ranks", str(ranks)]


def run(words, variables=None, timeout=300):
    return subprocess.run(words, text=True, capture_output=True, timeout=timeout, env={**VARIABLES, **(variables or {})})


def start(words):
    return subprocess.Popen(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=VARIABLES)


def records(name):
    return [json.loads(line) for line in (SCRATCH / name / "results.jsonl").read_text().splitlines()]


def children(process):
    """The processes that rank 0 has started, by rank."""
    found = {}
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            variables = (folder / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        if f"PAIR_STARTED_BY={process.pid}".encode() in variables:
            rank = next(text for text in variables if text.startswith(b"RANK="))
            found[int(rank[5:])] = int(folder.name)
    return found


def numbers(value, prefix=""):
    if isinstance(value, dict):
        for key, part in value.items():
            yield from numbers(part, f"{prefix}/{key}")
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield prefix, value


class Ranks(unittest.TestCase):
    def trained(self, name, *more, ranks=None):
        ended = run(command(name, *more, ranks=ranks))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return records(name)

    def assert_same(self, some, others, tolerance=1e-6):
        """Every loss and every weight of the first 60 steps; later, the solver's vertices magnify the rounding. Weights may
        differ by 1e-4 of themselves: they are quotients of small differences, and LibTorch 2 rounds differently from 1.13."""
        self.assertEqual(len(some), len(others))
        for one, other in zip(some[:60], others):
            self.assertEqual(set(one), set(other) - {"ranks"}, f"keys of step {one['step']}")
            for key, relative in (("losses", tolerance), ("weights", max(tolerance, 1e-4))):
                theirs = dict(numbers(other[key]))
                mine = dict(numbers(one[key]))
                self.assertEqual(list(mine), list(theirs), f"step {one['step']}, {key}")
                self.assertTrue(mine, f"step {one['step']}: {key} is empty")
                for path, a in mine.items():
                    b = theirs[path]
                    self.assertTrue(math.isclose(a, b, rel_tol=relative, abs_tol=tolerance),
                                    f"step {one['step']}, {key}{path}: {a} and {b}")

    def test_one_two_and_four_ranks_agree_on_full_batches(self):
        alone = self.trained("full1", "--algorithm", "pair")
        for ranks in (2, 4):
            together = self.trained(f"full{ranks}", "--algorithm", "pair", ranks=ranks)
            self.assert_same(alone, together)
            self.assertEqual(together[-1]["ranks"], ranks)
        self.assertNotIn("ranks", alone[-1])
        for file in ("model.safetensors", "model.json", "done", "spec.json"):
            self.assertTrue((SCRATCH / "full2" / file).exists(), file)
        specs = {(SCRATCH / f"full{n}" / "spec.json").read_text() for n in (1, 2, 4)}
        self.assertEqual(len(specs), 1, "the number of ranks must not be part of the run")

    def test_one_two_and_four_ranks_agree_on_minibatches(self):
        more = ["--algorithm", "pair", "batch=30", "balance_lr=0.01"]
        alone = self.trained("mini1", *more)
        for ranks in (2, 4):
            self.assert_same(alone, self.trained(f"mini{ranks}", *more, ranks=ranks))

    def test_three_ranks_agree_on_environments_of_different_sizes(self):
        more = ["--algorithm", "irmx", "train_digits=601"]
        self.assert_same(self.trained("odd1", *more), self.trained("odd3", *more, ranks=3))

    def test_moments_averaged_over_steps_and_halves_of_a_batch_are_those_of_one_process(self):
        for name, more in (("tracked", ["batch=30", "track=20", "balance_lr=0.01"]),
                           ("halves", ["batch=31", "irmv1_unbiased=true", "balance_lr=0.01"]),
                           ("whole", ["gradients=f"]),
                           ("featurizer", ["gradients=phi"])):
            with self.subTest(name):
                more = ["--algorithm", "pair", *more]
                self.assert_same(self.trained(name + "1", *more), self.trained(name + "2", *more, ranks=2))

    def test_an_objective_of_moments_with_state_is_that_of_one_process(self):
        more = ["--algorithm", "groupdro", "batch=30"]
        self.assert_same(self.trained("groups1", *more), self.trained("groups2", *more, ranks=2))

    def test_objectives_of_all_rows_are_those_of_one_process(self):
        # The kernels of mmd and clove magnify differences of features by their width, up to 1000.
        for objectives, tolerance in (("coral,fishr,group_dro,ib,sd", 1e-5), ("mmd", 1e-3), ("clove", 1e-3)):
            with self.subTest(objectives):
                preference = ",".join("1" for _ in f"erm,{objectives}".split(","))
                more = ["--algorithm", "pair", "--objectives", f"erm,{objectives}", "--preference", preference, "batch=24",
                        "balance_lr=0.01"]
                self.assert_same(self.trained(objectives + "1", *more),
                                 self.trained(objectives + "2", *more, ranks=2), tolerance)

    def test_streamed_images_and_dropout_masks_are_those_of_one_process(self):
        draw = random.Random(0)
        for environment in "abc":
            for label, blue in (("x", 200), ("y", 40)):
                folder = SCRATCH / "pictures" / environment / label
                folder.mkdir(parents=True)
                for number in range(8):
                    pixels = b"".join(bytes((draw.randrange(256), draw.randrange(256), blue)) for _ in range(1600))
                    (folder / f"{number}.ppm").write_bytes(b"P6 40 40 255\n" + pixels)
        last = {}
        for ranks in (1, 2):
            words = [PAIR, "train", "--data", str(SCRATCH / "pictures"), "--model", "resnet18", "--test-envs", "c",
                     "--no-model", "--ranks", str(ranks), "--out", str(SCRATCH / f"pictures{ranks}"), "--set",
                     "image_size=32", "batch=5", "freeze_bn=true", "resnet_dropout=0.5", "steps=6", "pretrain=2",
                     "lr=1e-4", "balance_lr=1e-3", "eval_every=1"]
            ended = run(words)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            last[ranks] = records(f"pictures{ranks}")
        self.assert_same(last[1], last[2], tolerance=1e-5)
        words.remove("freeze_bn=true")
        refused = run([*words[:words.index("--out") + 1], str(SCRATCH / "refused"), *words[words.index("--set"):]])
        self.assertIn("expected 1 with a BatchNorm ('bn1') that normalises by the statistics of the batch", refused.stderr)

    def test_scores_that_a_dataset_defines_are_in_the_records(self):
        made = run([PAIR, "data", "generate", "fmow", "--data-root", str(SCRATCH / "wilds"), "--samples", "4"])
        self.assertEqual(made.returncode, 0, made.stderr)
        last = {}
        for ranks in (1, 2):
            ended = run([PAIR, "train", "--dataset", "fmow", "--data-root", str(SCRATCH / "wilds"), "--algorithm", "erm",
                         "--model", "resnet18", "--no-model", "--ranks", str(ranks), "--out", str(SCRATCH / f"fmow{ranks}"),
                         "--set", "image_size=32", "batch=2", "environments=2", "freeze_bn=true", "steps=2", "eval_every=1"])
            self.assertEqual(ended.returncode, 0, ended.stderr)
            last[ranks] = records(f"fmow{ranks}")
        self.assertIn("val_acc_worst_region", last[1][-1])
        self.assert_same(last[1], last[2], tolerance=1e-5)

    def test_what_cannot_be_divided_is_refused_with_one_sentence(self):
        for more, reason in ((["--algorithm", "dann", "batch=24"], "expected 1 with dann, an algorithm with its own update"),
                             (["--algorithm", "iga"], "expected 1 with iga, which needs gradients of the whole network"),
                             (["--algorithm", "erm", "batch=1"], "expected at most 1, the number of samples")):
            ended = run(command("refused" + more[1] + str(len(more)), *more, ranks=2))
            self.assertEqual(ended.returncode, 2, ended.stderr)
            self.assertEqual(len(re.findall(reason, ended.stderr)), 1, ended.stderr)

    def test_a_file_that_one_rank_lacks_is_reported_once_by_rank_0(self):
        folders = [SCRATCH / "complete", SCRATCH / "incomplete"]
        for folder in folders:
            folder.mkdir()
            for number in range(16):
                if number != 5 or folder != folders[1]:
                    (folder / f"{number}.ppm").write_bytes(b"P6 1 1 255\n000")
        # The same list for both, whose files are those in the working directory of the process.
        rows = "".join(f"/proc/self/cwd/{number}.ppm,{'xy'[number % 2]},{'ab'[number // 8]}\n" for number in range(16))
        (SCRATCH / "list.csv").write_text("path,label,environment\n" + rows)
        words = [PAIR, "train", "--data", str(SCRATCH / "list.csv"), "--algorithm", "erm", "--out", str(SCRATCH / "lacking"),
                 "--set", "steps=1", "batch=2"]
        port = str(20000 + (os.getpid() + 7919) % 20000)
        ranks = [subprocess.Popen(words, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder,
                                  env={**VARIABLES, "RANK": str(rank), "LOCAL_RANK": str(rank), "WORLD_SIZE": "2",
                                       "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port})
                 for rank, folder in enumerate(folders)]
        errors = [process.communicate(timeout=120)[1] for process in ranks]
        self.assertEqual([process.returncode for process in ranks], [2, 2], errors)
        self.assertIn("rank 1: ", errors[0])
        self.assertIn("line 7: expected an image file, got '/proc/self/cwd/5.ppm', which does not exist", errors[0])
        self.assertEqual(errors[1], "")
        self.assertFalse((SCRATCH / "lacking").exists())

    def test_bytes_per_step_of_pair_are_at_most_a_tenth_above_those_of_erm(self):
        def bytes_per_step(algorithm):
            sent = []
            for steps in (20, 40):
                name = f"bytes-{algorithm}-{steps}"
                words = [PAIR, "train", "--dataset", "cmnist", "--algorithm", algorithm, "--steps", str(steps), "--set",
                         "train_digits=400", "test_digits=100", "pretrain=0", "eval_every=1000", "--json", "--quiet",
                         "--ranks", "2", "--no-model", "--out", str(SCRATCH / name)]
                ended = run(words)
                self.assertEqual(ended.returncode, 0, ended.stderr)
                sent.append(json.loads(ended.stdout)["bytes_sent"])
            return (sent[1] - sent[0]) / 20
        erm, pair = bytes_per_step("erm"), bytes_per_step("pair")
        print(f"bytes sent per step by one of 2 ranks: erm {erm:.0f}, pair {pair:.0f}, ratio {pair / erm:.4f}")
        self.assertGreater(erm, 100_000)
        self.assertLess(pair, 1.1 * erm)

    def test_a_signal_to_any_rank_stops_all_and_another_number_of_ranks_continues(self):
        alone = self.trained("whole-run", "--algorithm", "pair", "steps=200")
        more = ["--algorithm", "pair", "steps=200"]
        for number, to in ((signal.SIGTERM, 1), (signal.SIGINT, 0), (signal.SIGUSR1, 2)):
            name = f"stopped-{to}"
            process = start(command(name, *more, ranks=3))
            self.wait_for_records(name, 20, process)
            os.kill(children(process)[to] if to > 0 else process.pid, number)
            out, err = process.communicate(timeout=120)
            self.assertEqual(process.returncode, 128 + (number if to == 0 else signal.SIGTERM), err)
            self.assertIn("the same command continues from there", err)
            self.assertLess(len(records(name)), 200)
            self.assertTrue((SCRATCH / name / "checkpoint").exists())
            self.assert_same(alone, self.trained(name, *more, ranks={1: 1, 0: 3, 2: 4}[to]))
        self.trained("whole-run-of-three", *more, ranks=3)
        self.assertEqual((SCRATCH / "whole-run-of-three" / "results.jsonl").read_bytes(),
                         (SCRATCH / "stopped-0" / "results.jsonl").read_bytes(), "the same number of ranks: bit for bit")

    def wait_for_records(self, name, count, process):
        end = time.monotonic() + 120
        while time.monotonic() < end and process.poll() is None:
            file = SCRATCH / name / "results.jsonl"
            if file.exists() and file.read_text().count("\n") >= count:
                return
            time.sleep(0.02)
        self.fail(f"{name} did not train: {process.communicate()[1] if process.poll() is not None else 'too slow'}")

    def test_a_rank_that_dies_ends_the_others_with_a_sentence_and_the_run_resumes(self):
        more = ["--algorithm", "pair", "steps=300"]
        alone = self.trained("never-killed", *more)
        process = start(command("killed", *more, ranks=3))
        self.wait_for_records("killed", 20, process)
        others = children(process)
        began = time.monotonic()
        os.kill(others[1], signal.SIGKILL)
        _, err = process.communicate(timeout=60)
        self.assertLess(time.monotonic() - began, 30)
        self.assertEqual(process.returncode, 1, err)
        self.assertRegex(err, r"pair: another rank has ended or cannot be reached .*the same command continues from the "
                              r"last checkpoint; rank 1 was ended by signal 9")
        self.assertIn("pair: rank 2: another rank has ended or cannot be reached", err)
        self.assertFalse(any(pathlib.Path(f"/proc/{pid}").exists() for pid in others.values()))
        self.assert_same(alone, self.trained("killed", *more, ranks=2))

    def test_ranks_end_with_rank_0(self):
        process = start(command("headless", "--algorithm", "erm", "steps=100000", ranks=3))
        self.wait_for_records("headless", 5, process)
        others = children(process)
        process.kill()
        process.communicate()
        end = time.monotonic() + 30
        while any(pathlib.Path(f"/proc/{pid}").exists() for pid in others.values()) and time.monotonic() < end:
            time.sleep(0.1)
        self.assertFalse(any(pathlib.Path(f"/proc/{pid}").exists() for pid in others.values()))

    def test_a_finished_run_is_not_repeated(self):
        self.trained("once", "--algorithm", "erm", ranks=2)
        ended = run(command("once", "--algorithm", "erm", ranks=2))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn("Already finished", ended.stdout)
        self.assertEqual(ended.stdout.count("Already finished"), 1)

    def test_variables_that_make_no_sense_are_named(self):
        for variables, sentence in (
                ({"RANK": "2", "WORLD_SIZE": "2"}, "RANK: expected an integer from 0 to 1, got '2'"),
                ({"RANK": "0"}, "WORLD_SIZE: expected an integer from 1 to 65536, got nothing"),
                ({"WORLD_SIZE": "two"}, "WORLD_SIZE: expected an integer from 1 to 65536, got 'two'"),
                ({"RANK": "0", "WORLD_SIZE": "2"}, "MASTER_ADDR: expected the host of rank 0, since WORLD_SIZE is 2, "
                                                   "got nothing"),
                ({"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "localhost", "MASTER_PORT": "70000"},
                 "MASTER_PORT: expected an integer from 1 to 65535, got '70000'"),
                ({"SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": "7"}, "SLURM_PROCID: expected an integer from 0 to 1"),
                ({"SLURM_STEP_NUM_TASKS": "2", "SLURM_PROCID": "0", "SLURM_NODELIST": "node["},
                 "SLURM_NODELIST: expected a list of hosts")):
            ended = run(command("nowhere", "--algorithm", "erm"), variables)
            self.assertEqual(ended.returncode, 2, ended.stderr)
            self.assertIn(sentence, ended.stderr)
        self.assertFalse((SCRATCH / "nowhere").exists())
        both = run(command("nowhere", "--algorithm", "erm", ranks=2),
                   {"RANK": "0", "WORLD_SIZE": "2", "MASTER_ADDR": "localhost", "MASTER_PORT": "29517"})
        self.assertIn("--ranks: expected none with torchrun or srun", both.stderr)
        for text in ("0", "-1", "1025", "x"):
            self.assertRegex(run(command("nowhere", ranks=text)).stderr, "--ranks: expected an integer")

    def test_a_batch_script_of_slurm_is_one_process(self):
        ended = run(command("batch-script", "--algorithm", "erm"), {"SLURM_NTASKS": "4", "SLURM_PROCID": "0"})
        self.assertEqual(ended.returncode, 0, ended.stderr)

    def test_torchrun_starts_ranks(self):
        pythons = [name for name in ("python3", "/usr/bin/python3")
                   if run([name, "-c", "import torch.distributed.run"]).returncode == 0]
        if not pythons:
            self.skipTest("no python3 has torch.distributed.run")
        # torchrun of PyTorch 1.13 cannot read its own default of --redirects under Python 3.11.
        ended = run([pythons[0], "-m", "torch.distributed.run", "--redirects", "1", "--tee", "1", "--no_python",
                     "--nproc_per_node", "2", "--master_port", str(20000 + os.getpid() % 20000),
                     *command("torchrun", "--algorithm", "pair")])
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(records("torchrun")[-1]["ranks"], 2)
        self.assert_same(self.trained("without-torchrun", "--algorithm", "pair"), records("torchrun"))


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    PAIR, SCRATCH = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    shutil.rmtree(SCRATCH, ignore_errors=True)
    SCRATCH.mkdir(parents=True)
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]], verbosity=2)
