#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "pair/objectives/objective.h"
#include "pair/objectives/registry.h"

// CLOvE, calibration loss over environments (Wald et al., "On Calibration and Out-of-domain Generalization",
// NeurIPS 2021): a classifier calibrated in every environment uses no spurious correlation. Calibration is
// measured by the maximum mean calibration error (Kumar et al., "Trainable Calibration Measures for Neural
// Networks from Kernel Mean Embeddings", ICML 2018), squared, over a minibatch of m samples per environment,
//
//   1/|E| sum_e 1/m^2 sum_ij (c_i - r_i) (c_j - r_j) exp(-|r_i - r_j| / width),
//
// r the confidence in the predicted label (max(p, 1 - p) for one logit, the largest probability for more) and
// c = 1 if that label is correct, otherwise 0; c takes no gradient. For classifiers only.
//
// If an environment has more than `batch` samples, that many are drawn from random without replacement.

namespace pair::objectives {
namespace {

struct CloveOptions {
  std::int64_t batch = 512;  // m
  double width = 0.4;        // of the Laplacian kernel
};

void describe(base::Fields<CloveOptions>& field) {
  field.whole("clove_batch", &CloveOptions::batch, std::int64_t{2}, 1'000'000'000,
              "samples per environment in the kernel sum");
  field.number("clove_width", &CloveOptions::width, {.low = 0, .high = 1e300, .open_low = true},
               "width of the kernel");
}

class Clove final : public Objective {
 public:
  explicit Clove(const CloveOptions& options) : batch_(options.batch), width_(options.width) {}

  torch::Tensor value(const HeadView& view, data::Random& random) override;
  [[nodiscard]] bool replayable() const override { return false; }

 private:
  std::int64_t batch_;
  double width_;
};

// The first `count` entries of a random permutation of 0 .. size - 1.
torch::Tensor draw(std::int64_t count, std::int64_t size, data::Random& random) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(size));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
    std::swap(order[i], order[i + random.below(order.size() - i)]);
  }
  order.resize(static_cast<std::size_t>(count));
  return torch::tensor(order, torch::kInt64);
}

struct Predictions {
  torch::Tensor confidence;  // [m]
  torch::Tensor correct;     // [m], 0 or 1
};

Predictions predictions(data::TaskLoss loss, const torch::Tensor& logits, const torch::Tensor& labels) {
  if (loss == data::TaskLoss::binary_cross_entropy) {
    const torch::Tensor logit = logits.select(1, 0);
    return {torch::sigmoid(logit.abs()), (logit.detach() > 0).eq(labels > 0.5).to(logits.scalar_type())};
  }
  const auto [confidence, predicted] = torch::softmax(logits, 1).max(1);
  return {confidence, predicted.eq(labels).to(logits.scalar_type())};
}

}  // namespace

torch::Tensor Clove::value(const HeadView& view, data::Random& random) {
  if (view.loss == data::TaskLoss::squared_error) {
    throw std::invalid_argument("clove: expected the loss bce or ce (it measures calibration), got '" +
                                std::string(data::to_string(view.loss)) + "'");
  }
  const std::vector<torch::Tensor> logits = view.split(view.logits);
  const std::vector<torch::Tensor> labels = view.split(view.labels);
  std::vector<torch::Tensor> errors;
  errors.reserve(view.environments());
  for (std::size_t e = 0; e < view.environments(); ++e) {
    torch::Tensor batch_logits = logits[e];
    torch::Tensor batch_labels = labels[e];
    if (view.sizes[e] > batch_) {
      const torch::Tensor rows = draw(batch_, view.sizes[e], random).to(view.logits.device());
      batch_logits = batch_logits.index_select(0, rows);
      batch_labels = batch_labels.index_select(0, rows);
    }
    const auto [confidence, correct] = predictions(view.loss, batch_logits, batch_labels);
    const torch::Tensor kernel = (confidence.unsqueeze(1) - confidence).abs().mul(-1.0 / width_).exp();
    const torch::Tensor gap = (correct - confidence) / batch_logits.size(0);
    errors.push_back(gap.dot(kernel.mv(gap)));
  }
  // The kernel is positive definite; only rounding can make the sum negative.
  return torch::stack(errors).mean().clamp_min(0.0);
}

ObjectiveEntry clove() {
  ObjectiveEntry entry = objective_entry<CloveOptions>(
      "clove", "kernel calibration error of the environments",
      [](const CloveOptions& options) { return std::make_unique<Clove>(options); });
  entry.manual = {.formula =
                      "1/|E| sum_e 1/m^2 sum_ij (c_i - r_i) (c_j - r_j) exp(-|r_i - r_j| / width)\n"
                      "\n"
                      "r_i: confidence in the predicted label;  c_i: 1 if that label is right, else 0",
                  .cited = {"Y. Wald, A. Feder, D. Greenfeld and U. Shalit, \"On Calibration and "
                            "Out-of-domain Generalization\", NeurIPS 2021",
                            "A. Kumar, S. Sarawagi and U. Jain, \"Trainable Calibration Measures for Neural "
                            "Networks from Kernel Mean Embeddings\", ICML 2018"},
                  .advice =
                      "Use it for classifiers whose probabilities must be right in every environment. "
                      "It does not accept regressions. It draws its own samples at every step, so "
                      "PAIR-o cannot compare the losses of two steps and does not undo steps that "
                      "raise them (`backtrack`)."};
  return entry;
}

}  // namespace pair::objectives
