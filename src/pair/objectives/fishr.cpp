#include <stdexcept>
#include <string>

#include "pair/objectives/losses.h"
#include "pair/objectives/objective.h"
#include "pair/objectives/registry.h"
#include "pair/objectives/state.h"

// Fishr (Rame et al., "Fishr: Invariant Gradient Variances for Out-of-Distribution Generalization", ICML
// 2022): environments should agree on how the head's gradients spread over their samples. With g_i the
// gradient of sample i's loss in the head's weights and bias,
//
//   v_e   = mean over e of (g_i - mean g)^2, coordinate by coordinate,
//   v_e*  = gamma v_e*(previous step) + (1 - gamma) v_e,
//   value = 1/|E| sum_e || (v_e* - mean over environments of v*) / (1 - gamma) ||^2.
//
// The variance is centred and divides by n (with fishr_centred=false it is the second moment, mean of g_i^2:
// the paper's release on ColoredMNIST), and the moving average starts at zero, takes no gradient through
// the past and is divided by 1 - gamma, as in the authors' release: the first step's value, and every one
// with gamma = 0 (full batches need no average; the release on ColoredMNIST has none), is that of v_e. The
// norm is a sum over coordinates (their equation and ColoredMNIST code) or, with `mean`, DomainBed's mean
// over them.
//
// The head is linear, so that g_i is dl/dz_k phi_j in the weight (k, j) and dl/dz_k in the bias: its moments
// are matrix products, and no [n, k, d] is ever built. Needs two environments.
//
// Each call is one step of the average; the batches of all steps hold the same environments in one order.

namespace pair::objectives {
namespace {

struct FishrOptions {
  double ema = 0.95;  // gamma
  bool mean = false;
  bool centred = true;
};

void describe(base::Fields<FishrOptions>& field) {
  field
      .number("fishr_ema", &FishrOptions::ema, {.low = 0, .high = 1, .open_high = true},
              "weight of the past in the moving averages of variances")
      .in_domainbed("ema", base::Uniform{0.90, 0.99});
  field
      .flag("fishr_mean", &FishrOptions::mean,
            "mean over the head's parameters, as in DomainBed, instead of their sum")
      .unsaid = "false";
  field
      .flag("fishr_centred", &FishrOptions::centred,
            "variances of the gradients; false: their second moments, without subtracting the mean")
      .unsaid = "true";
}

class Fishr final : public Objective {
 public:
  explicit Fishr(const FishrOptions& options)
      : ema_(options.ema), mean_(options.mean), centred_(options.centred) {}

  torch::Tensor value(const HeadView& view, data::Random& random) override;

  [[nodiscard]] bool remembers_environments() const override { return ema_ > 0.0; }

  [[nodiscard]] bool has_state() const override { return ema_ > 0.0; }
  // The moving average, [environments, k (d + 1)]; empty before the first step.
  [[nodiscard]] std::vector<torch::Tensor> state() const override;
  void restore(std::span<const torch::Tensor> state) override;

 private:
  double ema_;
  bool mean_;
  bool centred_;
  torch::Tensor average_;
};

// The mean over each environment of left_i (outer) right_i: [n, k], [n, d] -> [environments, k, d].
torch::Tensor mean_products(const torch::Tensor& left, const torch::Tensor& right,
                            const std::vector<std::int64_t>& sizes) {
  if (equal_sizes(sizes)) {
    const auto environments = static_cast<std::int64_t>(sizes.size());
    const std::int64_t samples = sizes.front();
    return torch::bmm(left.reshape({environments, samples, -1}).transpose(1, 2),
                      right.reshape({environments, samples, -1})) /
           samples;
  }
  const std::vector<torch::Tensor> lefts = left.split_with_sizes(sizes);
  const std::vector<torch::Tensor> rights = right.split_with_sizes(sizes);
  std::vector<torch::Tensor> products;
  products.reserve(sizes.size());
  for (std::size_t e = 0; e < sizes.size(); ++e) {
    products.push_back(lefts[e].t().mm(rights[e]) / sizes[e]);
  }
  return torch::stack(products);
}

// The head's gradient variances or, if not centred, second moments, [environments, k (d + 1)]: weights, then
// biases.
torch::Tensor gradient_variances(const HeadView& view, bool centred) {
  const torch::Tensor slopes = logit_gradient(view.loss, view.logits, view.labels);
  const torch::Tensor squares = slopes.square();
  torch::Tensor weights = mean_products(squares, view.features.square(), view.sizes);
  torch::Tensor biases = environment_means(squares, view.sizes);
  if (centred) {
    weights = weights - mean_products(slopes, view.features, view.sizes).square();
    biases = biases - environment_means(slopes, view.sizes).square();
  }
  return torch::cat({weights.flatten(1), biases}, 1);
}

}  // namespace

torch::Tensor Fishr::value(const HeadView& view, data::Random& /*random*/) {
  // In units of 1 - gamma: u = gamma u(previous) + v, where v* = (1 - gamma) u.
  torch::Tensor variances = gradient_variances(view, centred_);
  if (ema_ > 0.0) {
    if (average_.defined()) {
      match_state("fishr", average_, variances);
      variances = variances + (ema_ / (1.0 - ema_)) * average_;
    }
    update_state(average_, (1.0 - ema_) * variances.detach());
  }
  const torch::Tensor disagreement = variances.var(0, /*unbiased=*/false);
  return mean_ ? disagreement.mean() : disagreement.sum();
}

std::vector<torch::Tensor> Fishr::state() const {
  return saved_state(average_);
}

void Fishr::restore(std::span<const torch::Tensor> state) {
  average_ = restored_state("fishr", state);
}

ObjectiveEntry fishr() {
  ObjectiveEntry entry = objective_entry<FishrOptions>(
      "fishr", "disagreement of the head's gradient variances",
      [](const FishrOptions& options) { return std::make_unique<Fishr>(options); }, Compares::environments);
  entry.manual = {.formula =
                      "v_e   = mean over e of (g_i - mean g)^2, per coordinate\n"
                      "v_e*  = ema v_e* + (1 - ema) v_e\n"
                      "value = 1/|E| sum_e || (v_e* - mean v*) / (1 - ema) ||^2\n"
                      "\n"
                      "g_i: gradient of the loss of sample i with respect to the parameters of the head",
                  .cited = {"A. Rame, C. Dancette and M. Cord, \"Fishr: Invariant Gradient Variances for "
                            "Out-of-Distribution Generalization\", ICML 2022"},
                  .advice =
                      "Use it when environments should agree on more than their mean risk: it also "
                      "sees how the samples within an environment differ. With full batches set "
                      "`fishr_ema=0`; the average over steps is for minibatches. Every step must "
                      "contain the same environments."};
  return entry;
}

}  // namespace pair::objectives
