"""Reads model.json and model.safetensors of a finished run."""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
from typing import Any, Callable, Dict, Union

import torch

from . import models

_TYPES = {
    "F64": torch.float64, "F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "I64": torch.int64,
    "I32": torch.int32, "I16": torch.int16, "I8": torch.int8, "U8": torch.uint8, "BOOL": torch.bool,
}  # fmt: skip


def load(run: Union[str, "os.PathLike[str]"]) -> torch.nn.Module:
    folder = pathlib.Path(run)
    card = _card_of(folder)
    file = folder / "model.json"
    weights = folder / "model.safetensors"
    try:
        content = weights.read_bytes()
    except OSError as error:
        raise ValueError(f"{weights} cannot be read: {error.strerror}") from error
    if hashlib.sha256(content).hexdigest() != _part(file, card, "weights_sha256"):
        raise ValueError(f"{weights} is not as the run left it")
    module = _network(file, card)
    try:
        state = _tensors(content)
        # torchvision counts batches; the program may not.
        expected = module.state_dict()
        for name in expected:
            if name.endswith("num_batches_tracked"):
                state.setdefault(name, expected[name])
        module.load_state_dict(state)
    except (RuntimeError, KeyError, ValueError) as error:
        raise ValueError(f"{weights} does not match the model: {error}") from error
    module.card = card  # type: ignore[assignment]
    return module.eval()


def _card_of(folder: pathlib.Path) -> Dict[str, Any]:
    if not folder.is_dir():
        fault = "is not a folder" if folder.exists() else "does not exist"
        raise ValueError(f"{folder}: expected the folder of a finished run, got a path that {fault}")
    is_run = (folder / "spec.json").exists() or (folder / "results.jsonl").exists()
    done = folder / "done"
    if is_run and not done.exists():
        raise ValueError(f"{folder}: expected a finished run, got one that is not ('done' is missing)")
    file = folder / "model.json"
    if not file.exists():
        if done.exists():
            raise ValueError(
                f"{folder}: expected a run with a model, got one without model.json; 'pair export' makes it from the "
                "run's checkpoint"
            )
        raise ValueError(f"{folder}: expected the folder of a finished run, got one without model.json")
    text = file.read_bytes()
    if done.exists():
        try:
            expected = json.loads(done.read_text()).get("model_sha256")
        except (ValueError, AttributeError):
            expected = None
        if expected is not None and expected != hashlib.sha256(text).hexdigest():
            raise ValueError(f"{file} is not as the run left it")
    try:
        card = json.loads(text)
    except ValueError as error:
        raise ValueError(f"{file} cannot be used: expected JSON, got text that is not") from error
    if not isinstance(card, dict) or "format" not in card:
        raise ValueError(f'{file} cannot be used: expected a JSON object with "format"')
    if card["format"] != 1:
        raise ValueError(f"{file} cannot be used: format: expected 1, got {card['format']}")
    return card


def _part(file: pathlib.Path, card: Any, *names: str) -> Any:
    """The part of a card at the end of these names, from the outside in."""
    for name in names:
        if not isinstance(card, dict) or name not in card:
            raise ValueError(f"{file} cannot be used: expected what a run writes, got no '{name}'")
        card = card[name]
    return card


def _network(file: pathlib.Path, card: Dict[str, Any]) -> torch.nn.Module:
    def option(name: str) -> Any:
        return _part(file, card, "architecture", "options", name)

    name, outputs = _part(file, card, "architecture", "name"), _part(file, card, "outputs")
    shape = _part(file, card, "input", "shape")
    if name == "mlp":
        return models.MLP(models.product(shape), outputs, width=option("width"), depth=option("depth"))
    if name == "linear":
        return models.LinearModel(models.product(shape), outputs)
    if name == "mnist_cnn":
        return models.MnistCnn(shape[0], outputs)
    if name in ("resnet18", "resnet50", "densenet121"):
        return _of_torchvision(name, shape[0], outputs)
    if name == "distilbert":
        return _distilbert(option, outputs)
    raise ValueError(
        f"unknown model '{name}'. Known: mlp, linear, mnist_cnn, resnet18, resnet50, densenet121, distilbert"
    )


def _of_torchvision(name: str, channels: int, outputs: int) -> torch.nn.Module:
    try:
        import torchvision
    except ImportError as error:
        raise ImportError(f"{name}: expected torchvision, whose class it is, got none installed") from error
    module = getattr(torchvision.models, name)(num_classes=outputs)
    if channels != 3:
        first = torch.nn.Conv2d(channels, 64, 7, stride=2, padding=3, bias=False)
        if name == "densenet121":
            module.features.conv0 = first
        else:
            module.conv1 = first
    return module


def _distilbert(option: Callable[[str], Any], outputs: int) -> torch.nn.Module:
    try:
        import transformers
    except ImportError as error:
        raise ImportError("distilbert: expected transformers, whose class it is, got none installed") from error
    config = transformers.DistilBertConfig(
        vocab_size=option("distilbert_vocabulary"),
        max_position_embeddings=option("distilbert_positions"),
        n_layers=option("distilbert_layers"),
        n_heads=option("distilbert_heads"),
        dim=option("distilbert_dim"),
        hidden_dim=option("distilbert_hidden"),
        num_labels=outputs,
    )
    return transformers.DistilBertForSequenceClassification(config)


def _tensors(content: bytes) -> Dict[str, torch.Tensor]:
    """The format: the header's length (8 bytes, little-endian), the header in JSON, the numbers."""
    length = int.from_bytes(content[:8], "little")
    if 8 + length > len(content):
        raise ValueError("expected a safetensors file, got a header beyond its end")
    header = json.loads(content[8 : 8 + length])
    numbers = bytearray(content[8 + length :])
    tensors = {}
    for name, entry in header.items():
        if name == "__metadata__":
            continue
        begin, end = entry["data_offsets"]
        kind = _TYPES[entry["dtype"]]
        if begin == end:
            tensors[name] = torch.empty(entry["shape"], dtype=kind)
        else:
            # A copy: numbers in the file may be unaligned.
            part = bytearray(numbers[begin:end])
            tensors[name] = torch.frombuffer(part, dtype=kind).reshape(entry["shape"])
    return tensors
