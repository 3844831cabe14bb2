"""Draws the weights of PAIR-o over time on ColoredMNIST. The cells (# %%) can be run one by one in a notebook.

    python draw_weights.py [STEPS] [DIGITS] [FILE]     defaults: 300 5000 weights.png
"""

# %% Data: two training environments; the colour predicts the label better than the shape, and is reversed in the test.
import sys

import numpy as np
import torch

import pair
from pair.torch import Batch, Pair, erm, irmv1, vrex
from pair.torch.models import MLP

arguments = sys.argv[1:] if __name__ == "__main__" else []
steps, digits = (int(arguments[i]) if len(arguments) > i else default for i, default in enumerate((300, 5000)))
file = arguments[2] if len(arguments) > 2 else "weights.png"
train, test = pair.colored_mnist(seed=0, train_digits=digits, test_digits=2000)
inputs = torch.from_numpy(np.concatenate([environment.inputs for environment in train]))
labels = torch.from_numpy(np.concatenate([environment.labels for environment in train]))
sizes = [len(environment.labels) for environment in train]

# %% Training: ERM with Adam for half of the steps, then PAIR-o.
model = MLP(inputs.shape[1], seed=0)
adam = torch.optim.Adam(model.parameters(), lr=1e-3, weight_decay=2e-3)
sgd = torch.optim.SGD(model.parameters(), lr=0.2, momentum=0.9)
pair_o = Pair(sgd, [1, 1e10, 1e12], model.head.parameters(), pretrain=steps // 2, pretrain_optimizer=adam)
taken = []
for number in range(steps):
    batch = Batch(model(inputs), labels, sizes)
    step = pair_o.step({"erm": erm(batch), "irmv1": irmv1(batch), "vrex": vrex(batch)})
    if step.taken:
        taken.append((number, step))

# %% Results.
with torch.no_grad():
    for environment in test:
        right = (model(torch.from_numpy(environment.inputs))[:, 0] > 0).numpy() == (environment.labels > 0.5)
        print(f"{environment.name}: accuracy {right.mean():.3f}")
print(f"{len(taken)} steps taken, {pair_o.guard.backtracks} undone")

# %% The picture.
try:
    import matplotlib
except ImportError:
    sys.exit("matplotlib is not installed, so that nothing is drawn")
matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

times = [number for number, _ in taken]
names = taken[0][1].names
figure, (above, below) = plt.subplots(2, 1, sharex=True, figsize=(7, 5))
above.stackplot(times, np.stack([step.weights for _, step in taken]).T, labels=names)
above.set(ylabel="weight", ylim=(0, 1))
above.legend(loc="lower left")
for i, name in enumerate(names):
    below.semilogy(times, [max(step.losses[i], 1e-9) for _, step in taken], label=name)
below.axvline(steps // 2, color="grey", linewidth=0.8)
below.set(xlabel="step", ylabel="loss")
figure.savefig(file, dpi=120)
print(f"The picture is in {file}")
