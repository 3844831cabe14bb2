#include "pair/models/initial.h"

#include <cmath>
#include <functional>

namespace pair::models {
namespace {

void fill(const torch::Tensor& parameter, const std::function<double()>& draw) {
  const torch::NoGradGuard no_gradient;
  const torch::Tensor drawn = torch::empty(parameter.sizes(), torch::kFloat32);
  float* const values = drawn.data_ptr<float>();
  for (std::int64_t i = 0; i < drawn.numel(); ++i) {
    values[i] = static_cast<float>(draw());
  }
  parameter.copy_(drawn);
}

void fill_uniform(const torch::Tensor& parameter, double bound, data::Random& random) {
  fill(parameter, [&] { return random.uniform(-bound, bound); });
}

void fill_by_fan_in(const torch::Tensor& weight, const torch::Tensor& bias, data::Random& random) {
  const std::int64_t fan_in = weight.numel() / weight.size(0);
  const double bound = 1.0 / std::sqrt(static_cast<double>(fan_in));
  fill_uniform(weight, bound, random);
  if (bias.defined()) {
    fill_uniform(bias, bound, random);
  }
}

}  // namespace

void fill_xavier_uniform(torch::nn::Module& module, data::Random& random) {
  for (const auto& child : module.modules(/*include_self=*/false)) {
    if (auto* layer = child->as<torch::nn::LinearImpl>()) {
      fill_uniform(layer->weight,
                   std::sqrt(6.0 / static_cast<double>(layer->weight.size(0) + layer->weight.size(1))),
                   random);
      const torch::NoGradGuard no_gradient;
      layer->bias.zero_();
    }
  }
}

void fill_for_relu(torch::nn::Module& module, data::Random& random) {
  for (const auto& child : module.modules(/*include_self=*/false)) {
    if (auto* linear = child->as<torch::nn::LinearImpl>()) {
      fill_by_fan_in(linear->weight, linear->bias, random);
    } else if (auto* convolution = child->as<torch::nn::Conv2dImpl>()) {
      const torch::Tensor& weight = convolution->weight;
      const std::int64_t fan_out = weight.numel() / weight.size(1);
      const double deviation = std::sqrt(2.0 / static_cast<double>(fan_out));
      fill(weight, [&] { return deviation * random.normal(); });
      if (convolution->bias.defined()) {
        const torch::NoGradGuard no_gradient;
        convolution->bias.zero_();
      }
    }
  }
}

void fill_default(torch::nn::Module& module, data::Random& random) {
  for (const auto& child : module.modules(/*include_self=*/false)) {
    if (auto* linear = child->as<torch::nn::LinearImpl>()) {
      fill_by_fan_in(linear->weight, linear->bias, random);
    } else if (auto* convolution = child->as<torch::nn::Conv2dImpl>()) {
      fill_by_fan_in(convolution->weight, convolution->bias, random);
    } else if (auto* embedding = child->as<torch::nn::EmbeddingImpl>()) {
      fill(embedding->weight, [&] { return random.normal(); });
    }
  }
}

}  // namespace pair::models
