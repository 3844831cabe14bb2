#include <algorithm>

#include "pair/algorithms/beta.h"
#include "pair/algorithms/one_loss_update.h"
#include "pair/algorithms/recipes.h"
#include "pair/objectives/losses.h"

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

using train::Batch;

struct MixupOptions {
  double alpha = 0.2;
};

void describe(base::Fields<MixupOptions>& field) {
  field
      .number("mixup_alpha", &MixupOptions::alpha, {.low = 0.1, .high = 1e3},
              "shares are drawn from Beta(alpha, alpha)")
      .domainbed = base::LogUniform{10, -1, 1};
}

class Mixup final : public OneLossUpdate {
 public:
  explicit Mixup(const train::UpdateContext& context)
      : OneLossUpdate(context), alpha_(context.settings.update.options.as<MixupOptions>().alpha) {}

  void advance(const Batch& batch, double lr, data::Random& random) override;

 private:
  double alpha_;
};

}  // namespace

void Mixup::advance(const Batch& batch, double lr, data::Random& random) {
  // Token ids cannot be mixed, their features can.
  const bool at_head = !batch.inputs.is_floating_point();
  const torch::Tensor rows = at_head ? features(batch.inputs) : batch.inputs;
  const std::vector<torch::Tensor> inputs = rows.split_with_sizes(batch.sizes);
  const std::vector<torch::Tensor> labels =
      targets(batch.labels, rows.scalar_type()).split_with_sizes(batch.sizes);
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
  // One pass for all pairs. BatchNorm therefore sees all pairs at once; in DomainBed it sees one pair at a time.
  const torch::Tensor joined = torch::cat(mixed);
  const std::vector<torch::Tensor> outputs =
      (at_head ? model().logits(joined) : logits(joined)).split_with_sizes(sizes);
  torch::Tensor sum = torch::zeros({}, outputs.front().options());
  for (std::size_t i = 0; i < circle.size(); ++i) {
    const auto [one, other] = pair_at(i);
    const auto risk = [&, at = i](std::size_t environment) {
      return objectives::per_sample_loss(task(), outputs[at], labels[environment].narrow(0, 0, sizes[at]))
          .mean();
    };
    sum = sum + shares[i] * risk(one) + (1.0 - shares[i]) * risk(other);
  }
  set_last(descend(sum / static_cast<double>(circle.size()), lr));
}

AlgorithmEntry mixup() {
  AlgorithmEntry entry =
      own_update("mixup", "samples mixed across environments (Yan et al. 2020)",
                 {.compares = true,
                  .options = base::Options::of<MixupOptions>(),
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
