#include "pair/train/trainer.h"

#include <torch/optim.h>
#include <torch/serialize.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <istream>
#include <numbers>
#include <numeric>
#include <optional>
#include <ostream>
#include <utility>

#include "pair/data/random.h"
#include "pair/models/model.h"
#include "pair/objectives/objective.h"
#include "pair/train/algorithm.h"
#include "pair/train/host_numbers.h"
#include "pair/train/step.h"
#include "pair/train/weigher.h"

namespace pair::train {
namespace {

// Rows evaluated at once: activations stay small, whatever the data's size. Those of an image outnumber its
// pixels.
std::int64_t evaluation_rows(const torch::Tensor& inputs) {
  return inputs.dim() > 2 ? 256 : 4096;
}

Batch everything(const std::vector<data::Environment>& environments, torch::Device device) {
  std::vector<torch::Tensor> inputs;
  std::vector<torch::Tensor> labels;
  Batch batch;
  for (const data::Environment& environment : environments) {
    inputs.push_back(environment.inputs);
    labels.push_back(environment.labels);
    batch.sizes.push_back(environment.labels.size(0));
  }
  batch.inputs = torch::cat(inputs).to(device);
  batch.labels = torch::cat(labels).to(device);
  return batch;
}

models::ModelSpec model_spec(const Settings& settings, const data::EnvironmentSet& data) {
  models::ModelSpec spec;
  spec.name = settings.model;
  spec.input_size = data.train.front().inputs[0].numel();
  spec.outputs = data.outputs;
  spec.width = settings.width;
  spec.depth = settings.depth;
  spec.input_shape = data.train.front().inputs[0].sizes().vec();
  return spec;
}

// 1 for a right answer; the squared error for regression.
torch::Tensor scores(data::TaskLoss loss, const torch::Tensor& logits, const torch::Tensor& labels) {
  switch (loss) {
    case data::TaskLoss::binary_cross_entropy:
      return ((logits.squeeze(1) > 0).to(labels.dtype()) == labels).to(torch::kDouble);
    case data::TaskLoss::cross_entropy:
      return (logits.argmax(1) == labels).to(torch::kDouble);
    case data::TaskLoss::squared_error:
      return (logits.squeeze(1) - labels).square().to(torch::kDouble);
  }
  throw std::logic_error("unknown task loss");
}

torch::Tensor as_tensor(const std::vector<double>& values) {
  return torch::tensor(c10::ArrayRef<double>(values), torch::kDouble);
}

}  // namespace

class Trainer::Impl {
 public:
  Impl(std::shared_ptr<const data::EnvironmentSet> data, Settings settings, std::uint64_t seed,
       torch::Device device)
      : data_(std::move(data)),
        settings_(std::move(settings)),
        batches_(seed, "batches"),
        draws_(seed, "objectives"),
        weigher_(make_weigher(settings_)) {
    validate(settings_);
    if (data_->train.empty()) {
      throw std::invalid_argument("the data has no training environment; at least one is needed");
    }
    data::Random initial(seed, "model");
    model_ = models::make_model(model_spec(settings_, *data_), initial);
    model_->to(device);
    for (const std::string& name : settings_.objectives) {
      objectives_.push_back(objectives::make_objective(name, settings_.objective_options));
    }
    step_.emplace(model_, objectives_, data_->loss);
    train_ = everything(data_->train, device);
    if (!data_->held_out.empty()) {
      held_out_ = everything(data_->held_out, device);
    }
    begin_linear();
    algorithm_ = make_algorithm(settings_, *data_, model_, seed, device);
  }

  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] std::int64_t step() const { return steps_; }

  void advance() {
    if (algorithm_) {
      algorithm_->advance(batch(), draws_);
      ++steps_;
      return;
    }
    if (steps_ == settings_.pretrain) {
      if (settings_.scheme == Scheme::pair) {
        begin_balance();
      } else if (settings_.refresh) {
        begin_linear();
      }
    }
    const Verdict verdict = balancing_ ? balance(batch()) : descend(batch());
    set_lr();
    guard_->apply(verdict);
    ++steps_;
  }

  Evaluation evaluate() {
    Evaluation result;
    result.step = steps_;
    result.losses = last_.losses;
    result.weights = last_.weights;
    result.conflict = last_.conflict;
    result.loss = last_loss_;
    result.named = algorithm_ ? algorithm_->losses() : NamedLosses{};
    result.balancing = balancing_;
    result.divergence = divergence_;
    result.feasible = feasible_;
    result.lr = lr() * guard_->lr_factor();
    result.restarts = guard_->state().restarts;
    result.backtracks = guard_->state().backtracks;
    result.rollbacks = guard_->state().rollbacks;
    result.regression = data_->loss == data::TaskLoss::squared_error;
    add_scores(data_->train, train_, result.scores);
    add_scores(data_->held_out, held_out_, result.scores);
    return result;
  }

  torch::Tensor predict(const torch::Tensor& inputs) {
    const torch::NoGradGuard no_graph;
    return model_->forward(data::as_numbers(inputs.to(train_.inputs.device()))).to(torch::kCPU);
  }

  void save(std::ostream& out) const;
  void load(std::istream& in);
  void start_from(std::istream& in);

 private:
  static Weigher make_weigher(const Settings& settings) {
    moo::BalancerOptions options;
    options.epsilon = settings.epsilon;
    return {settings.scheme == Scheme::pair ? settings.balancer : "linear", settings.preference, options};
  }

  [[nodiscard]] std::vector<torch::Tensor> trained_parameters() const {
    std::vector<torch::Tensor> parameters;
    for (const torch::Tensor& parameter : model_->parameters()) {
      if (parameter.requires_grad()) {
        parameters.push_back(parameter);
      }
    }
    return parameters;
  }

  void begin_adam() {
    begin(
        std::make_unique<torch::optim::Adam>(trained_parameters(), torch::optim::AdamOptions(settings_.lr)));
  }

  void begin_linear() {
    if (settings_.scheme == Scheme::linear && settings_.optimizer == BalanceOptimizer::sgd) {
      begin(
          std::make_unique<torch::optim::SGD>(trained_parameters(), torch::optim::SGDOptions(settings_.lr)));
    } else {
      begin_adam();
    }
  }

  void begin_balance() {
    if (settings_.freeze_featurizer) {
      step_->freeze_featurizer();
    }
    balancing_ = true;
    if (settings_.balance_optimizer == BalanceOptimizer::sgd) {
      begin(std::make_unique<torch::optim::SGD>(
          trained_parameters(), torch::optim::SGDOptions(settings_.balance_lr).momentum(settings_.momentum)));
    } else if (settings_.freeze_featurizer) {
      begin_adam();
    }
  }

  void begin(std::unique_ptr<torch::optim::Optimizer> optimizer) {
    GuardState state = guard_ ? guard_->state() : GuardState{};
    state.backtracking = state.halving = 1.0;
    guard_.reset();
    optimizer_ = std::move(optimizer);
    guard_.emplace(*optimizer_, settings_.restart);
    guard_->set_state(state);
  }

  // The phase's learning rate, before what the guard takes off.
  [[nodiscard]] double lr() const {
    double value = balancing_ ? settings_.balance_lr : settings_.lr;
    if (balancing_ && settings_.decay == Decay::cosine) {
      const auto taken = static_cast<double>(steps_ - settings_.pretrain);
      const auto all = static_cast<double>(settings_.steps - settings_.pretrain);
      value *= 0.5 * (1.0 + std::cos(std::numbers::pi * taken / all));
    }
    return value;
  }

  void set_lr() {
    for (auto& group : optimizer_->param_groups()) {
      group.options().set_lr(lr());
    }
  }

  Batch batch() {
    if (settings_.batch == 0) {
      return {data::as_numbers(train_.inputs), train_.labels, train_.sizes};
    }
    std::vector<std::int64_t> rows;
    std::int64_t start = 0;
    Batch result;
    for (const std::int64_t size : train_.sizes) {
      for (std::int64_t i = 0; i < settings_.batch; ++i) {
        rows.push_back(start + static_cast<std::int64_t>(batches_.below(static_cast<std::uint64_t>(size))));
      }
      start += size;
      result.sizes.push_back(settings_.batch);
    }
    const torch::Tensor index = torch::tensor(rows, torch::kLong).to(train_.inputs.device());
    result.inputs = data::as_numbers(train_.inputs.index_select(0, index));
    result.labels = train_.labels.index_select(0, index);
    return result;
  }

  // The linear scheme's weights of the objectives, erm's place included.
  [[nodiscard]] std::vector<double> lambdas() const {
    const bool annealing = steps_ < settings_.pretrain;
    std::vector<double> all(objectives_.size(), annealing ? settings_.pretrain_penalty : settings_.penalty);
    for (std::size_t k = 0; k < settings_.penalties.size(); ++k) {
      const double penalty = settings_.penalties[k];
      all[k + 1] = annealing && penalty > 0.0 ? settings_.pretrain_penalty : penalty;
    }
    return all;
  }

  // The linear scheme, and PAIR-o's descent phase, which is that of ERM:
  //     (mean risk + l2 |theta|^2 + lambda * other objectives) / max(lambda, 1).
  Verdict descend(const Batch& samples) {
    const bool linear = settings_.scheme == Scheme::linear;
    std::vector<double> weights = linear ? lambdas() : std::vector<double>(objectives_.size(), 0.0);
    weights.front() = 1.0;
    const double divisor = *std::max_element(weights.begin(), weights.end());
    for (double& weight : weights) {
      weight /= divisor;
    }
    const bool compare = linear && settings_.conflict && objectives_.size() > 1;
    last_ = compare ? step_->with_solver(
                          samples, settings_.gradients, [&weights](auto, auto) { return weights; }, draws_)
                    : step_->with_weights(samples, weights, draws_);
    last_loss_ = weighted(last_.weights, last_.losses);
    if (!last_.finite) {
      return Verdict::not_finite;
    }
    if (settings_.l2 > 0.0) {
      const torch::NoGradGuard no_graph;
      torch::Tensor squares;
      for (const torch::Tensor& parameter : trained_parameters()) {
        parameter.mutable_grad().add_(parameter, 2.0 * settings_.l2 / divisor);
        squares = squares.defined() ? squares + parameter.square().sum() : parameter.square().sum();
      }
      last_loss_ += settings_.l2 / divisor * squares.item<double>();
    }
    return Verdict::good;
  }

  Verdict balance(const Batch& samples) {
    bool too_long = false;
    const StepLosses result = step_->with_solver(
        samples, settings_.gradients,
        [&](std::span<const double> losses, std::span<const double> gram) -> std::vector<double> {
          too_long = settings_.backtrack && weigher_.overshot(losses);
          if (too_long) {
            return {};
          }
          const moo::Solution solution = weigher_.weigh(losses, gram);
          divergence_ = solution.divergence;
          feasible_ = solution.status == moo::Status::optimal;
          return solution.weights;
        },
        draws_);
    if (too_long) {
      return Verdict::too_long;
    }
    last_ = result;
    last_loss_ = weighted(last_.weights, last_.losses);
    return last_.finite ? Verdict::good : Verdict::not_finite;
  }

  static double weighted(std::span<const double> weights, std::span<const double> losses) {
    return std::inner_product(weights.begin(), weights.end(), losses.begin(), 0.0);
  }

  void add_scores(const std::vector<data::Environment>& environments, const Batch& batch,
                  std::vector<Score>& all) {
    const std::vector<double> means = mean_scores(batch);
    for (std::size_t i = 0; i < environments.size(); ++i) {
      all.push_back({environments[i].key, means[i], environments[i].test});
    }
  }

  std::vector<double> mean_scores(const Batch& batch) {
    if (batch.sizes.empty()) {
      return {};
    }
    const torch::NoGradGuard no_graph;
    std::vector<torch::Tensor> parts;
    const std::int64_t rows = evaluation_rows(batch.inputs);
    for (std::int64_t row = 0; row < batch.labels.size(0); row += rows) {
      const std::int64_t end = std::min(row + rows, batch.labels.size(0));
      parts.push_back(scores(data_->loss, model_->forward(data::as_numbers(batch.inputs.slice(0, row, end))),
                             batch.labels.slice(0, row, end)));
    }
    std::vector<torch::Tensor> means;
    for (const torch::Tensor& part : torch::cat(parts).split_with_sizes(batch.sizes)) {
      means.push_back(part.mean());
    }
    return to_doubles(torch::stack(means));
  }

  std::shared_ptr<const data::EnvironmentSet> data_;
  Settings settings_;
  data::Random batches_;
  data::Random draws_;
  Weigher weigher_;
  std::shared_ptr<models::Model> model_;
  std::vector<std::unique_ptr<objectives::Objective>> objectives_;
  std::optional<Step> step_;
  Batch train_;
  Batch held_out_;
  std::unique_ptr<Algorithm>
      algorithm_;  // where the scheme has an update of its own; the rest then stands idle
  std::unique_ptr<torch::optim::Optimizer> optimizer_;
  std::optional<GuardedStep> guard_;

  std::int64_t steps_ = 0;
  bool balancing_ = false;
  StepLosses last_;
  double last_loss_ = 0.0;
  double divergence_ = 0.0;
  bool feasible_ = true;
};

namespace {

using torch::serialize::InputArchive;
using torch::serialize::OutputArchive;

void write(OutputArchive& archive, const std::string& key, const std::vector<torch::Tensor>& tensors) {
  archive.write(key + "/count", c10::IValue(static_cast<std::int64_t>(tensors.size())));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    archive.write(key + "/" + std::to_string(i), tensors[i].detach());
  }
}

c10::IValue read_value(InputArchive& archive, const std::string& key) {
  c10::IValue value;
  archive.read(key, value);
  return value;
}

std::vector<torch::Tensor> read_tensors(InputArchive& archive, const std::string& key) {
  std::vector<torch::Tensor> tensors(static_cast<std::size_t>(read_value(archive, key + "/count").toInt()));
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    archive.read(key + "/" + std::to_string(i), tensors[i]);
  }
  return tensors;
}

}  // namespace

void Trainer::Impl::save(std::ostream& out) const {
  OutputArchive archive;
  write(archive, "parameters", model_->parameters());
  write(archive, "last_good", guard_->last_good());
  for (std::size_t k = 0; k < objectives_.size(); ++k) {
    write(archive, "objective" + std::to_string(k), objectives_[k]->state());
  }
  archive.write("batches", c10::IValue(batches_.state()));
  archive.write("draws", c10::IValue(draws_.state()));
  archive.write("preference", as_tensor(weigher_.state().preference));
  archive.write("weighed_weights", as_tensor(weigher_.state().weights));
  archive.write("weighed_losses", as_tensor(weigher_.state().losses));
  archive.write("losses", as_tensor(last_.losses));
  archive.write("weights", as_tensor(last_.weights));
  archive.write("conflict", as_tensor(last_.conflict));
  archive.write("numbers", as_tensor({last_loss_, divergence_}));
  archive.write("steps", c10::IValue(steps_));
  archive.write("balancing", c10::IValue(balancing_));
  archive.write("feasible", c10::IValue(feasible_));
  const GuardState& guard = guard_->state();
  archive.write("restarts", c10::IValue(guard.restarts));
  archive.write("backtracks", c10::IValue(guard.backtracks));
  archive.write("rollbacks", c10::IValue(guard.rollbacks));
  archive.write("rollbacks_in_a_row", c10::IValue(guard.rollbacks_in_a_row));
  archive.write("backtracking", c10::IValue(guard.backtracking));
  archive.write("halving", c10::IValue(guard.halving));
  OutputArchive optimizer;
  optimizer_->save(optimizer);
  archive.write("optimizer", optimizer);
  if (algorithm_) {
    OutputArchive algorithm;
    algorithm_->save(algorithm);
    archive.write("algorithm", algorithm);
  }
  archive.save_to(out);
}

namespace {

void read_parameters(InputArchive& archive, const std::vector<torch::Tensor>& own) {
  const std::vector<torch::Tensor> parameters = read_tensors(archive, "parameters");
  if (parameters.size() != own.size()) {
    throw std::runtime_error("the checkpoint holds " + std::to_string(parameters.size()) +
                             " parameters; the model has " + std::to_string(own.size()));
  }
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (parameters[i].sizes() != own[i].sizes()) {
      throw std::runtime_error("the checkpoint belongs to a model of another size");
    }
  }
  const torch::NoGradGuard no_graph;
  for (std::size_t i = 0; i < own.size(); ++i) {
    torch::Tensor(own[i]).copy_(parameters[i]);
  }
}

}  // namespace

void Trainer::Impl::start_from(std::istream& in) {
  InputArchive archive;
  archive.load_from(in);
  read_parameters(archive, model_->parameters());
}

void Trainer::Impl::load(std::istream& in) {
  InputArchive archive;
  archive.load_from(in);
  read_parameters(archive, model_->parameters());
  for (std::size_t k = 0; k < objectives_.size(); ++k) {
    const std::vector<torch::Tensor> state = read_tensors(archive, "objective" + std::to_string(k));
    objectives_[k]->restore(state);
  }
  batches_.restore(read_value(archive, "batches").toStringRef());
  draws_.restore(read_value(archive, "draws").toStringRef());
  const auto doubles = [&archive](const std::string& key) {
    torch::Tensor tensor;
    archive.read(key, tensor);
    return to_doubles(tensor);
  };
  weigher_.restore({doubles("preference"), doubles("weighed_weights"), doubles("weighed_losses")});
  last_.losses = doubles("losses");
  last_.weights = doubles("weights");
  last_.conflict = doubles("conflict");
  const std::vector<double> numbers = doubles("numbers");
  last_loss_ = numbers.at(0);
  divergence_ = numbers.at(1);
  steps_ = read_value(archive, "steps").toInt();
  feasible_ = read_value(archive, "feasible").toBool();
  if (read_value(archive, "balancing").toBool()) {
    begin_balance();
  }
  InputArchive optimizer;
  archive.read("optimizer", optimizer);
  optimizer_->load(optimizer);
  if (algorithm_) {
    InputArchive algorithm;
    archive.read("algorithm", algorithm);
    algorithm_->load(algorithm);
  }
  guard_->set_state(
      {read_value(archive, "restarts").toInt(), read_value(archive, "backtracks").toInt(),
       read_value(archive, "rollbacks").toInt(), read_value(archive, "rollbacks_in_a_row").toInt(),
       read_value(archive, "backtracking").toDouble(), read_value(archive, "halving").toDouble()});
  guard_->set_last_good(read_tensors(archive, "last_good"));
}

Trainer::Trainer(std::shared_ptr<const data::EnvironmentSet> data, Settings settings, std::uint64_t seed,
                 torch::Device device)
    : impl_(std::make_unique<Impl>(std::move(data), std::move(settings), seed, device)) {}
Trainer::~Trainer() = default;
Trainer::Trainer(Trainer&&) noexcept = default;
Trainer& Trainer::operator=(Trainer&&) noexcept = default;

const Settings& Trainer::settings() const {
  return impl_->settings();
}
std::int64_t Trainer::step() const {
  return impl_->step();
}
bool Trainer::finished() const {
  return step() >= settings().steps;
}
void Trainer::advance() {
  impl_->advance();
}
Evaluation Trainer::evaluate() {
  return impl_->evaluate();
}
torch::Tensor Trainer::predict(const torch::Tensor& inputs) {
  return impl_->predict(inputs);
}

void Trainer::save(std::ostream& out) const {
  impl_->save(out);
}

namespace {

void reading(const std::function<void()>& work) {
  try {
    work();
  } catch (const c10::Error& error) {
    throw std::runtime_error("the checkpoint cannot be read: " + std::string(error.what_without_backtrace()));
  }
}

}  // namespace

void Trainer::load(std::istream& in) {
  reading([&] { impl_->load(in); });
}

void Trainer::start_from(std::istream& in) {
  reading([&] { impl_->start_from(in); });
}

}  // namespace pair::train
