#include <torch/autograd.h>
#include <torch/nn/modules/embedding.h>
#include <torch/nn/modules/linear.h>
#include <torch/utils.h>

#include <limits>
#include <stdexcept>

#include "pair/algorithms/recipes.h"
#include "pair/models/dropout.h"
#include "pair/models/initial.h"
#include "pair/objectives/losses.h"
#include "pair/train/algorithm.h"
#include "pair/train/archive.h"
#include "pair/train/phases.h"
#include "pair/train/strategy.h"

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
// Both networks have the guarded update of train/update.h, and nothing here waits for the device: each kind of
// update is recorded once and replayed (device/recorder.h).
//
// DANN: v_i = 1/n. CDANN: z_i plus an embedding of the class y_i, learned with the adversary, and v_i = 1/(K
// n_{y_i}), so that all K classes have the same weight.

namespace pair::algorithms {
namespace {

using train::Batch;

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

// D, an MLP on features, and for CDANN an embedding of the classes.
class Adversary : public torch::nn::Module {
 public:
  // classes: 0 for an adversary that does not see them.
  Adversary(std::int64_t features, std::int64_t environments, std::int64_t classes,
            const AdversaryOptions& options);

  // Logits of the environments for rows [n, features].
  torch::Tensor forward(torch::Tensor rows);
  // The embeddings of classes, [n, features]; classes as indicators (below).
  [[nodiscard]] torch::Tensor embedded(const torch::Tensor& classes) const { return classes.mm(embedding_); }

 private:
  std::vector<torch::nn::Linear> layers_;
  std::vector<std::shared_ptr<models::Dropout>> dropouts_;  // of the hidden layers
  torch::Tensor embedding_;
};

// A loss in records: on the device, so that steps do not wait for it.
class RecordedLoss {
 public:
  explicit RecordedLoss(torch::Device device);

  // For recorded work. Takes the loss, a scalar, as the last value, and into the mean if `counts`. One that is
  // not finite is left out.
  void note(const torch::Tensor& loss, bool counts) const;

  // Wait for the device.
  [[nodiscard]] double last() const { return train::to_doubles(numbers_)[last_value]; }
  // The mean since the last call or, if nothing counted, the last value.
  double take_mean();

  void save(torch::serialize::OutputArchive& archive, const std::string& key) const;
  void load(torch::serialize::InputArchive& archive, const std::string& key);

 private:
  enum Number : std::int64_t { last_value, sum, count };
  torch::Tensor numbers_;  // [3] doubles, in fixed memory
};

class Adversarial final : public train::StepStrategy {
 public:
  Adversarial(train::Learner& learner, const train::UpdateContext& context, bool conditional);

  void begin() override;
  void advance(std::int64_t step, double lr) override;
  void settle() override;
  [[nodiscard]] train::NamedLosses take_named_losses() override;
  void save(torch::serialize::OutputArchive& archive) const override;
  void load(torch::serialize::InputArchive& archive) override;

 private:
  // The device's part of the two kinds of updates.
  void update_adversary();
  void update_model();
  // The loss of the adversary on features, with their graph if they have one.
  torch::Tensor disc_loss(const torch::Tensor& features, const Batch& batch);

  train::Learner* learner_;
  const train::Settings* settings_;
  AdversaryOptions options_;
  std::int64_t classes_;  // that the adversary sees; 0 for DANN
  std::shared_ptr<Adversary> adversary_;
  models::DropoutKey masks_;  // the adversary's
  train::Update adversary_update_;
  train::GuardState adversary_guard_;  // as last read from the device
  train::StepControls adversary_rate_;
  train::KeptBuffers model_buffers_;  // as they were before an update of the adversary
  train::RepeatedWork adversary_work_;
  train::RepeatedWork model_work_;
  std::int64_t updates_ = 0;
  RecordedLoss gen_loss_;
  RecordedLoss disc_loss_;
};

// Classes 0, 1, ... as rows of zeros and a one, [n, count].
torch::Tensor indicators(const torch::Tensor& classes, std::int64_t count) {
  const torch::Tensor numbers = torch::arange(count, classes.options().dtype(torch::kLong));
  return classes.to(torch::kLong).unsqueeze(1).eq(numbers).to(torch::kFloat);
}

// The environment of each sample, 0, 1, ...
torch::Tensor environments_of(const Batch& batch) {
  std::vector<torch::Tensor> numbers;
  for (std::size_t e = 0; e < batch.sizes.size(); ++e) {
    numbers.push_back(torch::full({batch.sizes[e]}, static_cast<std::int64_t>(e),
                                  batch.labels.options().dtype(torch::kLong)));
  }
  return torch::cat(numbers);
}

// The gradients of a loss in the features, and in the head's weight and then bias; of parameters that are not
// trained, zeros.
struct Slopes {
  torch::Tensor at_features;
  torch::Tensor at_head;
};
Slopes slopes_of(const torch::Tensor& loss, const torch::Tensor& features, const torch::nn::Linear& head) {
  std::vector<torch::Tensor> in = {features};
  std::vector<torch::Tensor> at_head;
  for (const torch::Tensor& parameter : {head->weight, head->bias}) {
    if (parameter.requires_grad()) {
      in.push_back(parameter);
    }
  }
  const std::vector<torch::Tensor> slopes = torch::autograd::grad({loss}, in);
  auto next = slopes.begin() + 1;
  for (const torch::Tensor& parameter : {head->weight, head->bias}) {
    at_head.push_back(parameter.requires_grad() ? *next++ : torch::zeros_like(parameter));
  }
  return {slopes.front(), train::flattened(at_head)};
}

std::int64_t classes_seen(const data::EnvironmentSet& data, bool conditional) {
  if (!conditional) {
    return 0;
  }
  if (data.loss == data::TaskLoss::squared_error) {
    throw std::invalid_argument("cdann: expected labels that are classes, got numbers in '" + data.name +
                                "'; dann supports them");
  }
  return data.loss == data::TaskLoss::binary_cross_entropy ? 2 : data.outputs;
}

std::shared_ptr<Adversary> make_adversary(const train::UpdateContext& context, std::int64_t classes,
                                          const AdversaryOptions& options) {
  auto adversary =
      std::make_shared<Adversary>(context.model->head->options.in_features(),
                                  static_cast<std::int64_t>(context.data.train.size()), classes, options);
  data::Random random(context.seed, "adversary");
  models::fill_default(*adversary, random);
  adversary->to(context.device);
  return adversary;
}

}  // namespace

Adversary::Adversary(std::int64_t features, std::int64_t environments, std::int64_t classes,
                     const AdversaryOptions& options) {
  for (std::int64_t layer = 1; layer <= options.mlp_depth; ++layer) {
    const std::string number = std::to_string(layer);
    const bool hidden = layer < options.mlp_depth;
    layers_.emplace_back(
        register_module("layer" + number, torch::nn::Linear(layer == 1 ? features : options.mlp_width,
                                                            hidden ? options.mlp_width : environments)));
    if (hidden) {
      dropouts_.push_back(
          register_module("dropout" + number, std::make_shared<models::Dropout>(options.mlp_dropout)));
    }
  }
  if (classes > 0) {
    embedding_ = register_module("embedding", torch::nn::Embedding(classes, features))->weight;
  }
}

torch::Tensor Adversary::forward(torch::Tensor rows) {
  for (std::size_t i = 0; i < dropouts_.size(); ++i) {
    rows = dropouts_[i]->forward(layers_[i]->forward(rows)).relu();
  }
  return layers_.back()->forward(rows);
}

RecordedLoss::RecordedLoss(torch::Device device)
    : numbers_(torch::tensor({never_computed, 0.0, 0.0}, torch::kDouble).to(device)) {}

void RecordedLoss::note(const torch::Tensor& loss, bool counts) const {
  const torch::NoGradGuard no_graph;
  const torch::Tensor value = loss.detach().to(torch::kDouble);
  const torch::Tensor finite = value.isfinite();
  numbers_[last_value].copy_(torch::where(finite, value, numbers_[last_value]));
  if (counts) {
    numbers_[sum].add_(torch::where(finite, value, torch::zeros_like(value)));
    numbers_[count].add_(finite);
  }
}

double RecordedLoss::take_mean() {
  const std::vector<double> numbers = train::to_doubles(numbers_);
  const torch::NoGradGuard no_graph;
  numbers_.narrow(0, sum, 2).zero_();
  return numbers[count] > 0.0 ? numbers[sum] / numbers[count] : numbers[last_value];
}

void RecordedLoss::save(torch::serialize::OutputArchive& archive, const std::string& key) const {
  archive.write(key, numbers_);
}

void RecordedLoss::load(torch::serialize::InputArchive& archive, const std::string& key) {
  torch::Tensor saved;
  archive.read(key, saved);
  const torch::NoGradGuard no_graph;
  numbers_.copy_(saved);
}

Adversarial::Adversarial(train::Learner& learner, const train::UpdateContext& context, bool conditional)
    : learner_(&learner),
      settings_(&context.settings),
      options_(context.settings.update.options.as<AdversaryOptions>()),
      classes_(classes_seen(context.data, conditional)),
      adversary_(make_adversary(context, classes_, options_)),
      masks_(*adversary_, data::Random(context.seed, "adversary's dropout").bits(), context.device),
      adversary_update_(adversary_->parameters(), {.beta1 = options_.beta1, .beta2 = beta2}),
      adversary_rate_(1, learner.link),
      adversary_work_(learner.link, "steps of the adversary"),
      model_work_(learner.link, "steps of the model"),
      gen_loss_(context.device),
      disc_loss_(context.device) {}

void Adversarial::begin() {
  train::UpdateOptions options = train::Phases(*settings_).descent_update();
  options.beta1 = options_.beta1;
  options.beta2 = beta2;
  learner_->begin_update(options);
  model_buffers_ = train::KeptBuffers(learner_->model->buffers());
  adversary_work_.set({[this] { update_adversary(); }});
  model_work_.set({[this] { update_model(); }});
}

void Adversarial::advance(std::int64_t step, double lr) {
  ++updates_;
  masks_.set_step(step);
  if (updates_ % (1 + options_.d_steps_per_g_step) < options_.d_steps_per_g_step) {
    adversary_rate_.set({1.0}, options_.lr_d * lr / settings_->lr, /*device_is_idle=*/false);
    adversary_work_.play(0);
  } else {
    learner_->controls.set({1.0}, lr, /*device_is_idle=*/false);
    model_work_.play(0);
  }
}

torch::Tensor Adversarial::disc_loss(const torch::Tensor& features, const Batch& batch) {
  torch::Tensor input = features;
  torch::Tensor classes;
  if (classes_ > 0) {
    classes = indicators(batch.labels, classes_);
    input = input + adversary_->embedded(classes);
  } else if (!input.requires_grad()) {
    input = input.detach().requires_grad_(options_.grad_penalty > 0.0);
  }
  const torch::Tensor losses = objectives::per_sample_loss(
      data::TaskLoss::cross_entropy, adversary_->forward(input), environments_of(batch));
  torch::Tensor loss = losses.mean();
  if (classes_ > 0) {
    const torch::Tensor count_of_class = classes.mv(classes.sum(0));
    loss = (losses / (count_of_class * classes_)).sum();
  }
  if (options_.grad_penalty > 0.0) {
    const torch::Tensor slopes =
        torch::autograd::grad({losses.sum()}, {input}, {}, /*retain_graph=*/true, /*create_graph=*/true)[0];
    loss = loss + options_.grad_penalty * slopes.square().sum(1).mean();
  }
  return loss;
}

void Adversarial::update_adversary() {
  const Batch batch = learner_->batches.of_step(learner_->step.in_half());
  torch::Tensor features;
  {
    const torch::NoGradGuard constant;
    model_buffers_.keep();
    features = learner_->step.network().forward(batch.inputs).to(torch::kFloat);
  }
  const torch::Tensor loss = disc_loss(features, batch);
  torch::Tensor gradient = train::flattened(torch::autograd::grad({loss}, adversary_->parameters()));
  const torch::NoGradGuard no_graph;
  if (options_.weight_decay_d > 0.0) {
    gradient.add_(adversary_update_.parameters(), options_.weight_decay_d);
  }
  adversary_update_.apply(gradient, loss.detach().to(torch::kDouble).view({1}), adversary_rate_.lr());
  if (!model_buffers_.empty()) {
    model_buffers_.restore_where(loss.isfinite().logical_not());
  }
  disc_loss_.note(loss, /*counts=*/true);
}

void Adversarial::update_model() {
  const train::StepNetwork& network = learner_->step.network();
  const torch::nn::Linear& head = learner_->model->head;
  const Batch batch = learner_->batches.of_step(learner_->step.in_half());
  const train::Features features = network.features_of(batch);
  const torch::Tensor cut = features.values.detach().to(torch::kFloat).requires_grad_();

  const torch::Tensor adversary = disc_loss(cut, batch);
  const torch::Tensor labels =
      network.loss() == data::TaskLoss::cross_entropy ? batch.labels : batch.labels.to(cut.scalar_type());
  const torch::Tensor risk =
      objectives::per_sample_loss(network.loss(), learner_->model->logits(cut), labels).mean();
  const torch::Tensor loss = risk - settings_->penalty * adversary;
  const auto [at_features, at_head] = slopes_of(loss, cut, head);

  torch::Tensor gradient =
      network.joined(network.through_featurizer(features, at_features, /*again=*/false), at_head);
  const torch::NoGradGuard no_graph;
  if (settings_->l2 > 0.0) {
    gradient.add_(learner_->update->parameters(), 2.0 * settings_->l2);
  }
  learner_->update->apply(gradient, torch::stack({loss, adversary}).detach().to(torch::kDouble),
                          learner_->controls.lr());
  gen_loss_.note(loss, /*counts=*/true);
  disc_loss_.note(adversary, /*counts=*/false);
}

void Adversarial::settle() {
  learner_->read_guard();
  const std::int64_t refused = adversary_guard_.rollbacks;
  train::Update::read_tally(train::to_doubles(adversary_update_.tally()), adversary_guard_);
  if (refused == 0 && adversary_guard_.rollbacks > 0) {
    learner_->link.notify(
        "warning: the adversary's loss or gradient was not finite; such steps are not taken, and each halves "
        "lr_d");
  }
  if (adversary_guard_.over()) {
    throw train::Diverged("training diverged: " + std::to_string(train::GuardState::patience) +
                          " steps of the adversary in a row had a loss or gradient that was not finite; a "
                          "smaller lr_d may help");
  }
}

// DomainBed logs disc_loss after the adversary's updates and gen_loss after the model's, so the means are over
// these.
train::NamedLosses Adversarial::take_named_losses() {
  const bool means = learner_->batches.minibatches();
  return {{"gen_loss", means ? gen_loss_.take_mean() : gen_loss_.last()},
          {"disc_loss", means ? disc_loss_.take_mean() : disc_loss_.last()}};
}

void Adversarial::save(torch::serialize::OutputArchive& archive) const {
  torch::serialize::OutputArchive own;
  train::write(own, "adversary", adversary_->parameters());
  torch::serialize::OutputArchive update;
  adversary_update_.save(update);
  own.write("update", update);
  own.write("updates", c10::IValue(updates_));
  gen_loss_.save(own, "gen_loss");
  disc_loss_.save(own, "disc_loss");
  archive.write("algorithm", own);
}

void Adversarial::load(torch::serialize::InputArchive& archive) {
  torch::serialize::InputArchive own;
  archive.read("algorithm", own);
  const std::vector<torch::Tensor> saved = train::read_tensors(own, "adversary");
  const std::vector<torch::Tensor> parameters = adversary_->parameters();
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (saved.size() != parameters.size() || saved[i].sizes() != parameters[i].sizes()) {
      throw std::runtime_error("the checkpoint belongs to an adversary of another size");
    }
    const torch::NoGradGuard no_graph;
    torch::Tensor(parameters[i]).copy_(saved[i]);
  }
  torch::serialize::InputArchive update;
  own.read("update", update);
  adversary_update_.load(update);
  train::Update::read_tally(train::to_doubles(adversary_update_.tally()), adversary_guard_);
  updates_ = train::read_value(own, "updates").toInt();
  gen_loss_.load(own, "gen_loss");
  disc_loss_.load(own, "disc_loss");
}

namespace {

AlgorithmEntry adversarial(const char* name, const char* summary, const char* domainbed_name,
                           bool conditional) {
  AlgorithmEntry entry =
      own_update(name, summary,
                 {.compares = true,
                  .remembers_environments = true,
                  .reads_penalty = true,
                  .options = base::Options::of<AdversaryOptions>(),
                  .make_strategy = [conditional](train::Learner& learner, const train::UpdateContext& context)
                      -> std::unique_ptr<train::StepStrategy> {
                    return std::make_unique<Adversarial>(learner, context, conditional);
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
