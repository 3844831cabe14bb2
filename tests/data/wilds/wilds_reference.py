#!/usr/bin/env python3
"""What the Python package wilds says about a folder, for comparison with 'pair data' and 'pair score'.

    wilds_reference.py PACKAGE samples NAME ROOT SPLIT [FOLD]      one JSON object per line, as 'pair data samples --json'
    wilds_reference.py PACKAGE score NAME ROOT SPLIT FILE [FOLD]   a JSON object of all scores
    wilds_reference.py PACKAGE image NAME ROOT SAMPLE              mean of each channel, in doubles

PACKAGE is a folder with the source of wilds (github.com/p-lambda/wilds, version 2.0.0), which needs numpy, pandas, torch,
torchvision, scikit-learn, scipy, pytz and tqdm. torch_scatter, which is hard to install, is replaced if it is missing.
"""
import json
import sys
import types

package, command, name, root = sys.argv[1:5]
sys.path.insert(0, package)

import numpy as np
import torch

try:
    import torch_scatter  # noqa: F401
except ImportError:
    def scatter(src, index, dim_size, reduce):
        assert reduce == "mean"
        sums = torch.zeros(dim_size, dtype=src.dtype).index_add_(0, index, src)
        counts = torch.zeros(dim_size, dtype=src.dtype).index_add_(0, index, torch.ones_like(src))
        return sums / counts.clamp(min=1)
    sys.modules["torch_scatter"] = types.ModuleType("torch_scatter")
    sys.modules["torch_scatter"].scatter = scatter


def dataset(fold):
    if name == "camelyon17":
        from wilds.datasets.camelyon17_dataset import Camelyon17Dataset as kind
    elif name == "civilcomments":
        from wilds.datasets.civilcomments_dataset import CivilCommentsDataset as kind
    elif name == "fmow":
        from wilds.datasets.fmow_dataset import FMoWDataset as kind
    elif name == "iwildcam":
        from wilds.datasets.iwildcam_dataset import IWildCamDataset as kind
    elif name == "poverty":
        from wilds.datasets.poverty_dataset import PovertyMapDataset
        return PovertyMapDataset(root_dir=root, fold=fold)
    else:
        from wilds.datasets.rxrx1_dataset import RxRx1Dataset as kind
    return kind(root_dir=root)


def path_of(data, i):
    if name == "fmow":
        return f"images/rgb_img_{data.full_idxs[i]}.png"
    if name == "poverty":
        return f"images/landsat_poverty_img_{i}.npz"
    return ("train/" if name == "iwildcam" else "") + str(data._input_array[i])


def number(value):
    value = float(value)
    return int(value) if value == int(value) else value


fold = "A"
if command == "samples":
    split = sys.argv[5]
    fold = sys.argv[6] if len(sys.argv) > 6 else "A"
    data = dataset(fold)
    subset = data.get_subset(split)
    for i in subset.indices:
        row = {"id": int(i)}
        if name == "civilcomments":
            row["text"] = data.get_input(i)
        else:
            row["path"] = path_of(data, i)
        row["label"] = number(data.y_array[i])
        row["metadata"] = {field: number(value) for field, value in zip(data.metadata_fields, data.metadata_array[i])}
        print(json.dumps(row))
elif command == "score":
    split, file = sys.argv[5:7]
    data = dataset(sys.argv[7] if len(sys.argv) > 7 else "A")
    subset = data.get_subset(split)
    predictions = torch.from_numpy(np.array([float(line) for line in open(file) if line.strip()]))
    if predictions.shape != subset.y_array.shape:
        predictions.unsqueeze_(-1)
    print(json.dumps(data.eval(predictions, subset.y_array, subset.metadata_array)[0]))
else:
    data = dataset("A")
    x = data.get_input(int(sys.argv[5]))
    if not torch.is_tensor(x):
        x = torch.from_numpy(np.asarray(x)).permute(2, 0, 1)
    print(json.dumps({"shape": list(x.shape), "means": x.double().mean(dim=(1, 2)).tolist()}))
