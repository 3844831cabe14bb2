#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "pair/algorithms/beta.h"
#include "pair/algorithms/one_loss_update.h"
#include "pair/algorithms/partners.h"
#include "pair/algorithms/recipes.h"
#include "pair/base/numbers.h"
#include "pair/objectives/losses.h"

// LISA (Yao et al., "Improving Out-of-Distribution Robustness via Selective Augmentation", ICML 2022):
// samples are mixed with others of the step that differ from them in one respect only. With probability
// lisa_same_label a step mixes each sample with one of the same label and another environment, and otherwise
// with one of the same environment and another label. A sample without such a partner stays as it is. With s
// ~ Beta(alpha, alpha),
//
//   x = s x_i + (1 - s) x_j,     loss = mean_i  s l(f(x), y_i) + (1 - s) l(f(x), y_j).
//
// A regression has lisa_same_label = 1 only: the paper's LISA on PovertyMap groups by label, and hardly any two
// samples there have the same one.
//
// lisa_mix says where samples are mixed, as in the authors' code:
//   input     the inputs, with one s per sample (mixup)
//   features  phi(x), with one s per sample (manifold mixup); their choice for texts
//   cutmix    a rectangle of x_j replaces that of x_i, the same one for all samples of a step; s is the share of
//             the area that is left. Their choice for pictures on WILDS.

namespace pair::algorithms {
namespace {

using train::Batch;

struct LisaOptions {
  enum class Mix { automatic, input, features, cutmix };

  double same_label = 0.5;
  double alpha = 2.0;
  Mix mix = Mix::automatic;
};

void describe(base::Fields<LisaOptions>& field) {
  using O = LisaOptions;
  field.number("lisa_same_label", &O::same_label, {.low = 0, .high = 1},
               "probability that a step mixes samples of one label, not of one environment");
  field.number("lisa_alpha", &O::alpha, {.low = 0.1, .high = 1e3},
               "shares are drawn from Beta(alpha, alpha)");
  field.choice("lisa_mix", &O::mix,
               {{"auto", O::Mix::automatic},
                {"input", O::Mix::input},
                {"features", O::Mix::features},
                {"cutmix", O::Mix::cutmix}},
               "what is mixed; auto: features of texts, cutmix for images, otherwise inputs");
}

struct Mixed {
  torch::Tensor logits;  // [n, k]
  torch::Tensor shares;  // [n]: of each sample itself
};

class Lisa final : public OneLossUpdate {
 public:
  explicit Lisa(const train::UpdateContext& context)
      : OneLossUpdate(context), options_(context.settings.update.options.as<LisaOptions>()) {
    if (task() == data::TaskLoss::squared_error && options_.same_label < 1.0) {
      throw std::invalid_argument(
          "lisa_same_label: expected 1 for a regression, whose labels are not mixed, got " +
          base::shown(options_.same_label));
    }
  }

  void advance(const Batch& batch, double lr, data::Random& random) override {
    const torch::Tensor on_host = batch.labels.to(torch::kCPU, torch::kDouble).contiguous();
    const std::vector<double> labels(on_host.data_ptr<double>(),
                                     on_host.data_ptr<double>() + on_host.numel());
    std::vector<double> environments;
    for (std::size_t e = 0; e < batch.sizes.size(); ++e) {
      environments.insert(environments.end(), static_cast<std::size_t>(batch.sizes[e]),
                          static_cast<double>(e));
    }
    const bool same_label = random.bernoulli(options_.same_label);
    const torch::Tensor partners = torch::tensor(same_label ? partners_of(labels, environments, random)
                                                            : partners_of(environments, labels, random),
                                                 torch::kLong)
                                       .to(batch.labels.device());
    const Mixed mixed = mixed_pass(batch.inputs, partners, random);
    const torch::Tensor labelled = targets(batch.labels, mixed.logits.scalar_type());
    const torch::Tensor own = objectives::per_sample_loss(task(), mixed.logits, labelled);
    const torch::Tensor others =
        objectives::per_sample_loss(task(), mixed.logits, labelled.index_select(0, partners));
    set_last(descend((mixed.shares * own + (1.0 - mixed.shares) * others).mean(), lr));
  }

 private:
  [[nodiscard]] LisaOptions::Mix mix_of(const torch::Tensor& inputs) const {
    using Mix = LisaOptions::Mix;
    const bool image = inputs.dim() == 4;
    const bool numbers = inputs.is_floating_point();
    if (options_.mix == Mix::automatic) {
      return !numbers ? Mix::features : image ? Mix::cutmix : Mix::input;
    }
    if (!numbers && options_.mix != Mix::features) {
      throw std::invalid_argument(
          std::string(
              "lisa_mix: expected features or auto for texts, whose token ids cannot be mixed, got ") +
          (options_.mix == Mix::input ? "input" : "cutmix"));
    }
    if (!image && options_.mix == Mix::cutmix) {
      throw std::invalid_argument(
          "lisa_mix: expected input, features or auto for data that are not images, got cutmix");
    }
    return options_.mix;
  }

  Mixed mixed_pass(const torch::Tensor& inputs, const torch::Tensor& partners, data::Random& random) {
    const LisaOptions::Mix mix = mix_of(inputs);
    if (mix == LisaOptions::Mix::cutmix) {
      return cut_and_paste(inputs, partners, random);
    }
    std::vector<float> drawn(static_cast<std::size_t>(inputs.size(0)));
    std::generate(drawn.begin(), drawn.end(),
                  [&] { return static_cast<float>(draw_beta(options_.alpha, random)); });
    const torch::Tensor shares = torch::tensor(drawn, torch::kFloat).to(inputs.device());
    const auto blend = [&](const torch::Tensor& rows) {
      std::vector<std::int64_t> shape(static_cast<std::size_t>(rows.dim()), 1);
      shape.front() = -1;
      const torch::Tensor own = shares.to(rows.scalar_type()).view(shape);
      return own * rows + (1.0 - own) * rows.index_select(0, partners);
    };
    return {
        mix == LisaOptions::Mix::features ? model().logits(blend(features(inputs))) : logits(blend(inputs)),
        shares};
  }

  // The rectangle has the share 1 - s of the area before it is cut off at the image's sides.
  Mixed cut_and_paste(const torch::Tensor& inputs, const torch::Tensor& partners, data::Random& random) {
    const double share = draw_beta(options_.alpha, random);
    const double side = std::sqrt(1.0 - share);
    const auto range = [&](std::int64_t size) {
      const auto half = static_cast<std::int64_t>(side * static_cast<double>(size)) / 2;
      const auto middle = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(size)));
      return std::pair(std::max<std::int64_t>(middle - half, 0), std::min(middle + half, size));
    };
    const auto [top, bottom] = range(inputs.size(2));
    const auto [left, right] = range(inputs.size(3));
    torch::Tensor mixed = inputs.clone();
    mixed.slice(2, top, bottom)
        .slice(3, left, right)
        .copy_(inputs.slice(2, top, bottom).slice(3, left, right).index_select(0, partners));
    const double kept = 1.0 - static_cast<double>((bottom - top) * (right - left)) /
                                  static_cast<double>(inputs.size(2) * inputs.size(3));
    return {logits(mixed), torch::full({inputs.size(0)}, kept, inputs.options())};
  }

  LisaOptions options_;
};

}  // namespace

AlgorithmEntry lisa() {
  AlgorithmEntry entry =
      own_update("lisa", "samples mixed within a label or an environment (Yao et al. 2022)",
                 {.options = base::Options::of<LisaOptions>(),
                  .make = [](const train::UpdateContext& context) -> std::unique_ptr<train::Algorithm> {
                    return std::make_unique<Lisa>(context);
                  }});
  entry.losses = {{"loss"}};
  // The authors' code mixes within a label on WILDS, without ERM steps before.
  entry.defaults.push_back({"wilds", {{"lisa_same_label", "1"}, {"pretrain", "0"}}});
  // DomainBed does not have it.
  draw_on_domainbed(entry, "lisa_same_label", base::Choice{{"0", "0.5", "1"}}, "PAIR");
  draw_on_domainbed(entry, "lisa_alpha", base::Choice{{"0.5", "2"}}, "PAIR");
  entry.manual = {
      .formula =
          "x    = s x_i + (1 - s) x_j,   s ~ Beta(lisa_alpha, lisa_alpha)\n"
          "loss = mean_i  s l(f(x), y_i) + (1 - s) l(f(x), y_j)\n"
          "\n"
          "j: a sample of the same label and another environment, with probability lisa_same_label per "
          "step;\n"
          "   otherwise one of the same environment and another label",
      .cited = {"H. Yao, Y. Wang, S. Li, L. Zhang, W. Liang, J. Zou and C. Finn, \"Improving "
                "Out-of-Distribution Robustness via Selective Augmentation\", ICML 2022"},
      .advice =
          "A baseline of the paper on WILDS. Mixing within a label removes what differs between "
          "environments; "
          "mixing within an environment removes what an environment's labels have in common by chance. On "
          "WILDS lisa_same_label is 1, as in the authors' code. A regression needs lisa_same_label=1, and is "
          "then ERM for samples whose label no other has."};
  return entry;
}

}  // namespace pair::algorithms
