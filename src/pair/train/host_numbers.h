#pragma once

#include <torch/types.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

// The numbers that a step copies from the device for the solver.

namespace pair::train {

inline std::vector<double> to_doubles(const torch::Tensor& tensor) {
  const torch::Tensor flat = tensor.detach().to(torch::kCPU, torch::kDouble).contiguous();
  const auto* data = flat.data_ptr<double>();
  return {data, data + flat.numel()};
}

inline bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double value) { return std::isfinite(value); });
}

inline torch::Tensor flattened(const std::vector<torch::Tensor>& tensors) {
  std::vector<torch::Tensor> flat;
  flat.reserve(tensors.size());
  for (const torch::Tensor& tensor : tensors) {
    flat.push_back(tensor.reshape({-1}));
  }
  return torch::cat(flat);
}

// The numbers of a tensor shaped like a parameter, in the parameter's memory order, [count].
inline torch::Tensor in_order_of(const torch::Tensor& tensor, const torch::Tensor& parameter) {
  const bool last = !parameter.is_contiguous() && parameter.dim() == 4;
  return (last ? tensor.permute({0, 2, 3, 1}) : tensor).reshape({-1});
}

// The same for several tensors, concatenated.
inline torch::Tensor in_order_of(const std::vector<torch::Tensor>& tensors,
                                 const std::vector<torch::Tensor>& parameters) {
  std::vector<torch::Tensor> ordered;
  ordered.reserve(tensors.size());
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    ordered.push_back(in_order_of(tensors[i], parameters[i]));
  }
  return torch::cat(ordered);
}

struct HostNumbers {
  std::vector<double> losses;  // m
  std::vector<double> gram;    // m x m

  [[nodiscard]] bool finite() const { return all_finite(losses) && all_finite(gram); }
};

// values: m scalars; gradients: [m, parameters]. One transfer, in double so that the Gram matrix of float
// gradients is exact to rounding.
inline HostNumbers to_host(const std::vector<torch::Tensor>& values, const torch::Tensor& gradients) {
  const torch::Tensor wide = gradients.detach().to(torch::kDouble);
  const torch::Tensor gram = torch::mm(wide, wide.t());
  const torch::Tensor losses = torch::stack(values).detach().to(torch::kDouble);
  const std::vector<double> numbers = to_doubles(torch::cat({losses, gram.reshape({-1})}));
  const auto m = static_cast<std::ptrdiff_t>(values.size());
  return {{numbers.begin(), numbers.begin() + m}, {numbers.begin() + m, numbers.end()}};
}

}  // namespace pair::train
