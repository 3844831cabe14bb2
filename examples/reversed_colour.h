#pragma once

#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim.h>
#include <torch/utils.h>

// Data for the two training loops. Every environment shows the label through a shape, which is right three
// times in four, and through a colour, which is wrong with probability beta. ERM learns the colour where beta
// is small; with beta 0.9 the colour misleads.

struct Environment {
  torch::Tensor inputs;  // [samples, 2]: shape and colour, -1 or 1 with a little noise
  torch::Tensor labels;  // [samples]: 0 or 1
};

inline Environment environment(double beta, std::int64_t samples) {
  const auto flips = [samples](double probability) { return torch::rand({samples}) < probability; };
  const torch::Tensor shape = flips(0.5);
  const torch::Tensor label = shape ^ flips(0.25);
  const torch::Tensor colour = label ^ flips(beta);
  const auto seen = [samples](const torch::Tensor& bit) {
    return bit.to(torch::kFloat) * 2 - 1 + 0.1 * torch::randn({samples});
  };
  return {torch::stack({seen(shape), seen(colour)}, 1), label.to(torch::kFloat)};
}

inline double accuracy(torch::nn::Sequential& model, const Environment& data) {
  const torch::NoGradGuard no_graph;
  return ((model->forward(data.inputs).squeeze(1) > 0) == (data.labels > 0.5))
      .to(torch::kFloat)
      .mean()
      .item<double>();
}
