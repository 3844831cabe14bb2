#include "pair/objectives/losses.h"
#include "pair/objectives/objective.h"
#include "pair/objectives/registry.h"

// IB, the information bottleneck of IB-IRM (Ahuja et al., "Invariance Principle Meets Information Bottleneck
// for Out-of-Distribution Generalization", NeurIPS 2021): the entropy of the features, bounded by their
// variance conditional on the environment,
//
//   1/|E| sum_e 1/d sum_j Var_e[phi_j],
//
// with the unbiased variance, as in the authors' release on ColoredMNIST (AC-CMNIST; its further conditioning
// on the class is off there) and in DomainBed's IB_IRM. Needs two samples per environment.

namespace pair::objectives {
namespace {

class Ib final : public Objective {
 public:
  torch::Tensor value(const HeadView& view, data::Random& random) override;
  [[nodiscard]] bool of_features() const override { return true; }
};

// Mean over features of their variance over samples: [..., m, d] -> scalar.
torch::Tensor mean_variance(const torch::Tensor& features) {
  // The mean takes no gradient, because deviations from it sum to zero; one fused kernel does the rest.
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

ObjectiveEntry ib() {
  ObjectiveEntry entry = objective_entry("ib", "variance of the features within environments",
                                         [] { return std::make_unique<Ib>(); });
  entry.manual = {
      .formula = "1/|E| sum_e 1/d sum_j Var_e[phi_j]",
      .cited = {"K. Ahuja, E. Caballero, D. Zhang, J.-C. Gagnon-Audet, Y. Bengio, I. Mitliagkas "
                "and I. Rish, \"Invariance Principle Meets Information Bottleneck for "
                "Out-of-Distribution Generalization\", NeurIPS 2021"},
      .advice =
          "Use it together with `irmv1` when the invariant features carry all information about the label, "
          "so "
          "that the others add nothing once they are known; `irmv1` alone does not handle that case. Start "
          "with small penalties: shrinking all features lowers it, too. It needs at least two samples per "
          "environment."};
  return entry;
}

}  // namespace pair::objectives
