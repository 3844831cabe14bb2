#include <torch/autograd.h>
#include <torch/utils.h>

#include <cmath>
#include <utility>

#include "pair/objectives/losses.h"
#include "pair/objectives/objective.h"
#include "pair/objectives/registry.h"
#include "pair/objectives/state.h"

// DANN's loss (Ganin et al., "Domain-Adversarial Training of Neural Networks", JMLR 2016) as an objective:
// how well an adversary D, a small network on the features z, tells the environment e of a sample,
//
//   max(0, H(e) - mean_i l(D(z_i), e_i)),
//
// l the cross-entropy and H(e) = -sum_e n_e/n log(n_e/n) its value for an adversary that knows nothing but
// the sizes of the environments. DANN's featurizer maximises the adversary's loss, which is to minimise this;
// and unlike the negative loss this is not negative, so PAIR-o can weigh it (the paper's Appendix D.4:
// "PAIR-o can directly take the domain classification loss and the label classification loss as the inputs").
// It is 0 if D does no better than chance; for the best D it is the mutual information of features and
// environment.
//
// D has one hidden layer and learns within the objective: each value() first takes dann_steps steps of Adam
// (decays 0.5 and 0.9, as in DomainBed) on the batch. The algorithm dann has its own update, with DomainBed's
// options.

namespace pair::objectives {
namespace {

struct DannOptions {
  std::int64_t width = 256;
  std::int64_t steps = 1;
  double lr = 1e-3;
};

void describe(base::Fields<DannOptions>& field) {
  field.whole("dann_width", &DannOptions::width, std::int64_t{1}, 65'536, "hidden units of the adversary");
  field.whole("dann_steps", &DannOptions::steps, std::int64_t{1}, 1000,
              "adversary steps per step of the model");
  field.number("dann_lr", &DannOptions::lr, {.low = 0, .high = 1e3, .open_low = true},
               "the adversary's learning rate");
}

constexpr double dann_beta1 = 0.5;
constexpr double dann_beta2 = 0.9;
constexpr double dann_epsilon = 1e-8;

class Dann final : public Objective {
 public:
  explicit Dann(const DannOptions& options) : options_(options) {}

  torch::Tensor value(const HeadView& view, data::Random& random) override;

  [[nodiscard]] bool of_features() const override { return true; }
  // The adversary learns between two calls, so that their values cannot be compared, and each call copies the
  // samples' environments from the host, which a recorded step cannot.
  [[nodiscard]] bool replayable() const override { return false; }
  [[nodiscard]] bool remembers_environments() const override { return true; }

  [[nodiscard]] bool has_state() const override { return true; }
  // [3 P + 1]: the adversary's parameters, Adam's two averages, its number of steps; none before the first.
  [[nodiscard]] std::vector<torch::Tensor> state() const override { return saved_state(state_); }
  void restore(std::span<const torch::Tensor> state) override { state_ = restored_state("dann", state); }

 private:
  void begin(const HeadView& view, data::Random& random);
  // The mean cross-entropy of D with these parameters, [P].
  [[nodiscard]] torch::Tensor loss(const torch::Tensor& parameters, const torch::Tensor& features,
                                   const torch::Tensor& environments) const;
  void learn(const torch::Tensor& features, const torch::Tensor& environments);
  [[nodiscard]] std::int64_t size(std::int64_t features, std::int64_t environments) const {
    return options_.width * (features + 1) + environments * (options_.width + 1);
  }

  DannOptions options_;
  torch::Tensor state_;
};

// Uniform in +-1/sqrt(inputs), as torch's linear layers.
void Dann::begin(const HeadView& view, data::Random& random) {
  const std::int64_t features = view.features.size(1);
  const auto environments = static_cast<std::int64_t>(view.environments());
  const std::int64_t parameters = size(features, environments);
  const torch::Tensor state = torch::zeros({3 * parameters + 1}, torch::kDouble);
  auto* const values = state.data_ptr<double>();
  const std::int64_t first_layer = options_.width * (features + 1);
  for (std::int64_t i = 0; i < parameters; ++i) {
    const double reach = 1.0 / std::sqrt(static_cast<double>(i < first_layer ? features : options_.width));
    values[i] = random.uniform(-reach, reach);
  }
  state_ = state.to(view.features.options().requires_grad(false));
}

torch::Tensor Dann::loss(const torch::Tensor& parameters, const torch::Tensor& features,
                         const torch::Tensor& environments) const {
  const std::int64_t width = options_.width;
  const std::int64_t inputs = features.size(1);
  const std::int64_t outputs = (parameters.numel() - width * (inputs + 1)) / (width + 1);
  std::int64_t at = 0;
  const auto next = [&](std::int64_t rows, std::int64_t columns) {
    torch::Tensor part = parameters.narrow(0, at, rows * columns).view({rows, columns});
    at += rows * columns;
    return part;
  };
  const torch::Tensor first = next(width, inputs);
  const torch::Tensor first_bias = next(1, width);
  const torch::Tensor second = next(outputs, width);
  const torch::Tensor second_bias = next(1, outputs);
  const torch::Tensor hidden = (torch::mm(features, first.t()) + first_bias).relu();
  return per_sample_loss(data::TaskLoss::cross_entropy, torch::mm(hidden, second.t()) + second_bias,
                         environments)
      .mean();
}

// Adam, written out so that its state is one tensor.
void Dann::learn(const torch::Tensor& features, const torch::Tensor& environments) {
  const std::int64_t parameters = (state_.numel() - 1) / 3;
  const torch::Tensor theta = state_.narrow(0, 0, parameters).detach().requires_grad_(true);
  torch::Tensor gradient;
  {
    const torch::AutoGradMode with_graph(true);
    gradient = torch::autograd::grad({loss(theta, features, environments)}, {theta})[0];
  }
  const torch::NoGradGuard no_graph;
  // A step that is not finite is refused (train/guard.h); the discriminator must survive it.
  gradient = torch::nan_to_num(gradient, 0.0, 0.0, 0.0);
  torch::Tensor first = state_.narrow(0, parameters, parameters);
  torch::Tensor second = state_.narrow(0, 2 * parameters, parameters);
  torch::Tensor steps = state_.narrow(0, 3 * parameters, 1);
  steps.add_(1.0);
  first.lerp_(gradient, 1.0 - dann_beta1);
  second.mul_(dann_beta2).addcmul_(gradient, gradient, 1.0 - dann_beta2);
  const torch::Tensor first_scale = 1.0 - torch::pow(torch::full_like(steps, dann_beta1), steps);
  const torch::Tensor second_scale = 1.0 - torch::pow(torch::full_like(steps, dann_beta2), steps);
  state_.narrow(0, 0, parameters)
      .sub_(options_.lr * (first / first_scale) / ((second / second_scale).sqrt() + dann_epsilon));
}

torch::Tensor Dann::value(const HeadView& view, data::Random& random) {
  if (!state_.defined()) {
    begin(view, random);
  }
  const std::int64_t parameter_count =
      size(view.features.size(1), static_cast<std::int64_t>(view.environments()));
  match_state("dann", state_,
              torch::empty({3 * parameter_count + 1}, view.features.options().requires_grad(false)));
  std::vector<torch::Tensor> numbers;
  double chance = 0.0;
  const auto samples = static_cast<double>(view.features.size(0));
  for (std::size_t e = 0; e < view.environments(); ++e) {
    numbers.push_back(torch::full({view.sizes[e]}, static_cast<std::int64_t>(e), torch::kLong));
    const double share = static_cast<double>(view.sizes[e]) / samples;
    chance -= share * std::log(share);
  }
  const torch::Tensor environments = torch::cat(numbers).to(view.features.device());
  const torch::Tensor constant = view.features.detach();
  for (std::int64_t step = 0; step < options_.steps; ++step) {
    learn(constant, environments);
  }
  const torch::Tensor parameters = state_.narrow(0, 0, parameter_count).detach();
  return (chance - loss(parameters, view.features, environments)).clamp_min(0.0);
}

}  // namespace

ObjectiveEntry dann() {
  ObjectiveEntry entry = objective_entry<DannOptions>(
      "dann", "how well an adversary tells environments apart by the features",
      [](const DannOptions& options) { return std::make_unique<Dann>(options); }, Compares::environments);
  entry.manual = {
      .formula =
          "max(0, H(e) - mean_i l(D(z_i), e_i))\n"
          "\n"
          "D: an adversary with one hidden layer on the features z, which learns at each step;  l: "
          "cross-entropy\n"
          "H(e) = -sum_e n_e/n log(n_e/n): its value for an adversary that knows nothing",
      .cited = {"Y. Ganin, E. Ustinova, H. Ajakan, P. Germain, H. Larochelle, F. Laviolette, M. "
                "Marchand and V. Lempitsky, \"Domain-Adversarial Training of Neural Networks\", "
                "JMLR 2016"},
      .advice =
          "Use it to put DANN's loss under PAIR-o's solver, as the paper's Appendix D.4 proposes: "
          "`--algorithm pair --objectives erm,irmv1,dann --set gradients=f`. It is a function of the "
          "features, so "
          "the solver must see more than the head's gradients. The adversary learns at every step, so that "
          "PAIR-o "
          "cannot compare the losses of two steps and does not undo steps that raise them (`backtrack`). "
          "Every step must contain the same environments. The algorithm `dann` is DomainBed's."};
  return entry;
}

}  // namespace pair::objectives
