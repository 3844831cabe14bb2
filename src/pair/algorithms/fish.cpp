#include <torch/utils.h>

#include "pair/algorithms/one_loss_update.h"
#include "pair/algorithms/recipes.h"
#include "pair/models/dropout.h"
#include "pair/objectives/losses.h"
#include "pair/train/guarded_step.h"

// Fish (Shi et al., "Gradient Matching for Domain Generalization", ICLR 2022): steps on one environment after
// the other, and then a short step towards where they led. From theta,
//
//   theta_0 = theta
//   theta_e = step(theta_{e-1}, gradient of R_e)    for the environments e = 1, ..., d of the step
//   theta  <- theta + meta_lr (theta_d - theta)
//
// To first order in the learning rate this also maximises the inner products of the environments' gradients.
// Steps are those of the run's optimizer, Adam or SGD, whose state is kept from step to step. Buffers
// (BatchNorm's statistics) follow the same rule as parameters, as in the authors' code and in DomainBed.
// meta_lr_shared divides meta_lr by d, as the authors do on WILDS.

namespace pair::algorithms {
namespace {

using train::Batch;

struct FishOptions {
  double meta_lr = 0.5;
  bool shared = false;
};

void describe(base::Fields<FishOptions>& field) {
  field
      .number("meta_lr", &FishOptions::meta_lr, {.low = 0, .high = 1, .open_low = true},
              "fraction of the inner steps' total change that is applied to the model")
      .domainbed = base::Choice{{"0.05", "0.1", "0.5"}};
  field.flag("meta_lr_shared", &FishOptions::shared,
             "divide meta_lr by the number of environments per step, as the authors do on WILDS");
}

class Fish final : public OneLossUpdate {
 public:
  explicit Fish(const train::UpdateContext& context)
      : OneLossUpdate(context), options_(context.settings.update.options.as<FishOptions>()) {}

  void advance(const Batch& batch, double lr, data::Random& /*random*/) override {
    const std::vector<torch::Tensor> state = parameters_and_buffers();
    std::vector<torch::Tensor> before;
    before.reserve(state.size());
    for (const torch::Tensor& tensor : state) {
      before.push_back(tensor.detach().clone());
    }
    try {
      set_last(inner_steps(batch, lr));
    } catch (const train::Diverged&) {
      move(state, before, 0.0);
      throw;
    }
    const auto environments = static_cast<double>(batch.sizes.size());
    move(state, before, options_.shared ? options_.meta_lr / environments : options_.meta_lr);
  }

 private:
  [[nodiscard]] std::vector<torch::Tensor> parameters_and_buffers() const {
    std::vector<torch::Tensor> state = model().parameters();
    for (const torch::Tensor& buffer : model().buffers()) {
      if (buffer.defined()) {
        state.push_back(buffer);
      }
    }
    return state;
  }

  // One step per environment; the mean of their risks, each before its own step.
  double inner_steps(const Batch& batch, double lr) {
    const std::vector<torch::Tensor> inputs = batch.inputs.split_with_sizes(batch.sizes);
    const std::vector<torch::Tensor> labels = batch.labels.split_with_sizes(batch.sizes);
    const std::vector<torch::Tensor> places =
        torch::arange(batch.labels.size(0), batch.labels.options().dtype(torch::kLong))
            .split_with_sizes(batch.sizes);
    double sum = 0.0;
    for (std::size_t e = 0; e < inputs.size(); ++e) {
      const models::DropoutRows rows(model(), places[e]);  // a mask for each environment
      const torch::Tensor outputs = logits(inputs[e]);
      sum += descend(
          objectives::per_sample_loss(task(), outputs, targets(labels[e], outputs.scalar_type())).mean(), lr);
    }
    return sum / static_cast<double>(inputs.size());
  }

  // Moves tensors from `before` a fraction `share` towards their current values. Counters are rounded down.
  static void move(const std::vector<torch::Tensor>& state, const std::vector<torch::Tensor>& before,
                   double share) {
    const torch::NoGradGuard no_graph;
    for (std::size_t i = 0; i < state.size(); ++i) {
      const torch::Tensor& now = state[i];
      if (share == 0.0) {
        now.copy_(before[i]);
      } else if (now.is_floating_point()) {
        now.copy_(before[i] + share * (now - before[i]));
      } else {
        now.copy_((before[i] + share * (now - before[i]).to(torch::kDouble)).floor());
      }
    }
  }

  FishOptions options_;
};

}  // namespace

AlgorithmEntry fish() {
  AlgorithmEntry entry =
      own_update("fish", "steps on one environment after the other, averaged (Shi et al. 2022)",
                 {.options = base::Options::of<FishOptions>(),
                  .make = [](const train::UpdateContext& context) -> std::unique_ptr<train::Algorithm> {
                    return std::make_unique<Fish>(context);
                  }});
  entry.domainbed = "Fish";
  entry.losses = {{"loss"}};
  // The paper's settings, as in the authors' code; the datasets have the ERM steps before.
  entry.defaults.push_back({"wilds", {{"meta_lr", "0.01"}, {"meta_lr_shared", "true"}}});
  entry.defaults.push_back({"civilcomments", {{"meta_lr", "0.05"}}});
  entry.defaults.push_back({"poverty", {{"meta_lr", "0.1"}}});
  entry.manual = {
      .formula =
          "theta_0 = theta,   theta_e = step(theta_{e-1}, gradient of R_e),   e = 1, ..., d\n"
          "theta  <- theta + meta_lr (theta_d - theta)\n"
          "\n"
          "step: of the optimizer, at rate lr;  d: environments per step;  loss: mean of the R_e, each at "
          "theta_{e-1}",
      .cited = {"Y. Shi, J. Seely, P. H. S. Torr, N. Siddharth, A. Hannun, N. Usunier and G. Synnaeve, "
                "\"Gradient Matching for Domain Generalization\", ICLR 2022"},
      .advice =
          "A baseline of the paper on WILDS. It costs as much per sample as ERM and needs minibatches of "
          "several environments. On WILDS it has the authors' settings: pretrain steps of ERM before, and "
          "meta_lr divided by the environments per step. Elsewhere, pretrain=N takes N steps of ERM first, "
          "too."};
  return entry;
}

}  // namespace pair::algorithms
