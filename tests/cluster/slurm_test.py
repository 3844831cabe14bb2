"""A sweep on a real Slurm of one node: tasks killed, the node drained, time limits reached, the rest cancelled. All runs
must be done once, with the records of a local sweep, byte for byte.

    slurm_test.py PAIR SCRATCH     exits with 77, which CTest takes for skipped, without root or Slurm's programs
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time

SWEEP = ["--datasets", "cmnist", "--algorithms", "erm,irmv1", "--n-hparams", "5", "--n-trials", "4", "--steps", "20",
         "--set", "train_digits=1000", "test_digits=200", "eval_every=5", "checkpoint_every=5"]
NODE = pathlib.Path(__file__).parent / "slurm-node"
DEADLINE = 540  # seconds for all of it


def skip(why):
    print("skipped: " + why)
    sys.exit(77)


def run(*command, check=True):
    print("+", *command, flush=True)
    finished = subprocess.run([str(word) for word in command], text=True, capture_output=True)
    print(finished.stdout + finished.stderr, end="", flush=True)
    if check and finished.returncode != 0:
        sys.exit(f"exit status {finished.returncode}")
    return finished


def queue():
    return subprocess.run(["squeue", "--noheader", "--array"], text=True, capture_output=True).stdout.splitlines()


def wait_until(condition, what, seconds=DEADLINE):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            sys.exit(f"waited {seconds} seconds for {what}; the queue: {queue()}")
        time.sleep(1)


def workers(folder):
    """The processes that train for the sweep."""
    found = subprocess.run(["pgrep", "-f", f"sweep launch --out {folder}"], text=True, capture_output=True).stdout
    return [int(pid) for pid in found.split()]


def records(folder):
    return {path.parent.name: path.read_bytes() for path in sorted(folder.glob("*/results.jsonl"))}


def done(folder):
    return len(list(folder.glob("*/done")))


def main(pair, scratch):
    if os.geteuid() != 0:
        skip("Slurm's services need root")
    for program in ("slurmctld", "slurmd", "munged", "sbatch"):
        if shutil.which(program) is None:
            skip(f"{program} is not installed (Debian: slurm-wlm munge)")
    shutil.rmtree(scratch, ignore_errors=True)
    scratch.mkdir(parents=True)
    local, shared = scratch / "local", scratch / "on slurm"
    run(pair, "sweep", "launch", "--out", local, *SWEEP, "--jobs", "2")
    expected = records(local)
    assert len(expected) == 40, len(expected)

    node = scratch / "node"
    os.environ["SLURM_CONF"] = str(node / "slurm.conf")
    run(NODE, "start", node)
    try:
        on_a_cluster(pair, shared)
        one_run_on_two_tasks(pair, scratch)
    finally:
        run(NODE, "stop", node)

    found = records(shared)
    assert found.keys() == expected.keys(), found.keys() ^ expected.keys()
    different = [name for name in expected if found[name] != expected[name]]
    assert not different, different
    print(f"{len(found)} runs with the same records as the local sweep")


def on_a_cluster(pair, shared):
    # Slurm counts time in minutes, and its notice can be a minute early: workers are queued again several times.
    launch = [pair, "sweep", "launch", "--out", shared, "--launcher", "slurm", "--max-jobs", "4", "--jobs", "1",
              "--time", "2", "--notice", "60"]
    assert "#SBATCH --array=0-3" in run(*launch, *SWEEP, "--dry-run").stdout
    assert not queue(), "a dry run has submitted a job"
    job = re.search(r"Submitted job (\d+)", run(*launch, *SWEEP).stdout).group(1)
    assert "Slurm: job " in run(pair, "sweep", "status", "--out", shared).stdout

    wait_until(lambda: done(shared) >= 3, "the first runs")
    for pid in workers(shared)[:2]:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
    wait_until(lambda: done(shared) >= 10, "runs after workers were killed")

    # The notice of a time limit: the worker saves, and its task is queued again.
    run("scancel", "--batch", "--signal=USR1", job)
    wait_until(lambda: re.search(r"Restarts=[1-9]", run("scontrol", "show", "job", job, check=False).stdout),
               "a task that was queued again", 60)

    # A drained node finishes its tasks and starts no others.
    host = run("hostname", "-s").stdout.strip()
    run("scontrol", "update", f"nodename={host}", "state=drain", "reason=test")
    time.sleep(5)
    run("scontrol", "update", f"nodename={host}", "state=resume")

    # Cancelled workers save, and launching again continues.
    run(pair, "sweep", "cancel", "--out", shared)
    wait_until(lambda: not queue() and not workers(shared), "the end of cancelled workers", 60)
    assert "no job of this sweep" in run(pair, "sweep", "cancel", "--out", shared).stdout
    before = done(shared)
    assert before < 40, "nothing was left to cancel"
    run(*launch)
    wait_until(lambda: done(shared) == 40 and not queue(), "all runs")
    print(f"{before} runs were done before the jobs were cancelled")
    assert "All runs are done" in run(*launch).stdout


def one_run_on_two_tasks(pair, scratch):
    """srun's tasks are the ranks of one run, with the losses of one process; a batch script with several tasks is one."""
    train = ["train", "--dataset", "cmnist", "--steps", "40", "--set", "train_digits=600", "test_digits=100", "width=16",
             "pretrain=10", "eval_every=10"]
    run(pair, *train, "--out", scratch / "one process")
    run("srun", "--ntasks", "2", pair, *train, "--out", scratch / "two tasks")
    run("sbatch", "--wait", "--ntasks", "2", "--output", scratch / "batch.log", "--wrap",
        f"'{pair}' {' '.join(train)} --out '{scratch}/batch script'")
    last = {}
    for name in ("one process", "two tasks", "batch script"):
        last[name] = json.loads((scratch / name / "results.jsonl").read_text().splitlines()[-1])
    assert last["two tasks"]["ranks"] == 2 and "ranks" not in last["batch script"]
    assert last["batch script"] == last["one process"]
    for key, loss in last["one process"]["losses"].items():
        assert abs(last["two tasks"]["losses"][key] - loss) < 1e-6, (key, last)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], pathlib.Path(sys.argv[2]).resolve())
