#pragma once

#include <algorithm>

// The least time that a piece of work can take on a card: its operations at the card's rate, or one read and
// one write of its tensors.

namespace pair::bench {

// The throughput of the card on work of our sizes: operations per second in large matrix products, in 32 bits
// (or TF32) and in 16, and bytes per second in a copy.
struct Rates {
  double operations = 0.0;
  double half_operations = 0.0;
  double bytes = 0.0;
};
// On the current CUDA device.
Rates measure_rates();

// The minimum cost of a piece of work: its operations, and one read and write of its tensors.
struct Cost {
  double operations = 0.0;
  double half_operations = 0.0;
  double bytes = 0.0;
  [[nodiscard]] double milliseconds(const Rates& rates) const {
    return 1e3 * std::max(operations / rates.operations + half_operations / rates.half_operations,
                          bytes / rates.bytes);
  }
  Cost operator*(double times) const { return {times * operations, times * half_operations, times * bytes}; }
  Cost operator+(const Cost& other) const {
    return {operations + other.operations, half_operations + other.half_operations, bytes + other.bytes};
  }
  [[nodiscard]] Cost in_half() const { return {0.0, operations + half_operations, bytes / 2.0}; }
};

// The paper's network on n samples: a forward pass, and a training step.
Cost mlp_forward(double n);
Cost mlp_step(double n);

// DomainBed's network for digits, likewise; the step in 32 bits or in 16.
Cost cnn_forward(double n);
Cost cnn_step(double n, bool half);

}  // namespace pair::bench
