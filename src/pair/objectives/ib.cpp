#include "pair/objectives/ib.h"

#include "pair/objectives/losses.h"

namespace pair::objectives {
namespace {

// Mean over features of their variance over samples: [..., m, d] -> scalar.
torch::Tensor mean_variance(const torch::Tensor& features) {
  // The mean takes no gradient, for deviations from it sum to zero; one fused kernel does the rest.
  const torch::Tensor means = features.detach().mean(-2, /*keepdim=*/true).expand_as(features);
  const auto samples = static_cast<double>(features.size(-2));
  return torch::mse_loss(features, means) * (samples / (samples - 1.0));
}

}  // namespace

torch::Tensor Ib::value(const HeadView& view, data::Random& /*random*/) {
  require_samples("ib", view.sizes, 2);
  if (equal_sizes(view.sizes)) {
    const auto environments = static_cast<std::int64_t>(view.environments());
    return mean_variance(view.features.reshape({environments, view.sizes.front(), view.features.size(1)}));
  }
  std::vector<torch::Tensor> variances;
  variances.reserve(view.environments());
  for (const torch::Tensor& features : view.split(view.features)) {
    variances.push_back(mean_variance(features));
  }
  return torch::stack(variances).mean();
}

}  // namespace pair::objectives
