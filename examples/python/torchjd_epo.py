"""EPO inside TorchJD (torch 2.3 or later): Jacobian descent towards a preferred point of the Pareto front."""

import torch
from torchjd.aggregation import GramianWeightedAggregator
from torchjd.autojac import backward, jac_to_grad

from pair.torch import EPO

torch.manual_seed(0)
inputs = torch.randn(256, 4)
targets = torch.stack([inputs.sum(1), inputs[:, 0] - inputs[:, 1]], 1)
model = torch.nn.Linear(4, 1)  # one output for two targets: the losses conflict
sgd = torch.optim.SGD(model.parameters(), lr=0.05)
epo = EPO(preference=[1, 3], epsilon=1e-4)  # asks for losses in the ratio 3 : 1
aggregator = GramianWeightedAggregator(epo)

for step in range(300):
    losses = (model(inputs) - targets).square().mean(0)
    epo.set_losses(losses)
    backward([losses[0], losses[1]])
    jac_to_grad(model.parameters(), aggregator)
    sgd.step()
    sgd.zero_grad()

losses = (model(inputs) - targets).square().mean(0)
print(f"ratio of the losses: {float(losses[0] / losses[1]):.2f}")
