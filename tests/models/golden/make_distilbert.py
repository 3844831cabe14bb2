#!/usr/bin/env python3
"""Writes distilbert.pth: weights of a small DistilBERT for classification under Hugging Face's names, and its logits.

    python3 tests/models/golden/make_distilbert.py      (with PyTorch; made with 1.13)

The logits come from the formulas of transformers' modeling_distilbert.py (d56c55b), written here text by text and head by
head in double precision, without its modules. "io.ids" has -1 behind the end of a text; "io.logits" are the logits.
"""

import math
import pathlib

import torch

VOCABULARY, POSITIONS, DIM, HEADS, HIDDEN, LAYERS, CLASSES = 40, 12, 12, 3, 20, 2, 3


def weights():
    torch.manual_seed(7)
    state = {}

    def linear(name, inputs, outputs):
        state[name + ".weight"] = torch.randn(outputs, inputs) * 0.4
        state[name + ".bias"] = torch.randn(outputs) * 0.1

    def norm(name):
        state[name + ".weight"] = 1 + 0.2 * torch.randn(DIM)
        state[name + ".bias"] = 0.1 * torch.randn(DIM)

    state["distilbert.embeddings.word_embeddings.weight"] = torch.randn(VOCABULARY, DIM)
    state["distilbert.embeddings.position_embeddings.weight"] = torch.randn(POSITIONS, DIM)
    norm("distilbert.embeddings.LayerNorm")
    for layer in range(LAYERS):
        name = f"distilbert.transformer.layer.{layer}."
        for part in ("q_lin", "k_lin", "v_lin", "out_lin"):
            linear(name + "attention." + part, DIM, DIM)
        norm(name + "sa_layer_norm")
        linear(name + "ffn.lin1", DIM, HIDDEN)
        linear(name + "ffn.lin2", HIDDEN, DIM)
        norm(name + "output_layer_norm")
    linear("pre_classifier", DIM, DIM)
    linear("classifier", DIM, CLASSES)
    return state


def logits_of(state, ids):
    w = {name: value.double() for name, value in state.items()}

    def linear(name, x):
        return x @ w[name + ".weight"].T + w[name + ".bias"]

    def norm(name, x):
        mean = x.mean(-1, keepdim=True)
        variance = ((x - mean) ** 2).mean(-1, keepdim=True)
        return (x - mean) / torch.sqrt(variance + 1e-12) * w[name + ".weight"] + w[name + ".bias"]

    def gelu(x):
        return x * 0.5 * (1 + torch.erf(x / math.sqrt(2)))

    # Without the tokens behind its end: nothing attends to them.
    x = torch.stack([w["distilbert.embeddings.word_embeddings.weight"][token]
                     + w["distilbert.embeddings.position_embeddings.weight"][place] for place, token in enumerate(ids)])
    x = norm("distilbert.embeddings.LayerNorm", x)
    size = DIM // HEADS
    for layer in range(LAYERS):
        name = f"distilbert.transformer.layer.{layer}."
        q, k, v = (linear(name + "attention." + part, x) for part in ("q_lin", "k_lin", "v_lin"))
        heads = []
        for head in range(HEADS):
            own = slice(head * size, (head + 1) * size)
            scores = torch.softmax(q[:, own] @ k[:, own].T / math.sqrt(size), -1)
            heads.append(scores @ v[:, own])
        x = norm(name + "sa_layer_norm", linear(name + "attention.out_lin", torch.cat(heads, -1)) + x)
        x = norm(name + "output_layer_norm", linear(name + "ffn.lin2", gelu(linear(name + "ffn.lin1", x))) + x)
    return linear("classifier", torch.relu(linear("pre_classifier", x[0])))


def main():
    state = weights()
    texts = [[2, 5, 17, 39, 3], [2, 3], [2, 11, 0, 25, 25, 7, 30, 8, 3], [2, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 3]]
    logits = torch.stack([logits_of(state, ids) for ids in texts]).float()
    rows = torch.tensor([ids + [-1] * (POSITIONS - len(ids)) for ids in texts], dtype=torch.int32)
    torch.save({**state, "io.ids": rows, "io.logits": logits}, pathlib.Path(__file__).with_name("distilbert.pth"))
    print(logits)


main()
