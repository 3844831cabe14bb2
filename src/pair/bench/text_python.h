#pragma once

#include <string_view>

namespace pair::bench {

// DistilBERT for classification and an ERM step in plain PyTorch, eager: Hugging Face's modules if
// transformers is installed (with attn_implementation="eager"), otherwise the same network written by hand.
// Arguments: device, threads, environments, comments per environment, tokens, layers, heads, dim, hidden,
// vocabulary. Prints torch's version, the number of parameters and whose network it is; then, for every line
// "PRECISION STEPS" (fp32 or tf32), takes that many steps and prints the seconds.
inline constexpr std::string_view text_python = R"(
import math, sys, time
import torch
from torch import nn
import torch.nn.functional as F

device = sys.argv[1]
threads, environments, batch, tokens, layers, heads, dim, hidden, vocabulary = map(int, sys.argv[2:])
torch.set_num_threads(threads)
torch.manual_seed(0)

class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.q, self.k, self.v, self.out = (nn.Linear(dim, dim) for _ in range(4))
        self.norm1, self.norm2 = nn.LayerNorm(dim, eps=1e-12), nn.LayerNorm(dim, eps=1e-12)
        self.lin1, self.lin2 = nn.Linear(dim, hidden), nn.Linear(hidden, dim)

    def forward(self, x, bias):
        n, t, _ = x.shape
        q, k, v = (f(x).view(n, t, heads, -1).transpose(1, 2) for f in (self.q, self.k, self.v))
        scores = torch.matmul(q, k.transpose(2, 3)) * (dim // heads) ** -0.5 + bias
        scores = F.dropout(F.softmax(scores, -1), 0.1, self.training)
        mixed = self.out(torch.matmul(scores, v).transpose(1, 2).reshape(n, t, dim))
        x = self.norm1(mixed + x)
        return self.norm2(F.dropout(self.lin2(F.gelu(self.lin1(x))), 0.1, self.training) + x)

class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.places = nn.Embedding(vocabulary, dim, padding_idx=0), nn.Embedding(512, dim)
        self.norm = nn.LayerNorm(dim, eps=1e-12)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.before, self.head = nn.Linear(dim, dim), nn.Linear(dim, 2)

    def forward(self, ids, mask):
        x = self.words(ids) + self.places(torch.arange(ids.shape[1], device=ids.device))
        x = F.dropout(self.norm(x), 0.1, self.training)
        bias = torch.zeros_like(mask, dtype=x.dtype).masked_fill(mask == 0, torch.finfo(x.dtype).min)[:, None, None]
        for layer in self.layers:
            x = layer(x, bias)
        return self.head(F.dropout(F.relu(self.before(x[:, 0])), 0.2, self.training))

try:
    from transformers import DistilBertConfig, DistilBertForSequenceClassification
    config = DistilBertConfig(vocab_size=vocabulary, dim=dim, hidden_dim=hidden, n_layers=layers, n_heads=heads, num_labels=2)
    config._attn_implementation = "eager"
    whole = DistilBertForSequenceClassification(config)
    network, whose = whole, "transformers"
    logits_of = lambda ids, mask: whole(input_ids=ids, attention_mask=mask).logits
except ImportError:
    network, whose = Network(), "torch"
    logits_of = network
network = network.to(device).train()
count = 256
ids = torch.randint(1, vocabulary, (environments, count, tokens), device=device)
lengths = torch.randint(tokens // 3, tokens + 1, (environments, count, 1), device=device)
mask = (torch.arange(tokens, device=device) < lengths).long()
ids = ids * mask
labels = torch.randint(0, 2, (environments, count), device=device)
optimizer = torch.optim.Adam(network.parameters(), lr=1e-5)

def step():
    rows = torch.randint(0, count, (environments, batch), device=device)
    pick = lambda x: torch.cat([x[e][rows[e]] for e in range(environments)])
    loss = F.cross_entropy(logits_of(pick(ids), pick(mask)), pick(labels))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss

def wait():
    if device != "cpu":
        torch.cuda.synchronize()

print(torch.__version__, sum(p.numel() for p in network.parameters()), whose, flush=True)
for line in sys.stdin:
    precision, steps = line.split()
    torch.backends.cuda.matmul.allow_tf32 = precision == "tf32"
    wait()
    began = time.perf_counter()
    for _ in range(int(steps)):
        loss = step()
    loss.item()
    wait()
    print(time.perf_counter() - began, flush=True)
)";

}  // namespace pair::bench
