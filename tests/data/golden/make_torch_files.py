#!/usr/bin/env python3
"""Writes the .pth files of this folder, which tests/data/torch_file_test.cpp reads where PyTorch is not installed.

    make_torch_files.py [FOLDER]

Needs torch (Debian: python3-torch; the stored files were written with 1.13). Every file is read back with
torch.load, so that the formats written by hand here (deflate, tar) are known to be PyTorch's own.
"""
import collections
import io
import os
import pickle
import struct
import sys
import tarfile
import zipfile

import torch


def state():
    weight = torch.arange(6.0).reshape(2, 3)
    return collections.OrderedDict(
        weight=weight,
        row=weight[1],  # shares the storage
        turned=torch.arange(6.0).reshape(2, 3).t(),  # not row by row
        half=torch.tensor([0.5, -2.0]).half(),
        bf16=torch.tensor([1.5]).bfloat16(),
        double=torch.tensor([0.1], dtype=torch.float64),
        count=torch.tensor(7),
        mask=torch.tensor([True, False]),
        empty=torch.empty(0, 3),
        parameter=torch.nn.Parameter(torch.tensor([9.0])),
    )


def deflated(data):
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            new.writestr(zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0)), old.read(name), zipfile.ZIP_DEFLATED)
    return out.getvalue()


class TarPickler(pickle.Pickler):
    """A tensor is a reference to its number, as in the first versions of PyTorch."""

    def persistent_id(self, value):
        return str(100 + self.tensors.index(id(value))) if isinstance(value, torch.Tensor) else None


def as_tar(tensors):
    classes = {torch.float32: torch.FloatStorage, torch.int64: torch.LongStorage}
    storages, described, pickled = io.BytesIO(), io.BytesIO(), io.BytesIO()
    pickle.dump(len(tensors), storages, protocol=2)
    pickle.dump(len(tensors), described, protocol=2)
    for number, tensor in enumerate(tensors.values()):
        flat = tensor.storage()
        pickle.dump((200 + number, "cpu", classes[tensor.dtype]), storages, protocol=2)
        storages.write(struct.pack("<q", len(flat)))
        storages.write(torch.tensor(flat.tolist(), dtype=tensor.dtype).numpy().tobytes())
        pickle.dump((100 + number, 200 + number, torch.FloatTensor), described, protocol=2)
        described.write(struct.pack("<ii", tensor.dim(), 0))
        described.write(struct.pack("<%dq" % (2 * tensor.dim() + 1), *tensor.size(), *tensor.stride(),
                                    tensor.storage_offset()))
    pickle.dump([], storages, protocol=2)
    pickler = TarPickler(pickled, protocol=2)
    pickler.tensors = [id(tensor) for tensor in tensors.values()]
    pickler.dump(collections.OrderedDict(tensors))
    system = io.BytesIO()
    pickle.dump({"protocol_version": 1000, "little_endian": True}, system, protocol=2)
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for name, part in [("sys_info", system), ("pickle", pickled), ("storages", storages), ("tensors", described)]:
            info = tarfile.TarInfo(name)
            info.size = len(part.getvalue())
            tar.addfile(info, io.BytesIO(part.getvalue()))
    return out.getvalue()


class Code:
    def __reduce__(self):
        return os.system, ("touch hacked",)


def main():
    folder = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__))

    def write(name, data, check=True):
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(data)
        return torch.load(path, weights_only=False) if check else None

    def saved(value, **options):
        out = io.BytesIO()
        torch.save(value, out, **options)
        return out.getvalue()

    write("zip.pth", saved(state()))
    write("deflated.pth", deflated(saved(state())))
    write("stream.pth", saved(state(), _use_new_zipfile_serialization=False))
    optimizer = torch.optim.Adam([torch.nn.Parameter(torch.zeros(2))])
    checkpoint = {"epoch": 3, "loss": 0.25, "name": "run", "done": None, "optimizer": optimizer.state_dict(),
                  "state_dict": {"module." + name: value for name, value in state().items()}}
    write("checkpoint.pth", saved(checkpoint))
    tensors = collections.OrderedDict(weight=torch.arange(6.0).reshape(2, 3),
                                      turned=torch.arange(6.0).reshape(2, 3).t(), count=torch.tensor(7))
    read = write("tar.pth", as_tar(tensors))
    assert all(torch.equal(read[name], value) for name, value in tensors.items())
    write("whole_module.pth", saved(torch.nn.Linear(2, 1)))
    write("code.pth", saved({"weight": torch.zeros(1), "extra": Code()}), check=False)


if __name__ == "__main__":
    main()
