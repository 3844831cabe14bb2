"""Makes within_run.json and leave_one_out.json, the choices of the paper's release on made-up inputs.

    python3 make.py RELEASE DOMAINBED

RELEASE: a checkout of github.com/LFhase/PAIR (commit a9a434b); DOMAINBED: one of
github.com/facebookresearch/DomainBed, for its query module. Needs NumPy. The two functions are taken from the
release's files and executed as they are, without the imports that they do not need.
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
