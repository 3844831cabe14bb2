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

// An ERM step of a network of torchvision in plain PyTorch, eager. Arguments: device, threads, the network's name,
// environments, samples per environment, side of the images. Prints torch's version and the number of
// parameters; then, for every line "PRECISION LAYOUT STEPS", takes that many steps and prints the seconds.
// PRECISION: default (torch's own settings), fp32, tf32 or bf16; LAYOUT: contiguous or channels_last.
inline constexpr std::string_view network_python = R"(
import sys, time
import torch, torchvision
import torch.nn.functional as F

device, name = sys.argv[1], sys.argv[3]
threads, environments, batch, side = map(int, (sys.argv[2], *sys.argv[4:7]))
torch.set_num_threads(threads)
cuda = device.startswith("cuda")
images = torch.rand(environments * batch, 3, side, side, device=device)
labels = torch.randint(0, 7, (environments * batch,), device=device)
ready = {}

def made(layout):
    if layout not in ready:
        format = torch.channels_last if layout == "channels_last" else torch.contiguous_format
        network = getattr(torchvision.models, name)(num_classes=7).to(device).to(memory_format=format)
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
