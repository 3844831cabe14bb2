#include "pair/objectives/mmd.h"

#include <array>

#include "pair/objectives/pairs.h"

namespace pair::objectives {
namespace {

constexpr std::array gammas = {1e-3, 1e-2, 0.1, 1.0, 10.0, 100.0, 1e3};

// |x_i - y_j|^2 through a matrix product, [m, n]; rounding may leave it below 0.
torch::Tensor squared_distances(const torch::Tensor& x, const torch::Tensor& y) {
  const torch::Tensor norms_x = x.square().sum(1, /*keepdim=*/true);
  const torch::Tensor norms_y = y.square().sum(1, /*keepdim=*/true);
  return (norms_x + norms_y.t() - 2 * torch::mm(x, y.t())).clamp_min(0);
}

torch::Tensor mean_kernel(const torch::Tensor& distances) {
  torch::Tensor sum = torch::zeros({}, distances.options());
  for (const double gamma : gammas) {
    sum = sum + (distances * -gamma).exp().mean();
  }
  return sum;
}

torch::Tensor mean_kernel_within(const torch::Tensor& x) {
  torch::Tensor distances = squared_distances(x, x);
  // The sharpest kernel would see the rounding of what is exactly 0.
  distances.fill_diagonal_(0.0);
  return mean_kernel(distances);
}

}  // namespace

torch::Tensor Mmd::value(const HeadView& view, data::Random& /*random*/) {
  return mean_over_pairs(view, [](const torch::Tensor& x, const torch::Tensor& y) {
    // Of equal samples rounding leaves a little below 0.
    return (mean_kernel_within(x) + mean_kernel_within(y) - 2 * mean_kernel(squared_distances(x, y)))
        .clamp_min(0);
  });
}

}  // namespace pair::objectives
