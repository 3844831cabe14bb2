"""Makes tables.txt in complete, incomplete and ten_trials: the tables that DomainBed prints for their records.

    python3 make.py DOMAINBED

DOMAINBED: a checkout of github.com/facebookresearch/DomainBed. Needs NumPy, PyTorch and torchvision. The stored files:
DomainBed's commit b93c22a, NumPy 1.24, PyTorch 1.13.1 and torchvision 0.14.1 (Debian).

Runs DomainBed's scripts/collect_results.py as it is, and with it its model_selection.py, on the made-up records of
results.jsonl. Empty modules replace those of other packages that it imports for data and networks. Spaces at the ends
of lines are taken away, and so are the lines before the first table, which count the records.
"""
import pathlib
import runpy
import shutil
import sys
import tempfile
import types

domainbed = pathlib.Path(sys.argv[1])
here = pathlib.Path(__file__).parent

for name, members in {"tqdm": {"tqdm": lambda values, **_: values}, "timm": {}, "wilds": {}, "wilds.datasets": {},
                      "wilds.datasets.camelyon17_dataset": {"Camelyon17Dataset": object},
                      "wilds.datasets.fmow_dataset": {"FMoWDataset": object}}.items():
    sys.modules[name] = types.ModuleType(name)
    vars(sys.modules[name]).update(members)
sys.path.insert(0, str(domainbed))

output = sys.stdout
for sweep in ("complete", "incomplete", "ten_trials"):
    with tempfile.TemporaryDirectory() as folder:
        run = pathlib.Path(folder) / "run"
        run.mkdir()
        shutil.copy(here / sweep / "results.jsonl", run)
        sys.argv = ["collect_results", "--input_dir", folder]
        runpy.run_module("domainbed.scripts.collect_results", run_name="__main__")
        sys.stdout = output  # the script has replaced it by a copy to the file
        text = (pathlib.Path(folder) / "results.txt").read_text()
    text = text[text.index("-------- "):]
    (here / sweep / "tables.txt").write_text("".join(line.rstrip() + "\n" for line in text.splitlines()))
