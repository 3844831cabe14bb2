#include <torch/autograd.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim.h>
#include <torch/utils.h>

#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "pair/algorithms/recipes.h"
#include "pair/models/initial.h"
#include "pair/objectives/losses.h"
#include "pair/train/algorithm.h"
#include "pair/train/descent_optimizer.h"
#include "pair/train/guarded_step.h"
#include "pair/train/precision.h"

// DANN (Ganin et al., "Domain-Adversarial Training of Neural Networks", JMLR 2016) and CDANN (Li et al.,
// "Deep Domain Generalization via Conditional Invariant Adversarial Networks", ECCV 2018), as in DomainBed.
// An adversary, an MLP D on the features, predicts the environment of a sample; the model is trained to
// predict the labels and to make the adversary fail. With l the cross-entropy and z = phi(x),
//
//   disc_loss = sum_i v_i l(D(z_i), e_i) + grad_penalty * mean_i | d l(D(z_i), e_i) / d z_i |^2,
//   gen_loss  = mean_i l(w(z_i), y_i) - penalty * disc_loss.
//
// In each round of 1 + d_steps_per_g_step updates, the last minimises gen_loss with the run's optimizer, and
// the others minimise disc_loss with the adversary's Adam, whose rate lr_d rises and falls with the run's.
// The very first update counts as the second of its round, as in DomainBed, so with one adversary step per
// round the model begins.
//
// DANN: v_i = 1/n. CDANN: z_i plus an embedding of the class y_i, learned with the adversary, and v_i = 1/(K
// n_{y_i}), so that all K classes have the same weight.

namespace pair::algorithms {
namespace {

using train::Algorithm;
using train::Batch;
using train::Diverged;
using train::NamedLosses;

// DomainBed's names. The weight of the adversary's loss is the run's penalty, that of the model's weight
// decay its l2.
struct AdversaryOptions {
  std::int64_t d_steps_per_g_step = 1;
  double grad_penalty = 0.0;
  double lr_d = 1e-3;
  double weight_decay_d = 0.0;  // as in Adam
  double beta1 = 0.5;           // the second decay is 0.9
  std::int64_t mlp_width = 256;
  std::int64_t mlp_depth = 3;
  double mlp_dropout = 0.0;
};

void describe(base::Fields<AdversaryOptions>& field) {
  using O = AdversaryOptions;
  field
      .whole("d_steps_per_g_step", &O::d_steps_per_g_step, std::int64_t{0}, 1000,
             "adversary steps per model step")
      .domainbed = base::LogUniform{2, 0, 3, true};
  field
      .number("grad_penalty", &O::grad_penalty, {.low = 0, .high = 1e12},
              "weight of the adversary's gradient penalty")
      .domainbed = base::LogUniform{10, -2, 1};
  base::Field& lr_d = field.number("lr_d", &O::lr_d, {.low = 0, .high = 1e3, .open_low = true},
                                   "the adversary's learning rate");
  lr_d.domainbed = base::LogUniform{10, -4.5, -2.5};
  lr_d.learning_rate = true;
  field.number("weight_decay_d", &O::weight_decay_d, {.low = 0, .high = 1e3}, "the adversary's weight decay")
      .domainbed = base::LogUniform{10, -6, -2};
  field
      .number("beta1", &O::beta1, {.low = 0, .high = 1, .open_high = true},
              "Adam's first decay, for model and adversary")
      .domainbed = base::Choice{{"0", "0.5"}};
  field.whole("mlp_width", &O::mlp_width, std::int64_t{1}, 65'536, "the adversary's units per hidden layer")
      .domainbed = base::LogUniform{2, 6, 10, true};
  field.whole("mlp_depth", &O::mlp_depth, std::int64_t{2}, 64, "the adversary's layers").domainbed =
      base::Choice{{"3", "4", "5"}};
  field
      .number("mlp_dropout", &O::mlp_dropout, {.low = 0, .high = 1, .open_high = true},
              "dropout share of the adversary's hidden units")
      .domainbed = base::Choice{{"0", "0.1", "0.5"}};
}

constexpr double never_computed = std::numeric_limits<double>::quiet_NaN();
constexpr double beta2 = 0.9;

torch::nn::Sequential mlp(std::int64_t inputs, std::int64_t width, std::int64_t depth, std::int64_t outputs) {
  torch::nn::Sequential layers;
  for (std::int64_t layer = 1; layer < depth; ++layer) {
    layers->push_back(torch::nn::Linear(layer == 1 ? inputs : width, width));
  }
  layers->push_back(torch::nn::Linear(width, outputs));
  return layers;
}

double checked(const torch::Tensor& loss, const char* name) {
  const double value = loss.item<double>();
  if (!std::isfinite(value)) {
    throw Diverged(std::string(name) + " is not finite; a lower lr or lr_d may help");
  }
  return value;
}

// Dropout whose mask comes from a run's own generator.
torch::Tensor thinned(const torch::Tensor& rows, double dropout, data::Random& random) {
  if (dropout == 0.0) {
    return rows;
  }
  const torch::Tensor mask = torch::empty(rows.sizes(), torch::kFloat);
  float* const values = mask.data_ptr<float>();
  const auto kept = static_cast<float>(1.0 / (1.0 - dropout));
  for (std::int64_t i = 0; i < mask.numel(); ++i) {
    values[i] = random.bernoulli(dropout) ? 0.0F : kept;
  }
  return rows * mask.to(rows.device());
}

// The environment of each sample, 0, 1, ...
torch::Tensor environments_of(const Batch& batch) {
  std::vector<torch::Tensor> numbers;
  for (std::size_t e = 0; e < batch.sizes.size(); ++e) {
    numbers.push_back(torch::full({batch.sizes[e]}, static_cast<std::int64_t>(e), torch::kLong));
  }
  return torch::cat(numbers).to(batch.labels.device());
}

std::vector<torch::Tensor> parameters_of(const torch::nn::Sequential& adversary,
                                         const torch::nn::Embedding& embedding) {
  std::vector<torch::Tensor> parameters = adversary->parameters();
  if (embedding) {
    parameters.push_back(embedding->weight);
  }
  return parameters;
}

class Adversarial final : public Algorithm {
 public:
  Adversarial(const train::UpdateContext& context, bool conditional);

  void advance(const Batch& batch, double lr, data::Random& random) override;
  [[nodiscard]] NamedLosses losses() const override;
  [[nodiscard]] NamedLosses computed() const override;
  void save(torch::serialize::OutputArchive& archive) const override;
  void load(torch::serialize::InputArchive& archive) override;

 private:
  // The loss of the adversary on features, with their graph if they have one.
  torch::Tensor disc_loss(const torch::Tensor& features, const Batch& batch, data::Random& random);
  // D: logits of the environments.
  torch::Tensor judgement(torch::Tensor rows, data::Random& random);
  [[nodiscard]] torch::Tensor class_weights(const torch::Tensor& classes) const;

  std::shared_ptr<models::Model> model_;
  data::TaskLoss loss_;
  std::int64_t classes_;
  bool conditional_;
  double penalty_;
  train::Precision precision_;
  AdversaryOptions options_;
  torch::nn::Sequential adversary_;          // linear layers; ReLU and dropout between them
  torch::nn::Embedding embedding_{nullptr};  // for CDANN
  double full_lr_;                           // the run's lr, without warm-up and schedule
  std::optional<torch::optim::Adam> disc_adam_;
  std::optional<train::DescentOptimizer> gen_optimizer_;
  std::int64_t updates_ = 0;
  bool adversarys_ = false;  // whether the last update was the adversary's
  double last_gen_;
  double last_disc_;
};

}  // namespace

Adversarial::Adversarial(const train::UpdateContext& context, bool conditional)
    : model_(context.model),
      loss_(context.data.loss),
      classes_(context.data.loss == data::TaskLoss::binary_cross_entropy ? 2 : context.data.outputs),
      conditional_(conditional),
      penalty_(context.settings.penalty),
      precision_(context.settings.precision),
      options_(context.settings.update.options.as<AdversaryOptions>()),
      full_lr_(context.settings.lr),
      last_gen_(never_computed),
      last_disc_(never_computed) {
  if (conditional_ && loss_ == data::TaskLoss::squared_error) {
    throw std::invalid_argument("cdann: expected labels that are classes, got numbers in '" +
                                context.data.name + "'; dann supports them");
  }
  const std::int64_t features = model_->head->options.in_features();
  adversary_ = mlp(features, options_.mlp_width, options_.mlp_depth,
                   static_cast<std::int64_t>(context.data.train.size()));
  data::Random random(context.seed, "adversary");
  models::fill_default(*adversary_, random);
  if (conditional_) {
    embedding_ = torch::nn::Embedding(classes_, features);
    torch::nn::Sequential holder(embedding_);
    models::fill_default(*holder, random);
    embedding_->to(context.device);
  }
  adversary_->to(context.device);
  disc_adam_.emplace(parameters_of(adversary_, embedding_), torch::optim::AdamOptions(options_.lr_d)
                                                                .betas({options_.beta1, beta2})
                                                                .weight_decay(options_.weight_decay_d));
  gen_optimizer_.emplace(model_->parameters(), context.settings,
                         train::DescentOptimizer::Decays{.first = options_.beta1, .second = beta2});
}

torch::Tensor Adversarial::class_weights(const torch::Tensor& classes) const {
  const torch::Tensor counts = torch::bincount(classes, {}, classes_);
  return (counts.index_select(0, classes) * classes_).to(torch::kFloat).reciprocal();
}

torch::Tensor Adversarial::judgement(torch::Tensor rows, data::Random& random) {
  for (std::size_t i = 0; i < adversary_->size(); ++i) {
    rows = adversary_->at<torch::nn::LinearImpl>(i).forward(rows);
    if (i + 1 < adversary_->size()) {
      rows = thinned(rows, options_.mlp_dropout, random).relu();
    }
  }
  return rows;
}

torch::Tensor Adversarial::disc_loss(const torch::Tensor& features, const Batch& batch,
                                     data::Random& random) {
  torch::Tensor input = features;
  torch::Tensor classes;
  if (conditional_) {
    classes = batch.labels.to(torch::kLong);
    input = input + embedding_->forward(classes);
  } else if (!input.requires_grad()) {
    input = input.detach().requires_grad_(options_.grad_penalty > 0.0);
  }
  const torch::Tensor losses = objectives::per_sample_loss(data::TaskLoss::cross_entropy,
                                                           judgement(input, random), environments_of(batch));
  torch::Tensor loss = conditional_ ? (class_weights(classes) * losses).sum() : losses.mean();
  if (options_.grad_penalty > 0.0) {
    const torch::Tensor slopes =
        torch::autograd::grad({losses.sum()}, {input}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
    loss = loss + options_.grad_penalty * slopes.square().sum(1).mean();
  }
  return loss;
}

void Adversarial::advance(const Batch& batch, double lr, data::Random& random) {
  ++updates_;
  adversarys_ = updates_ % (1 + options_.d_steps_per_g_step) < options_.d_steps_per_g_step;
  if (adversarys_) {
    torch::Tensor features;
    {
      const torch::NoGradGuard constant;
      features = train::features_in(precision_, *model_, batch.inputs);
    }
    const torch::Tensor loss = disc_loss(features, batch, random);
    last_disc_ = checked(loss, "disc_loss");
    train::set_lr(*disc_adam_, options_.lr_d * lr / full_lr_);
    disc_adam_->zero_grad();
    loss.backward();
    disc_adam_->step();
    return;
  }
  const torch::Tensor features = train::features_in(precision_, *model_, batch.inputs);
  const torch::Tensor adversary = disc_loss(features, batch, random);
  const torch::Tensor labels =
      loss_ == data::TaskLoss::cross_entropy ? batch.labels : batch.labels.to(features.scalar_type());
  const torch::Tensor risk = objectives::per_sample_loss(loss_, model_->logits(features), labels).mean();
  const torch::Tensor loss = risk - penalty_ * adversary;
  last_disc_ = checked(adversary, "disc_loss");
  last_gen_ = checked(loss, "gen_loss");
  gen_optimizer_->step(loss, lr);
}

NamedLosses Adversarial::losses() const {
  return {{"gen_loss", last_gen_}, {"disc_loss", last_disc_}};
}

// DomainBed logs disc_loss after the adversary's updates and gen_loss after the model's.
NamedLosses Adversarial::computed() const {
  return {{"gen_loss", adversarys_ ? never_computed : last_gen_},
          {"disc_loss", adversarys_ ? last_disc_ : never_computed}};
}

void Adversarial::save(torch::serialize::OutputArchive& archive) const {
  const std::vector<torch::Tensor> parameters = parameters_of(adversary_, embedding_);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    archive.write("adversary/" + std::to_string(i), parameters[i].detach());
  }
  archive.write("updates", c10::IValue(updates_));
  archive.write("gen_loss", c10::IValue(last_gen_));
  archive.write("disc_loss", c10::IValue(last_disc_));
  torch::serialize::OutputArchive disc;
  disc_adam_->save(disc);
  archive.write("disc_adam", disc);
  torch::serialize::OutputArchive gen;
  gen_optimizer_->save(gen);
  archive.write("gen_adam", gen);  // its name in existing checkpoints; it may be SGD
}

void Adversarial::load(torch::serialize::InputArchive& archive) {
  {
    const torch::NoGradGuard no_graph;
    const std::vector<torch::Tensor> parameters = parameters_of(adversary_, embedding_);
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      torch::Tensor saved;
      archive.read("adversary/" + std::to_string(i), saved);
      if (saved.sizes() != parameters[i].sizes()) {
        throw std::runtime_error("the checkpoint belongs to an adversary of another size");
      }
      torch::Tensor(parameters[i]).copy_(saved);
    }
  }
  c10::IValue value;
  archive.read("updates", value);
  updates_ = value.toInt();
  archive.read("gen_loss", value);
  last_gen_ = value.toDouble();
  archive.read("disc_loss", value);
  last_disc_ = value.toDouble();
  torch::serialize::InputArchive disc;
  archive.read("disc_adam", disc);
  disc_adam_->load(disc);
  torch::serialize::InputArchive gen;
  archive.read("gen_adam", gen);
  gen_optimizer_->load(gen);
}

namespace {

AlgorithmEntry adversarial(const char* name, const char* summary, const char* domainbed_name,
                           bool conditional) {
  AlgorithmEntry entry = own_update(
      name, summary,
      {.compares = true,
       .remembers_environments = true,
       .reads_penalty = true,
       .options = base::Options::of<AdversaryOptions>(),
       .make = [conditional](const train::UpdateContext& context) -> std::unique_ptr<train::Algorithm> {
         return std::make_unique<Adversarial>(context, conditional);
       }});
  entry.domainbed = domainbed_name;
  entry.domainbed_names = {{"lr", "lr_g"}, {"l2", "weight_decay_g"}};
  draw_on_domainbed(entry, "penalty", base::LogUniform{10, -2, 2}).domainbed = {"lambda"};
  entry.losses = {{"gen_loss"}};
  return entry;
}

}  // namespace

AlgorithmEntry dann() {
  AlgorithmEntry entry = adversarial(
      "dann", "features by which an adversary cannot tell environments apart (Ganin et al. 2016)", "DANN",
      /*conditional=*/false);
  entry.noisy_losses = true;
  entry.manual = {
      .formula =
          "disc_loss = sum_i v_i l(D(z_i), e_i) + grad_penalty mean_i | d l(D(z_i), e_i) / d z_i |^2\n"
          "gen_loss  = mean_i l(w(z_i), y_i) - penalty disc_loss\n"
          "\n"
          "D: the adversary, an MLP on the features z;  v_i = 1/n",
      .cited = {"Y. Ganin, E. Ustinova, H. Ajakan, P. Germain, H. Larochelle, F. Laviolette, M. "
                "Marchand and V. Lempitsky, \"Domain-Adversarial Training of Neural Networks\", "
                "JMLR 2016"},
      .advice =
          "Use it when environments differ in how the inputs look and class frequencies "
          "are similar in each. Adversarial training is noisy: PAIR-s selects by "
          "validation accuracy instead of losses. Sweep the options of the adversary."};
  return entry;
}

AlgorithmEntry cdann() {
  AlgorithmEntry entry =
      adversarial("cdann", "as dann, but class by class (Li et al. 2018)", "CDANN", /*conditional=*/true);
  entry.manual = {
      .formula =
          "disc_loss = sum_i v_i l(D(z_i), e_i) + grad_penalty mean_i | d l(D(z_i), e_i) / d z_i |^2\n"
          "gen_loss  = mean_i l(w(z_i), y_i) - penalty disc_loss\n"
          "\n"
          "D: the adversary, an MLP on z plus an embedding of the class y;  v_i = 1/(K n_y), K classes",
      .cited = {"Y. Li, X. Tian, M. Gong, Y. Liu, T. Liu, K. Zhang and D. Tao, \"Deep Domain "
                "Generalization via Conditional Invariant Adversarial Networks\", ECCV 2018"},
      .advice =
          "Use it instead of `dann` when class frequencies differ between environments: "
          "the adversary compares environments within each class. Classification only."};
  return entry;
}

}  // namespace pair::algorithms
