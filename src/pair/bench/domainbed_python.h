#pragma once

#include <string_view>

namespace pair::bench {

// DomainBed's network and an ERM step, written by hand in Python with torch. Arguments: threads, samples per
// environment. Prints torch's version and the number of parameters; then, for every line of input, takes that
// many steps and prints the seconds.
inline constexpr std::string_view domainbed_python = R"(
import sys, time
import torch
from torch import nn
import torch.nn.functional as F

threads, batch = int(sys.argv[1]), int(sys.argv[2])
torch.set_num_threads(threads)

class Network(nn.Module):
    def __init__(self):
        super().__init__()
        sizes = [(2, 64, 1), (64, 128, 2), (128, 128, 1), (128, 128, 1)]
        self.convolutions = nn.ModuleList(nn.Conv2d(i, o, 3, s, padding=1) for i, o, s in sizes)
        self.norms = nn.ModuleList(nn.GroupNorm(8, o) for _, o, _ in sizes)
        self.head = nn.Linear(128, 2)

    def forward(self, x):
        for convolution, norm in zip(self.convolutions, self.norms):
            x = norm(F.relu(convolution(x)))
        return self.head(F.adaptive_avg_pool2d(x, 1).flatten(1))

images = [torch.rand(1024, 2, 28, 28) for _ in range(2)]
labels = [torch.randint(0, 2, (1024,)) for _ in range(2)]
network = Network()
optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)

def step():
    rows = [torch.randint(0, 1024, (batch,)) for _ in range(2)]
    x = torch.cat([i[r] for i, r in zip(images, rows)])
    y = torch.cat([l[r] for l, r in zip(labels, rows)])
    loss = F.cross_entropy(network(x), y)
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()

print(torch.__version__, sum(p.numel() for p in network.parameters()), flush=True)
for line in sys.stdin:
    began = time.perf_counter()
    for _ in range(int(line)):
        step()
    print(time.perf_counter() - began, flush=True)
)";

}  // namespace pair::bench
