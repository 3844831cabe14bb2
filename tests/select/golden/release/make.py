"""Makes within_run.json, leave_one_out.json and domainbed.json, the choices of the paper's release on made-up inputs.

    python3 make.py RELEASE DOMAINBED

RELEASE: a checkout of github.com/LFhase/PAIR (commit a9a434b); DOMAINBED: one of
github.com/facebookresearch/DomainBed, for its query module (commit b93c22a). Needs NumPy (the stored files: 1.24).
The functions and classes are taken from the release's files and executed as they are, without the imports that they do
not need.
"""
import contextlib
import io
import json
import pathlib
import random
import sys

import numpy as np

release, domainbed = map(pathlib.Path, sys.argv[1:3])
here = pathlib.Path(__file__).parent

source = (release / "ColoredMNIST/pair.py").read_text()
begin = source.index("def get_kl_div(")
end = source.index("def get_grad_sim(")
space = {"np": np}
exec(source[begin:end], space)  # get_kl_div and pair_selection
cases = []
draw = random.Random(19)
for count in (2, 2, 2, 2, 3, 3, 3, 4, 4, 5, 5):
    steps = draw.randrange(6, 30)
    scale = [10 ** draw.uniform(-9, 0) for _ in range(count)]
    losses = [[s * draw.uniform(0.1, 1) for s in scale] for _ in range(steps)]
    if len(cases) == 3:
        losses = [[row[0], 0.0] for row in losses]  # log10(0): the release falls back to 1e-12
    validation = [draw.uniform(0.3, 0.9) for _ in range(steps)]
    test = [draw.uniform(0.1, 0.8) for _ in range(steps)]
    anneal = draw.randrange(0, steps // 2)
    with contextlib.redirect_stdout(io.StringIO()), np.errstate(all="ignore"):
        chosen, accuracy, tested = space["pair_selection"](
            np.array(losses), np.array(validation), np.array(test), anneal_iter=anneal)
    cases.append({"losses": losses, "validation": validation, "anneal": anneal, "chosen": int(chosen),
                  "accuracy": float(accuracy)})
(here / "within_run.json").write_text(json.dumps(cases, indent=1) + "\n")

sys.modules["tkinter"] = sys.modules["tkinter.filedialog"] = type(sys)("tkinter")
sys.modules["tkinter.filedialog"].test = None
sys.path.insert(0, str(domainbed))
space = {"__name__": "model_selection"}
exec((release / "DomainBed/model_selection.py").read_text(), space)
from domainbed.lib.query import Q  # noqa: E402

records = []
for hparams_seed in range(3):
    for test_envs in ([0], [1], [2], [0, 1], [0, 2], [1, 2]):
        for step in range(0, 2500, 100):
            record = {"args": {"dataset": "ColoredMNIST", "algorithm": "IRM", "test_envs": test_envs,
                               "trial_seed": 0, "hparams_seed": hparams_seed, "output_dir": "sweep"},
                      "hparams": {}, "step": step, "loss": 0.5, "nll": round(draw.uniform(0.2, 0.7), 6),
                      "penalty": round(10 ** draw.uniform(-6, -1), 9)}
            for env in range(3):
                record[f"env{env}_in_acc"] = round(draw.uniform(0.1, 0.9), 6)
                record[f"env{env}_out_acc"] = round(draw.uniform(0.1, 0.9), 6)
            records.append(record)
method = space["PAIRLeaveOneOutSelectionMethod"]
chosen = {}
for test_env in range(3):
    group = Q([r for r in records if test_env in r["args"]["test_envs"]])
    best = method.hparams_accs(group)[0]
    chosen[str(test_env)] = {"hparams_seed": best[1][0]["args"]["hparams_seed"],
                             "validation": best[0]["val_acc"], "test": best[0]["test_acc"]}
(here / "leave_one_out.json").write_text(json.dumps({"records": records, "chosen": chosen}) + "\n")


def short(value):
    return float("%.4g" % value)


# The classes for DomainBed's training-domain and test-domain validation. Runs are stored by columns. The release finds
# algorithms by the name of the folder.
draw = random.Random(23)
steps = range(0, 4200, 300)
runs = []
for dataset, algorithm, environments, keys in (
        ("ColoredMNIST", "IRM", 3, ("nll", "penalty")), ("PACS", "IRM", 4, ("nll", "penalty")),
        ("PACS", "VREx", 4, ("nll", "penalty")), ("PACS", "Fishr", 4, ("nll", "penalty")),
        ("PACS", "GroupDRO", 4, ("loss",)), ("PACS", "DANN", 4, ("gen_loss", "disc_loss")),
        ("PACS", "IRMX", 4, ("nll", "IRM_penalty", "vrex_penalty"))):
    for test_env in (0, 2):
        for hparams_seed in range(4):
            args = {"dataset": dataset, "algorithm": algorithm, "test_envs": [test_env], "trial_seed": 0,
                    "hparams_seed": hparams_seed, "output_dir": "sweep/" + algorithm.lower()}
            columns = {}
            for key in keys:
                size = draw.uniform(-5, 0)
                drawn = {"nll": lambda: draw.uniform(0.2, 0.7), "loss": lambda: draw.uniform(0.5, 1.5),
                         "gen_loss": lambda: draw.uniform(-80, 80)}.get(key, lambda: 10 ** draw.uniform(size, 0))
                columns[key] = [short(drawn()) for _ in steps]
            if algorithm == "IRM":
                columns["penalty"] = [value * draw.choice((1, 1, -1)) for value in columns["penalty"]]
            for env in range(environments):
                for part in ("in", "out"):
                    columns[f"env{env}_{part}_acc"] = [round(draw.uniform(0.2, 0.9), 4) for _ in steps]
            if algorithm == "VREx" and hparams_seed == 1:
                # Far below the bar, with losses so small that a factor of 1e8 does not exclude the run.
                for key, values in columns.items():
                    columns[key] = [short(value * (0.1 if key.endswith("acc") else 1e-12)) for value in values]
            if algorithm == "Fishr" and hparams_seed == 2:
                columns = runs[-1]["columns"]  # a tie between draws 1 and 2
            runs.append({"args": args, "columns": columns})
records = [{"args": run["args"], "hparams": {}, "step": step, **{key: run["columns"][key][i] for key in run["columns"]}}
           for run in runs for i, step in enumerate(steps)]
choices = []
for name, validation in (("PAIRIIDAccuracySelectionMethod", "train-domain"),
                         ("PAIROracleSelectionMethod", "test-domain")):
    method = space[name]
    for dataset, algorithm, test_env in sorted({(r["args"]["dataset"], r["args"]["algorithm"],
                                                 r["args"]["test_envs"][0]) for r in records}):
        group = Q([r for r in records if (r["args"]["dataset"], r["args"]["algorithm"], r["args"]["test_envs"][0]) ==
                   (dataset, algorithm, test_env)])
        ranked = method.hparams_accs(group)
        choices.append({"validation": validation, "dataset": dataset, "algorithm": algorithm, "test_env": test_env,
                        "first_preference": float(method.preference_base),
                        "ranked": [{"hparams_seed": of_run[0]["args"]["hparams_seed"], "validation": accs["val_acc"],
                                    "test": accs["test_acc"], "score": float(accs["pair_score"])}
                                   for accs, of_run in ranked]})
(here / "domainbed.json").write_text(json.dumps({"steps": list(steps), "runs": runs, "choices": choices}) + "\n")
