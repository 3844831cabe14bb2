#include <torch/optim.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pair/algorithms/beta.h"
#include "pair/algorithms/recipes.h"
#include "pair/objectives/losses.h"
#include "pair/train/algorithm.h"
#include "pair/train/guarded_step.h"
#include "pair/train/precision.h"

// Mixup across environments (Yan et al., "Improve Unsupervised Domain Adaptation with Mixup Training", arXiv
// 2001.00677, as in DomainBed). The environments are arranged in a random circle; each is mixed with the
// next, sample by sample, with one share s ~ Beta(alpha, alpha) per pair,
//
//   x = s x_i + (1 - s) x_j,     loss = mean over pairs of  s l(f(x), y_i) + (1 - s) l(f(x), y_j).
//
// If environments differ in size, the last samples of the larger one are left out. Texts are mixed as
// features.

namespace pair::algorithms {
namespace {

using train::Algorithm;
using train::Batch;
using train::Diverged;
using train::NamedLosses;

struct MixupOptions {
  double alpha = 0.2;
};

void describe(base::Fields<MixupOptions>& field) {
  field
      .number("mixup_alpha", &MixupOptions::alpha, {.low = 0.1, .high = 1e3},
              "shares are drawn from Beta(alpha, alpha)")
      .domainbed = base::LogUniform{10, -1, 1};
}

class Mixup final : public Algorithm {
 public:
  explicit Mixup(const train::UpdateContext& context);

  void advance(const Batch& batch, data::Random& random) override;
  [[nodiscard]] NamedLosses losses() const override;
  void save(torch::serialize::OutputArchive& archive) const override;
  void load(torch::serialize::InputArchive& archive) override;

 private:
  std::shared_ptr<models::Model> model_;
  data::TaskLoss loss_;
  train::Precision precision_;
  double alpha_;
  torch::optim::Adam adam_;
  double last_;
};

}  // namespace

Mixup::Mixup(const train::UpdateContext& context)
    : model_(context.model),
      loss_(context.data.loss),
      precision_(context.settings.precision),
      alpha_(context.settings.update.options.as<MixupOptions>().alpha),
      // l2 |theta|^2 has the gradient 2 l2 theta, Adam's weight decay w theta.
      adam_(model_->parameters(), torch::optim::AdamOptions(context.settings.lr)
                                      .weight_decay(2.0 * context.settings.l2)
                                      .amsgrad(context.settings.amsgrad)),
      last_(std::numeric_limits<double>::quiet_NaN()) {}

void Mixup::advance(const Batch& batch, data::Random& random) {
  // Token ids cannot be mixed, their features can.
  const bool features = !batch.inputs.is_floating_point();
  const torch::Tensor rows = features ? model_->features(batch.inputs) : batch.inputs;
  const std::vector<torch::Tensor> inputs = rows.split_with_sizes(batch.sizes);
  const std::vector<torch::Tensor> labels =
      (loss_ == data::TaskLoss::cross_entropy ? batch.labels : batch.labels.to(rows.scalar_type()))
          .split_with_sizes(batch.sizes);
  const std::vector<std::int64_t> circle = random.permutation(inputs.size());
  std::vector<torch::Tensor> mixed;
  std::vector<std::int64_t> sizes;
  std::vector<double> shares;
  const auto pair_at = [&](std::size_t i) {
    return std::pair(static_cast<std::size_t>(circle[i]),
                     static_cast<std::size_t>(circle[(i + 1) % circle.size()]));
  };
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const auto [one, other] = pair_at(i);
    const double share = draw_beta(alpha_, random);
    const std::int64_t size = std::min(inputs[one].size(0), inputs[other].size(0));
    mixed.push_back(share * inputs[one].narrow(0, 0, size) +
                    (1.0 - share) * inputs[other].narrow(0, 0, size));
    sizes.push_back(size);
    shares.push_back(share);
  }
  // One pass for all pairs: no layer mixes samples of a batch.
  const torch::Tensor joined = torch::cat(mixed);
  const torch::Tensor at_head = features ? joined : train::features_in(precision_, *model_, joined);
  const std::vector<torch::Tensor> logits = model_->logits(at_head).split_with_sizes(sizes);
  torch::Tensor sum = torch::zeros({}, logits.front().options());
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const auto [one, other] = pair_at(i);
    const auto risk = [&, at = i](std::size_t environment) {
      return objectives::per_sample_loss(loss_, logits[at], labels[environment].narrow(0, 0, sizes[at]))
          .mean();
    };
    sum = sum + shares[i] * risk(one) + (1.0 - shares[i]) * risk(other);
  }
  const torch::Tensor loss = sum / static_cast<double>(circle.size());
  const double value = loss.item<double>();
  if (!std::isfinite(value)) {
    throw Diverged("the loss is not finite; a lower lr may help");
  }
  adam_.zero_grad();
  loss.backward();
  adam_.step();
  last_ = value;
}

NamedLosses Mixup::losses() const {
  return {{"loss", last_}};
}

void Mixup::save(torch::serialize::OutputArchive& archive) const {
  torch::serialize::OutputArchive adam;
  adam_.save(adam);
  archive.write("adam", adam);
  archive.write("loss", c10::IValue(last_));
}

void Mixup::load(torch::serialize::InputArchive& archive) {
  torch::serialize::InputArchive adam;
  archive.read("adam", adam);
  adam_.load(adam);
  c10::IValue loss;
  archive.read("loss", loss);
  last_ = loss.toDouble();
}

AlgorithmEntry mixup() {
  AlgorithmEntry entry =
      own_update("mixup", "samples mixed across environments (Yan et al. 2020)",
                 {.options = base::Options::of<MixupOptions>(),
                  .make = [](const train::UpdateContext& context) -> std::unique_ptr<train::Algorithm> {
                    return std::make_unique<Mixup>(context);
                  }});
  entry.domainbed = "Mixup";
  entry.manual = {
      .formula =
          "x    = s x_i + (1 - s) x_j,   s ~ Beta(mixup_alpha, mixup_alpha), one s per pair of environments\n"
          "loss = mean over pairs of  s l(f(x), y_i) + (1 - s) l(f(x), y_j)",
      .cited = {"S. Yan, H. Song, N. Li, L. Zou and L. Ren, \"Improve Unsupervised Domain "
                "Adaptation with Mixup Training\", arXiv:2001.00677, 2020"},
      .advice =
          "A cheap regulariser with one option. Use it when a blend of two inputs is still "
          "a plausible input."};
  return entry;
}

}  // namespace pair::algorithms
