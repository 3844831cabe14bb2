#include "pair/objectives/losses.h"
#include "pair/objectives/objective.h"
#include "pair/objectives/pairs.h"
#include "pair/objectives/registry.h"

// CORAL (Sun and Saenko, "Deep CORAL: Correlation Alignment for Deep Domain Adaptation", ECCV 2016, as
// in DomainBed): environments should agree on the mean and the covariance of the features. With m_e the
// mean and C_e the unbiased covariance, [d, d], the mean over pairs of environments of
//
//   mean over coordinates of (m_e - m_f)^2 + mean over entries of (C_e - C_f)^2.
//
// Needs two environments of two samples each.

namespace pair::objectives {
namespace {

class Coral final : public Objective {
 public:
  torch::Tensor value(const HeadView& view, data::Random& random) override;
  [[nodiscard]] bool of_features() const override { return true; }
};

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

ObjectiveEntry coral() {
  ObjectiveEntry entry = objective_entry(
      "coral", "distance of the features' means and covariances, pair by pair",
      [] { return std::make_unique<Coral>(); }, Compares::environments);
  entry.manual = {
      .formula =
          "mean over pairs (e, f) of  mean (m_e - m_f)^2 + mean (C_e - C_f)^2\n"
          "\n"
          "m_e, C_e: mean and covariance of the features in environment e",
      .cited = {"B. Sun and K. Saenko, \"Deep CORAL: Correlation Alignment for Deep Domain "
                "Adaptation\", ECCV Workshops 2016",
                "I. Gulrajani and D. Lopez-Paz, \"In Search of Lost Domain Generalization\", ICLR "
                "2021 (DomainBed, whose form this is)"},
      .advice =
          "Use it when environments differ in how the inputs look, and classes are equally "
          "frequent in all of them. If class frequencies differ, equal feature "
          "distributions contradict accurate predictions."};
  return entry;
}

}  // namespace pair::objectives
