"""Models of finished runs."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Union

if TYPE_CHECKING:
    import torch


def load(run: Union[str, "os.PathLike[str]"]) -> "torch.nn.Module":
    """The model of a finished run, or of a folder with its ``model.json`` and ``model.safetensors``.

    A torch module in evaluation mode. ``resnet18``, ``resnet50`` and ``densenet121`` are torchvision's classes (dropout before
    the head, which only acts in training, is left out), ``distilbert`` is transformers'
    ``DistilBertForSequenceClassification``; the others are those of :mod:`pair.torch.models`. Its attribute ``card`` is
    the content of ``model.json``: classes, the form of inputs, the origin.

    Raises ValueError if the folder is not that of a finished run with a model, or if its files were altered.
    """
    from .torch._trained import load as load_module

    return load_module(run)
