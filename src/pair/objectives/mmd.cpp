#include <array>

#include "pair/objectives/objective.h"
#include "pair/objectives/pairs.h"
#include "pair/objectives/registry.h"

// MMD (Li et al., "Domain Generalization with Adversarial Feature Learning", CVPR 2018, as in DomainBed):
// environments should agree on the distribution of the features. The mean over pairs of environments of the
// squared maximum mean discrepancy (Gretton et al., JMLR 2012; the biased estimate, which is never negative),
//
//   mean k(x, x') + mean k(y, y') - 2 mean k(x, y),
//   k(x, y) = sum over gamma in {1e-3, 1e-2, 0.1, 1, 10, 100, 1e3} of exp(-gamma |x - y|^2).
//
// Needs two environments.

namespace pair::objectives {
namespace {

class Mmd final : public Objective {
 public:
  torch::Tensor value(const HeadView& view, data::Random& random) override;
  [[nodiscard]] bool of_features() const override { return true; }
};

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
  // The sharpest kernel would be affected by rounding of exact zeros.
  distances.fill_diagonal_(0.0);
  return mean_kernel(distances);
}

}  // namespace

torch::Tensor Mmd::value(const HeadView& view, data::Random& /*random*/) {
  return mean_over_pairs(view, [](const torch::Tensor& x, const torch::Tensor& y) {
    // Rounding may make it slightly negative for equal samples.
    return (mean_kernel_within(x) + mean_kernel_within(y) - 2 * mean_kernel(squared_distances(x, y)))
        .clamp_min(0);
  });
}

ObjectiveEntry mmd() {
  ObjectiveEntry entry = objective_entry(
      "mmd", "kernel distance of the features' distributions, pair by pair",
      [] { return std::make_unique<Mmd>(); }, Compares::environments);
  entry.manual = {
      .formula =
          "mean over pairs (e, f) of  mean k(x, x') + mean k(y, y') - 2 mean k(x, y)\n"
          "\n"
          "x in e, y in f;  k(x, y) = sum over g in {1e-3, 1e-2, ..., 1e3} of exp(-g |x - y|^2), on features",
      .cited = {"H. Li, S. J. Pan, S. Wang and A. C. Kot, \"Domain Generalization with "
                "Adversarial Feature Learning\", CVPR 2018",
                "A. Gretton, K. M. Borgwardt, M. J. Rasch, B. Schoelkopf and A. Smola, \"A Kernel "
                "Two-Sample Test\", JMLR 2012"},
      .advice =
          "As `coral`, but it compares whole distributions of features instead of their "
          "first two moments. Time and memory grow with the square of the samples per "
          "environment."};
  return entry;
}

}  // namespace pair::objectives
