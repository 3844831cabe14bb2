#include "pair/objectives/irmv1.h"

#include <cmath>

#include "pair/objectives/losses.h"
#include "pair/objectives/require_option.h"

namespace pair::objectives {

Irmv1::Irmv1(ObjectiveOptions::Negative negative, double constant)
    : unbiased_(true), negative_(negative), constant_(constant) {
  require_option(constant > 0.0 && std::isfinite(constant), "irmv1_constant", constant, "numbers above 0");
}

torch::Tensor Irmv1::value(const HeadView& view, data::Random& /*random*/) {
  if (!unbiased_ && view.derivatives.defined()) {
    return view.derivatives.square().mean();
  }
  // [n, k]; its mean over samples, summed over k, is the derivative of the risk.
  const torch::Tensor derivatives = logit_gradient(view.loss, view.logits, view.labels) * view.logits;
  if (unbiased_) {
    return unbiased(derivatives, view.sizes);
  }
  return environment_means(derivatives, view.sizes).sum(1).square().mean();
}

std::optional<device::MomentFunction> Irmv1::moment_function() const {
  using Function = device::MomentFunction;
  if (!unbiased_) {
    return Function{Function::Kind::mean_squared_derivative};
  }
  Function function{Function::Kind::mean_product_of_halves, Function::Negative::keep, constant_};
  switch (negative_) {
    case ObjectiveOptions::Negative::keep:
      break;
    case ObjectiveOptions::Negative::scale:
      function.negative = Function::Negative::scale;
      break;
    case ObjectiveOptions::Negative::shift:
      function.negative = Function::Negative::shift;
      break;
  }
  return function;
}

torch::Tensor Irmv1::unbiased(const torch::Tensor& derivatives,
                              const std::vector<std::int64_t>& sizes) const {
  require_samples("irmv1 with irmv1_unbiased", sizes, 2);
  std::vector<torch::Tensor> products;
  products.reserve(sizes.size());
  for (const torch::Tensor& samples : derivatives.split_with_sizes(sizes)) {
    const auto half = [&](std::int64_t first) {
      return samples.slice(0, first, samples.size(0), 2).mean(0).sum();
    };
    products.push_back(half(0) * half(1));
  }
  const torch::Tensor estimate = torch::stack(products).mean();
  if (negative_ == ObjectiveOptions::Negative::keep) {
    return estimate;
  }
  if (negative_ == ObjectiveOptions::Negative::scale) {
    return torch::maximum(estimate, -constant_ * estimate);
  }
  return estimate + (-estimate.detach()).clamp_min(constant_);
}

}  // namespace pair::objectives
