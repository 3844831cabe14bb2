"""Runs on a file system without flock: 'pair train' locks by leases, also after a crash.

    lease_test.py PAIR SCRATCH
"""
import os
import pathlib
import shutil
import subprocess
import sys
import time
import unittest

PAIR, SCRATCH = "", pathlib.Path()
NO_FLOCK = """
#include <errno.h>
int flock(int file, int operation) { (void)file; (void)operation; errno = ENOLCK; return -1; }
"""


def command(name, steps):
    return [PAIR, "train", "--dataset", "cmnist", "--algorithm", "erm", "--out", str(SCRATCH / name), "--quiet", "--set",
            f"steps={steps}", "train_digits=400", "test_digits=100", "width=16", "eval_every=5", "checkpoint_every=10"]


def start(name, steps, variables):
    return subprocess.Popen(command(name, steps), text=True, stderr=subprocess.PIPE, env={**os.environ, **variables})


class Leases(unittest.TestCase):
    def wait_for(self, condition, process):
        end = time.monotonic() + 120
        while not condition():
            self.assertIsNone(process.poll(), "the run has ended")
            self.assertLess(time.monotonic(), end)
            time.sleep(0.02)

    def run_to_the_end(self, name, steps, variables):
        process = start(name, steps, variables)
        _, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 0, err)
        return (SCRATCH / name / "results.jsonl").read_bytes()

    def check_locks(self, variables):
        records, lease = SCRATCH / "run" / "results.jsonl", SCRATCH / "run" / "results.jsonl.lease"
        shutil.rmtree(SCRATCH / "run", ignore_errors=True)
        steps = 5000  # long enough for the second process to start while the first one trains, on a busy machine, too
        process = start("run", steps, variables)
        self.wait_for(lambda: records.exists() and records.stat().st_size > 0, process)
        self.assertTrue(lease.exists())
        second = start("run", steps, variables)
        _, err = second.communicate(timeout=120)
        self.assertEqual(second.returncode, 1)
        self.assertIn("another process or thread is training in", err)
        self.assertIsNone(process.poll())
        process.kill()
        process.communicate()
        self.assertTrue(lease.exists(), "the lease of a killed process stays")
        resumed = self.run_to_the_end("run", steps, variables)
        self.assertFalse(lease.exists())
        self.assertEqual(resumed, self.run_to_the_end("whole", steps, {}))

    def test_a_run_is_locked_by_a_lease_and_taken_over_from_a_killed_process(self):
        self.check_locks({"PAIR_LOCKS": "lease"})

    def test_the_same_happens_by_itself_if_flock_fails(self):
        compiler = shutil.which("cc") or shutil.which("gcc")
        if compiler is None:
            self.skipTest("no C compiler")
        (SCRATCH / "no_flock.c").write_text(NO_FLOCK)
        library = SCRATCH / "no_flock.so"
        subprocess.run([compiler, "-shared", "-fPIC", "-o", library, SCRATCH / "no_flock.c"], check=True)
        # In a build with AddressSanitizer, its library would have to be loaded before.
        self.check_locks({"LD_PRELOAD": str(library), "ASAN_OPTIONS": "verify_asan_link_order=0"})


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    PAIR, SCRATCH = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    shutil.rmtree(SCRATCH, ignore_errors=True)
    SCRATCH.mkdir(parents=True)
    unittest.main(argv=sys.argv[:1], verbosity=2)
