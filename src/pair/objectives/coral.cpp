#include "pair/objectives/coral.h"

#include "pair/objectives/losses.h"
#include "pair/objectives/pairs.h"

namespace pair::objectives {
namespace {

torch::Tensor covariance(const torch::Tensor& features, const torch::Tensor& mean) {
  const torch::Tensor centred = features - mean;
  return torch::mm(centred.t(), centred) / static_cast<double>(features.size(0) - 1);
}

}  // namespace

torch::Tensor Coral::value(const HeadView& view, data::Random& /*random*/) {
  require_samples("coral", view.sizes, 2);
  return mean_over_pairs(view, [](const torch::Tensor& x, const torch::Tensor& y) {
    const torch::Tensor mean_x = x.mean(0, /*keepdim=*/true);
    const torch::Tensor mean_y = y.mean(0, /*keepdim=*/true);
    return torch::mse_loss(mean_x, mean_y) + torch::mse_loss(covariance(x, mean_x), covariance(y, mean_y));
  });
}

}  // namespace pair::objectives
