#pragma once

#include <string_view>

namespace pair::bench {

// Pillow and torchvision on JPEG files: DomainBed's transforms up to bytes [3, 224, 224]. Prints the
// versions; then, for every line "ROUNDS FILE...", decodes and augments each file that often and prints the
// processor's seconds per image.
inline constexpr std::string_view transforms_python = R"(
import sys, time
import PIL, torch, torchvision
from PIL import Image
from torchvision import transforms

torch.set_num_threads(1)
augment = transforms.Compose([
    transforms.RandomResizedCrop(224, scale=(0.7, 1.0)),
    transforms.RandomHorizontalFlip(),
    transforms.ColorJitter(0.3, 0.3, 0.3, 0.3),
    transforms.RandomGrayscale(),
    transforms.PILToTensor(),
])
print(torchvision.__version__, PIL.__version__, flush=True)
for line in sys.stdin:
    rounds, *files = line.split()
    began = time.process_time()
    for _ in range(int(rounds)):
        for file in files:
            with open(file, "rb") as stream:
                augment(Image.open(stream).convert("RGB"))
    print((time.process_time() - began) / (int(rounds) * len(files)), flush=True)
)";

// Residual networks and an ERM step in plain PyTorch, eager. Arguments: device, threads, depth (18 or 50),
// environments, samples per environment, side of the images. Prints torch's version and the number of
// parameters; then, for every line "PRECISION LAYOUT STEPS", takes that many steps and prints the seconds.
// PRECISION: default (torch's own settings), fp32, tf32 or bf16; LAYOUT: contiguous or channels_last.
inline constexpr std::string_view resnet_python = R"(
import sys, time
import torch
from torch import nn
import torch.nn.functional as F

device, threads, depth, environments, batch, side = sys.argv[1], *map(int, sys.argv[2:7])
torch.set_num_threads(threads)
cuda = device.startswith("cuda")

def convolution(i, o, k, s):
    return nn.Conv2d(i, o, k, s, k // 2, bias=False)

class Block(nn.Module):
    def __init__(self, i, width, stride, deep):
        super().__init__()
        out = 4 * width if deep else width
        sizes = [(i, width, 1, 1), (width, width, 3, stride), (width, out, 1, 1)] if deep else [
            (i, width, 3, stride), (width, width, 3, 1)]
        self.convolutions = nn.ModuleList(convolution(*size) for size in sizes)
        self.norms = nn.ModuleList(nn.BatchNorm2d(size[1]) for size in sizes)
        self.downsample = None
        if i != out or stride != 1:
            self.downsample = nn.Sequential(convolution(i, out, 1, stride), nn.BatchNorm2d(out))

    def forward(self, x):
        y = x
        for n, (convolution, norm) in enumerate(zip(self.convolutions, self.norms)):
            y = norm(convolution(y))
            if n + 1 < len(self.convolutions):
                y = F.relu(y, inplace=True)
        return F.relu(y + (x if self.downsample is None else self.downsample(x)), inplace=True)

class ResNet(nn.Module):
    def __init__(self, blocks, deep, classes):
        super().__init__()
        self.first, self.norm = convolution(3, 64, 7, 2), nn.BatchNorm2d(64)
        layers, i = [], 64
        for n, count in enumerate(blocks):
            for b in range(count):
                layers.append(Block(i, 64 << n, 2 if b == 0 and n > 0 else 1, deep))
                i = (64 << n) * (4 if deep else 1)
        self.layers, self.head = nn.Sequential(*layers), nn.Linear(i, classes)

    def forward(self, x):
        x = F.max_pool2d(F.relu(self.norm(self.first(x)), inplace=True), 3, 2, 1)
        return self.head(F.adaptive_avg_pool2d(self.layers(x), 1).flatten(1))

deep = depth == 50
blocks = [3, 4, 6, 3] if deep else [2, 2, 2, 2]
images = torch.rand(environments * batch, 3, side, side, device=device)
labels = torch.randint(0, 7, (environments * batch,), device=device)
ready = {}

def made(layout):
    if layout not in ready:
        format = torch.channels_last if layout == "channels_last" else torch.contiguous_format
        network = ResNet(blocks, deep, 7).to(device).to(memory_format=format)
        ready[layout] = (network, torch.optim.Adam(network.parameters(), lr=5e-5), images.to(memory_format=format))
    return ready[layout]

def step(layout, precision):
    network, optimizer, x = made(layout)
    with torch.autocast("cuda" if cuda else "cpu", torch.bfloat16, enabled=precision == "bf16"):
        outputs = network(x)
    # The mean over environments of each environment's risk, as DomainBed's ERM.
    loss = F.cross_entropy(outputs.float(), labels)
    optimizer.zero_grad(set_to_none=True)
    loss.backward()
    optimizer.step()

def wait():
    if cuda:
        torch.cuda.synchronize()

products, convolutions = torch.backends.cuda.matmul.allow_tf32, torch.backends.cudnn.allow_tf32
print(torch.__version__, sum(p.numel() for p in made("contiguous")[0].parameters()), flush=True)
for line in sys.stdin:
    precision, layout, steps = line.split()
    torch.backends.cuda.matmul.allow_tf32 = products if precision == "default" else precision != "fp32"
    torch.backends.cudnn.allow_tf32 = convolutions if precision == "default" else precision != "fp32"
    wait()
    began = time.perf_counter()
    for _ in range(int(steps)):
        step(layout, precision)
    wait()
    print(time.perf_counter() - began, flush=True)
)";

}  // namespace pair::bench
