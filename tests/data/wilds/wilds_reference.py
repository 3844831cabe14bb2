#!/usr/bin/env python3
"""What the Python package wilds says about a folder, for comparison with 'pair data' and 'pair score'.

    wilds_reference.py PACKAGE samples NAME ROOT SPLIT [FOLD]      one JSON object per line, as 'pair data samples --json'
    wilds_reference.py PACKAGE score NAME ROOT SPLIT FILE [FOLD]   a JSON object of all scores
    wilds_reference.py PACKAGE golden all ROOT                     ../golden/wilds.json, of made-up folders in ROOT

The last was made with
    pair data generate camelyon17 civilcomments fmow iwildcam poverty rxrx1 --data-root ROOT
For each dataset and split (and fold of PovertyMap): the number of samples, a checksum of their order, labels and metadata,
the mean of each channel of the first image, and the scores of predictions that made_predictions computes.

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


def dataset(fold, name):
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


def path_of(data, i, name):
    if name == "fmow":
        return f"images/rgb_img_{data.full_idxs[i]}.png"
    if name == "poverty":
        return f"images/landsat_poverty_img_{i}.npz"
    return ("train/" if name == "iwildcam" else "") + str(data._input_array[i])


def number(value):
    value = float(value)
    return int(value) if value == int(value) else value


def made_predictions(data, subset):
    """Right in 7 of 10 samples; or half of the label, with an error."""
    labels = subset.y_array.flatten().tolist()
    if data.n_classes is None:
        return [0.5 * label + (37 * i % 101) / 101 - 0.5 for i, label in enumerate(labels)]
    return [label if 7 * i % 10 < 7 else (label + 1) % data.n_classes for i, label in enumerate(labels)]


def scores(data, subset, predictions):
    predictions = torch.from_numpy(np.array(predictions))
    if predictions.shape != subset.y_array.shape:
        predictions.unsqueeze_(-1)
    return data.eval(predictions, subset.y_array, subset.metadata_array)[0]


def checksum(data, subset):
    """Depends on the order, the label and all metadata of the samples."""
    total = 0
    for place, i in enumerate(subset.indices):
        total += (place + 1) * int(i)
        for column, value in enumerate(data.metadata_array[i].tolist()):
            total += (column + 1) * (place % 7 + 1) * (int(1000 * value) if value != int(value) else int(value))
    return total


def channel_means(data, i):
    x = data.get_input(i)
    if not torch.is_tensor(x):
        x = torch.from_numpy(np.asarray(x)).permute(2, 0, 1)
    return x.double().mean(dim=(1, 2)).tolist()


if command == "samples":
    split = sys.argv[5]
    data = dataset(sys.argv[6] if len(sys.argv) > 6 else "A", name)
    for i in data.get_subset(split).indices:
        row = {"id": int(i)}
        if name == "civilcomments":
            row["text"] = data.get_input(i)
        else:
            row["path"] = path_of(data, i, name)
        row["label"] = number(data.y_array[i])
        row["metadata"] = {field: number(value) for field, value in zip(data.metadata_fields, data.metadata_array[i])}
        print(json.dumps(row))
elif command == "score":
    split, file = sys.argv[5:7]
    data = dataset(sys.argv[7] if len(sys.argv) > 7 else "A", name)
    print(json.dumps(scores(data, data.get_subset(split), [float(line) for line in open(file) if line.strip()])))
else:
    golden = {}
    for name in ["camelyon17", "civilcomments", "fmow", "iwildcam", "poverty", "rxrx1"]:
        for fold in "ABCDE" if name == "poverty" else "A":
            data = dataset(fold, name)
            for split in data.split_dict:
                subset = data.get_subset(split)
                entry = {"samples": len(subset), "checksum": checksum(data, subset),
                         "scores": scores(data, subset, made_predictions(data, subset))}
                if name != "civilcomments":
                    entry["means"] = channel_means(data, subset.indices[0])
                golden[f"{name} {split} {fold}"] = entry
    print(json.dumps(golden, indent=1))
