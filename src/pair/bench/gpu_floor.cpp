#include "pair/bench/gpu_floor.h"

#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <cstdint>
#include <functional>

#include "pair/bench/step_time.h"

namespace pair::bench {
namespace {

// The forward product of a layer; its activations are written once and read once by the next layer.
Cost linear(double rows, double in, double out) {
  return {2.0 * rows * in * out, 0.0, 4.0 * rows * (in + out)};
}

}  // namespace

Rates measure_rates() {
  constexpr std::int64_t side = 8192;
  constexpr int repeats = 10;
  const torch::NoGradGuard no_graph;
  const auto best = [](const std::function<void()>& work) {
    double least = seconds_on(torch::kCUDA, work);
    for (int i = 0; i < 4; ++i) {
      least = std::min(least, seconds_on(torch::kCUDA, work));
    }
    return least;
  };
  Rates rates;
  const auto operations = [&](torch::ScalarType type) {
    const torch::Tensor a = torch::rand({side, side}, torch::kCUDA).to(type);
    const torch::Tensor b = torch::rand({side, side}, torch::kCUDA).to(type);
    torch::Tensor c = torch::empty_like(a);
    const double products = best([&] {
      for (int i = 0; i < repeats; ++i) {
        torch::mm_out(c, a, b);
      }
    });
    return repeats * 2.0 * static_cast<double>(side * side * side) / products;
  };
  rates.operations = operations(torch::kFloat);
  rates.half_operations = operations(torch::kHalf);
  const torch::Tensor from = torch::empty({1 << 28}, torch::kCUDA);
  torch::Tensor to = torch::empty_like(from);
  const double copies = best([&] {
    for (int i = 0; i < repeats; ++i) {
      to.copy_(from);
    }
  });
  rates.bytes = repeats * 2.0 * static_cast<double>(from.nbytes()) / copies;
  return rates;
}

Cost mlp_forward(double n) {
  return linear(n, 392, 256) + linear(n, 256, 256);
}
// Forward pass, gradients of the weights, and gradient of the second layer's input.
Cost mlp_step(double n) {
  return mlp_forward(n) * 2.0 + linear(n, 256, 256);
}

// Four convolutions of 3 x 3.
Cost cnn_forward(double n) {
  const auto convolution = [n](double in, double in_pixels, double out, double pixels) {
    return Cost{2.0 * n * pixels * 9.0 * in * out, 0.0, 4.0 * n * (in * in_pixels + out * pixels)};
  };
  return convolution(2, 784, 64, 784) + convolution(64, 784, 128, 196) +
         convolution(128, 196, 128, 196) * 2.0;
}
Cost cnn_step(double n, bool half) {
  const Cost cost = cnn_forward(n) * 3.0;
  return half ? cost.in_half() : cost;
}

}  // namespace pair::bench
