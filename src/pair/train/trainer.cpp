#include "pair/train/trainer.h"

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
#include "pair/device/kernels.h"
#include "pair/device/recorder.h"
#include "pair/models/dropout.h"
#include "pair/models/fused.h"
#include "pair/models/model.h"
#include "pair/objectives/objective.h"
#include "pair/train/algorithm.h"
#include "pair/train/archive.h"
#include "pair/train/host_numbers.h"
#include "pair/train/kept_buffers.h"
#include "pair/train/loss_means.h"
#include "pair/train/minibatches.h"
#include "pair/train/mode_guard.h"
#include "pair/train/routine.h"
#include "pair/train/scoring.h"
#include "pair/train/step.h"
#include "pair/train/update.h"
#include "pair/train/weigher.h"

namespace pair::train {
namespace {

using device::Recorder;

Batch everything(const std::vector<data::Environment>& environments, torch::Device device) {
  std::vector<torch::Tensor> inputs;
  std::vector<torch::Tensor> labels;
  Batch batch;
  for (const data::Environment& environment : environments) {
    inputs.push_back(environment.inputs);
    labels.push_back(environment.labels);
    batch.sizes.push_back(environment.labels.size(0));
  }
  batch.inputs = data::joined(inputs).to(device);
  batch.labels = data::joined(labels).to(device);
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

void require_fit(const models::Model& model, const data::EnvironmentSet& data) {
  if (!model.head) {
    throw std::invalid_argument("model: expected one with a head, got one without");
  }
  if (model.head->options.out_features() != data.outputs) {
    throw std::invalid_argument("model: expected " + std::to_string(data.outputs) + " outputs, as '" +
                                data.name + "' has, got " +
                                std::to_string(model.head->options.out_features()));
  }
}

// Cosine of the first objective's gradient with that of each other one; 0 where one of them vanishes.
std::vector<double> conflict_of(std::span<const double> losses, std::span<const double> gram) {
  const std::size_t m = losses.size();
  std::vector<double> cosines;
  for (std::size_t k = 1; k < m; ++k) {
    const double lengths = std::sqrt(gram[0]) * std::sqrt(gram[k * m + k]);
    cosines.push_back(lengths > 0.0 ? gram[k] / lengths : 0.0);
  }
  return cosines;
}

}  // namespace

class Trainer::Impl {
 public:
  Impl(std::shared_ptr<const data::EnvironmentSet> data, std::shared_ptr<models::Model> model,
       Settings settings, std::uint64_t seed, torch::Device device)
      : recorder_(device::make_recorder(device)),
        data_(std::move(data)),
        settings_(std::move(settings)),
        device_(device),
        draws_(seed, "objectives"),
        weigher_(make_weigher(settings_)),
        model_(std::move(model)) {
    validate(settings_);
    if (data_->train.empty()) {
      throw std::invalid_argument("the data has no training environment; at least one is needed");
    }
    const auto scope = enter();
    perform([&] { make(seed, device); });
    if (data_->train.size() == 1 || (minibatches_ && minibatches_->environments() == 1)) {
      tell_of_one_environment();
    }
    comparable_ = settings_.batch == 0 && !dropout_->draws();
    for (std::size_t k = 0; k < objectives_.size(); ++k) {
      if (objectives_[k]->replayable()) {
        continue;
      }
      comparable_ = false;
      if (recorder_) {
        recordable_ = false;
        notices_.push_back(settings_.objectives[k] + " draws anew at every step, which cannot be recorded: " +
                           "steps are handed to the device one operation at a time");
      }
    }
  }

  ~Impl() {
    if (recorder_) {
      recorder_->wait();  // before what the device still reads goes back to others
    }
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] std::int64_t step() const { return steps_; }
  std::vector<std::string> take_notices() { return std::exchange(notices_, {}); }

  void advance() {
    const auto scope = enter();
    dropout_->set_step(steps_);
    if (minibatches_) {
      if (!minibatches_->holds(steps_)) {
        perform([this] { (void)minibatches_->rows(steps_); });
      }
      rows_.copy_(minibatches_->rows(steps_));
    }
    if (algorithm_) {
      const ModeGuard mode(*model_, Mode::training);
      try {
        perform([this] { algorithm_->advance(batch(), draws_); });
        buffers_.keep();
      } catch (const Diverged&) {
        buffers_.restore();  // the algorithm has left the parameters alone
        throw;
      }
      if (minibatches_) {
        named_means_.add(algorithm_->losses());
      }
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
    // A frozen featurizer is constant, its running statistics too.
    const bool frozen = balancing_ && settings_.freeze_featurizer;
    const ModeGuard mode(*model_, frozen ? Mode::evaluation : Mode::training);
    balancing_ ? balance() : descend();
    ++steps_;
    if (!recorder_ || steps_ % steps_unread == 0) {
      settle();
    }
  }

  Evaluation evaluate(const std::function<bool()>& stop) {
    const auto scope = enter();
    settle();
    Evaluation result;
    add_scores(result.scores, stop);  // first, for it may be interrupted
    result.step = steps_;
    result.losses = last_.losses;
    result.weights = last_.weights;
    result.conflict = last_.conflict;
    result.loss = last_.loss;
    result.mean_losses = means_->take();
    if (!result.mean_losses.empty()) {
      result.mean_loss =
          weighted(last_.weights, result.mean_losses) + last_.loss - weighted(last_.weights, last_.losses);
    }
    if (algorithm_) {
      result.named = algorithm_->losses();
      const std::vector<double> means = named_means_.take();
      for (std::size_t i = 0; i < means.size(); ++i) {
        result.named[i].second = means[i];
      }
    }
    result.balancing = balancing_;
    result.divergence = divergence_;
    result.feasible = feasible_;
    result.lr = lr(std::max<std::int64_t>(steps_ - 1, 0)) * guard_.lr_factor();
    result.restarts = guard_.restarts;
    result.backtracks = guard_.backtracks;
    result.rollbacks = guard_.rollbacks;
    result.regression = data_->loss == data::TaskLoss::squared_error;
    return result;
  }

  torch::Tensor predict(const torch::Tensor& inputs) {
    const auto scope = enter();
    const torch::NoGradGuard no_graph;
    const ModeGuard mode(*model_, Mode::evaluation);
    torch::Tensor logits;
    perform([&] { logits = model_->forward(data::as_numbers(inputs.to(device_))).to(torch::kCPU); });
    return logits;
  }

  void save(std::ostream& out);
  void load(std::istream& in);
  void start_from(std::istream& in);

 private:
  // Steps that may go by on a device before anyone looks whether they were finite.
  static constexpr std::int64_t steps_unread = 64;

  static Weigher make_weigher(const Settings& settings) {
    moo::BalancerOptions options;
    options.epsilon = settings.epsilon;
    return {settings.scheme == Scheme::pair ? settings.balancer : "linear", settings.preference, options};
  }

  [[nodiscard]] std::unique_ptr<Recorder::Scope> enter() const {
    return recorder_ ? recorder_->enter() : nullptr;
  }

  void tell_of_one_environment() {
    const auto tell = [this](std::string_view what) {
      notices_.push_back(std::string(what) + " compares environments; with one " +
                         (data_->train.size() == 1 ? "to train on" : "per step") + " it changes nothing");
    };
    if (settings_.scheme == Scheme::dann || settings_.scheme == Scheme::cdann) {
      tell(to_string(settings_.scheme));
    }
    for (const objectives::ObjectiveInfo& info : objectives::objectives()) {
      const auto& names = settings_.objectives;
      if (info.compares && std::find(names.begin(), names.end(), info.name) != names.end()) {
        tell(info.name);
      }
    }
  }

  // Where a method tells the environments apart by their place in the batch.
  void require_all_environments() const {
    const auto all = static_cast<std::int64_t>(train_.sizes.size());
    if (minibatches_->environments() == all) {
      return;
    }
    const auto refuse = [&](std::string_view what) {
      throw std::invalid_argument("environments: expected 0 or " + std::to_string(all) + " (all) with " +
                                  std::string(what) + ", which keeps something for each environment, got " +
                                  std::to_string(settings_.environments));
    };
    if (settings_.scheme == Scheme::dann || settings_.scheme == Scheme::cdann) {
      refuse(to_string(settings_.scheme));
    }
    for (std::size_t k = 0; k < objectives_.size(); ++k) {
      if (objectives_[k]->remembers_environments()) {
        refuse(settings_.objectives[k]);
      }
    }
  }

  // What lives on the device.
  void make(std::uint64_t seed, torch::Device device) {
    if (!model_) {
      data::Random initial(seed, "model");
      model_ = models::make_model(model_spec(settings_, *data_), initial);
    }
    require_fit(*model_, *data_);
    model_->to(device);
    model_->train();
    dropout_.emplace(*model_, seed, device);
    buffers_ = KeptBuffers(model_->buffers());
    if (device.is_cuda()) {
      models::lay_out_for_cuda(*model_);
    }
    for (const std::string& name : settings_.objectives) {
      objectives_.push_back(objectives::make_objective(name, settings_.objective_options));
    }
    step_.emplace(model_, objectives_, data_->loss,
                  settings_.half && device.is_cuda() && model_->takes_half());
    train_ = everything(data_->train, device);
    if (!data_->held_out.empty()) {
      held_out_ = everything(data_->held_out, device);
    }
    if (settings_.batch > 0) {
      minibatches_.emplace(seed, train_.sizes, settings_.batch, device, settings_.environments);
      require_all_environments();
      rows_ = minibatches_->rows(0).clone();
    } else if (!device.is_cpu()) {
      train_.inputs = data::as_numbers(train_.inputs);  // once, where memory is plenty
    }
    means_.emplace(static_cast<std::int64_t>(objectives_.size()), device);
    const auto m = static_cast<std::int64_t>(objectives_.size());
    control_here_ = on_host(m + 1);
    told_here_ = on_host(m + m * m + 4);
    control_ = torch::zeros({m + 1}, torch::kDouble).to(device);
    begin_linear();
    algorithm_ = make_algorithm(settings_, *data_, model_, seed, device);
    if (settings_.half && device.is_cuda() && (algorithm_ || !step_->in_half())) {
      std::string why = "of the models only mnist_cnn works in 16 bits, not " + settings_.model;
      if (model_->takes_half()) {
        why = algorithm_ ? "the algorithm's steps are its own" : "an objective needs the whole network";
      }
      notices_.push_back("half changes nothing here: " + why);
    }
  }

  void begin_adam() { begin({}); }

  void begin_linear() {
    if (settings_.scheme == Scheme::linear && settings_.optimizer == BalanceOptimizer::sgd) {
      begin({UpdateOptions::Rule::sgd, /*momentum=*/0.0, /*restart=*/false});
    } else {
      begin_adam();
    }
  }

  void begin_balance() {
    settle();  // what the descent told, while it is known to be the descent's
    if (settings_.freeze_featurizer) {
      step_->freeze_featurizer();
    }
    balancing_ = true;
    routine_ = {};
    if (settings_.balance_optimizer == BalanceOptimizer::sgd) {
      begin({UpdateOptions::Rule::sgd, settings_.momentum, settings_.restart});
    } else if (settings_.freeze_featurizer) {
      begin_adam();
    }
  }

  void begin(const UpdateOptions& options) {
    if (update_) {
      settle();
    }
    guard_.begin_optimizer();
    update_.emplace(step_->parameters(), options, guard_, model_->buffers());
    // They stand on the parameters' old place.
    routine_ = {};
    scoring_ = {};
  }

  // The learning rate of a step of this phase, before what the guard takes off.
  [[nodiscard]] double lr(std::int64_t step) const {
    double value = balancing_ ? settings_.balance_lr : settings_.lr;
    if (balancing_ && settings_.decay == Decay::cosine) {
      const auto taken = static_cast<double>(step - settings_.pretrain);
      const auto all = static_cast<double>(settings_.steps - settings_.pretrain);
      value *= 0.5 * (1.0 + std::cos(std::numbers::pi * taken / all));
    }
    return value;
  }

  // Doubles on the host; where there is a device, in memory that it reaches by itself.
  [[nodiscard]] torch::Tensor on_host(std::int64_t count) const {
    return torch::zeros({count}, torch::TensorOptions(torch::kDouble).pinned_memory(recorder_ != nullptr));
  }

  // The weights and the learning rate, to where the device's work finds them.
  void set_control(std::vector<double> weights, double rate) {
    weights.push_back(rate);
    if (weights != controlled_) {
      if (!balancing_ && recorder_) {
        recorder_->wait();  // for the copy before, which may still read it; a balance step has waited
      }
      std::copy(weights.begin(), weights.end(), control_here_.data_ptr<double>());
      control_.copy_(control_here_, /*non_blocking=*/true);
      controlled_ = std::move(weights);
    }
  }
  [[nodiscard]] torch::Tensor weights_there() const { return control_.narrow(0, 0, control_.size(0) - 1); }
  [[nodiscard]] torch::Tensor rate_there() const { return control_[control_.size(0) - 1]; }

  [[nodiscard]] Batch batch() const {
    if (!minibatches_) {
      return {data::as_numbers(train_.inputs), train_.labels, train_.sizes};
    }
    const bool in_half = !algorithm_ && step_->in_half() && device::has_kernels(train_.inputs) &&
                         train_.inputs.is_contiguous();
    return {
        in_half ? device::rows_in_half(train_.inputs, rows_)
                : data::as_numbers(train_.inputs.index_select(0, rows_)),
        train_.labels.index_select(0, rows_),
        std::vector<std::int64_t>(static_cast<std::size_t>(minibatches_->environments()), settings_.batch)};
  }

  void perform(const Recorder::Work& work) const {
    if (recorder_) {
      recorder_->perform(work);
    } else {
      work();
    }
  }

  void prepare(Routine& routine, bool& recordable, const std::string& what) {
    if (!recorder_ || !recordable) {
      return;
    }
    if (const std::string why = routine.prepare(*recorder_); !why.empty()) {
      recordable = false;
      notices_.push_back(what + " are handed to the device one operation at a time, since they cannot be " +
                         ("recorded: " + why));
    }
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
  void descend() {
    const bool linear = settings_.scheme == Scheme::linear;
    std::vector<double> weights = linear ? lambdas() : std::vector<double>(objectives_.size(), 0.0);
    weights.front() = 1.0;
    const double divisor = *std::max_element(weights.begin(), weights.end());
    for (double& weight : weights) {
      weight /= divisor;
    }
    if (routine_.empty() || weights != last_.weights) {
      last_.weights = weights;
      l2_ = settings_.l2 / divisor;
      routine_ = Routine({[this] { descent(); }});
    }
    set_control(std::move(weights), lr(steps_));
    prepare(routine_, recordable_, "steps");
    routine_.play(0, recorder_.get());
    unread_ = true;
    count_losses();
  }

  // Of minibatches alone. The device's part belongs into what is recorded.
  void add_losses() {
    if (minibatches_) {
      means_->add(told_.narrow(0, 0, static_cast<std::int64_t>(objectives_.size())));
    }
  }
  void count_losses() {
    if (minibatches_) {
      means_->count();
    }
  }

  void descent() {
    const bool compare = settings_.scheme == Scheme::linear && settings_.conflict && objectives_.size() > 1;
    torch::Tensor gradient;
    if (compare) {
      told_ = step_->compare(batch(), settings_.gradients, draws_);
      gradient = step_->gradient(weights_there());
    } else {
      Step::Result result = step_->with_weights(batch(), last_.weights, draws_);
      told_ = result.losses;
      gradient = result.gradient;
    }
    const torch::Tensor losses = told_.narrow(0, 0, static_cast<std::int64_t>(objectives_.size()));
    if (l2_ > 0.0) {
      const torch::NoGradGuard no_graph;
      const torch::Tensor& theta = update_->parameters();
      gradient.add_(theta, 2.0 * l2_);
      told_ = torch::cat({told_, torch::dot(theta, theta).to(torch::kDouble).view({1})});
    }
    add_losses();
    update_->apply(gradient, losses, rate_there());
  }

  void balance() {
    if (routine_.empty()) {
      routine_ =
          Routine({[this] {
                     told_ = step_->compare(batch(), settings_.gradients, draws_, update_->tally());
                     add_losses();
                   },
                   [this] {
                     const auto m = static_cast<std::int64_t>(objectives_.size());
                     update_->apply(step_->gradient(weights_there()), told_.narrow(0, 0, m), rate_there());
                   }});
    }
    prepare(routine_, recordable_, "steps");
    routine_.play(0, recorder_.get());
    count_losses();
    const std::size_t m = objectives_.size();
    told_here_.copy_(told_, /*non_blocking=*/true);
    if (recorder_) {
      recorder_->wait();
    }
    const std::span told(told_here_.data_ptr<double>(), static_cast<std::size_t>(told_here_.numel()));
    const std::span<const double> losses = told.first(m);
    const std::span<const double> gram = told.subspan(m, m * m);
    read_tally(told.subspan(m + m * m));
    const bool finite = all_finite(losses) && all_finite(gram);
    if (finite && comparable_ && settings_.backtrack && weigher_.overshot(losses)) {
      update_->take_back(guard_);
      return;
    }
    last_ = {.losses = {losses.begin(), losses.end()}, .weights = {}, .conflict = conflict_of(losses, gram)};
    if (!finite) {
      update_->refuse(guard_);
      return;
    }
    const moo::Solution solution = weigher_.weigh(losses, gram);
    divergence_ = solution.divergence;
    feasible_ = solution.status == moo::Status::optimal;
    last_.weights = solution.weights;
    last_.loss = weighted(last_.weights, last_.losses);
    guard_.hold();
    set_control(solution.weights, lr(steps_) * guard_.backtracking);
    routine_.play(1, recorder_.get());
  }

  // Waits for the device and reads what it has to tell of the steps since the last time.
  void settle() {
    if (std::exchange(unread_, false)) {
      const std::vector<double> told = to_doubles(told_);
      const std::size_t m = objectives_.size();
      last_.losses.assign(told.begin(), told.begin() + static_cast<std::ptrdiff_t>(m));
      last_.loss = weighted(last_.weights, last_.losses);
      if (l2_ > 0.0) {
        last_.loss += l2_ * told.back();
      }
      last_.conflict.clear();
      if (told.size() >= m + m * m && m > 1) {
        last_.conflict = conflict_of(last_.losses, std::span(told).subspan(m, m * m));
      }
    }
    if (!algorithm_) {
      read_tally(to_doubles(update_->tally()));
    }
  }

  void read_tally(std::span<const double> tally) {
    Update::read_tally(tally, guard_);
    guard_.check();
  }

  static double weighted(std::span<const double> weights, std::span<const double> losses) {
    return std::inner_product(weights.begin(), weights.end(), losses.begin(), 0.0);
  }

  void add_scores(std::vector<Score>& all, const std::function<bool()>& stop) {
    stop_ = recorder_ ? nullptr : stop;
    if (scoring_.empty()) {
      scoring_ = Routine({[this] {
        std::vector<torch::Tensor> means = mean_scores(*model_, train_, data_->loss, stop_);
        const std::vector<torch::Tensor> more = mean_scores(*model_, held_out_, data_->loss, stop_);
        means.insert(means.end(), more.begin(), more.end());
        scored_ = torch::stack(means);
      }});
    }
    prepare(scoring_, scoring_recordable_, "evaluations");
    scoring_.play(0, recorder_.get());
    const std::vector<double> means = to_doubles(scored_);
    auto mean = means.begin();
    for (const auto* environments : {&data_->train, &data_->held_out}) {
      for (const data::Environment& environment : *environments) {
        all.push_back({environment.key, *mean++, environment.test});
      }
    }
  }

  // What is known of the last step.
  struct Last {
    std::vector<double> losses;
    std::vector<double> weights;
    std::vector<double> conflict;
    double loss = 0.0;
  };

  std::unique_ptr<Recorder> recorder_;  // first, since the rest lives on its queue
  std::shared_ptr<const data::EnvironmentSet> data_;
  Settings settings_;
  torch::Device device_;
  data::Random draws_;
  Weigher weigher_;
  std::shared_ptr<models::Model> model_;
  std::optional<models::DropoutKey> dropout_;
  KeptBuffers buffers_;  // for algorithms with an update of their own; update_ has its own
  std::vector<std::unique_ptr<objectives::Objective>> objectives_;
  std::optional<Step> step_;
  Batch train_;
  Batch held_out_;
  std::optional<Minibatches> minibatches_;
  torch::Tensor rows_;  // the step's minibatch
  std::unique_ptr<Algorithm>
      algorithm_;  // where the scheme has an update of its own; the rest then stands idle
  std::optional<Update> update_;
  GuardState guard_;  // as last read

  torch::Tensor control_;  // weights and learning rate, as the device sees them
  std::vector<double> controlled_;
  torch::Tensor control_here_;  // on their way
  torch::Tensor told_here_;     // what a balance step told, on the host
  torch::Tensor told_;          // what the last step told: losses, and what else its routine adds
  bool unread_ = false;
  std::optional<LossMeans> means_;
  NamedMeans named_means_;  // of an algorithm with an update of its own
  double l2_ = 0.0;         // the L2 term's factor in the descent's loss
  Routine routine_;
  bool recordable_ = true;
  bool comparable_ = true;  // the losses of one step with those of the next: they are of the same samples
  torch::Tensor scored_;
  Routine scoring_;
  std::function<bool()> stop_;  // asked while it goes on
  bool scoring_recordable_ = true;
  std::vector<std::string> notices_;

  std::int64_t steps_ = 0;
  bool balancing_ = false;
  Last last_;
  double divergence_ = 0.0;
  bool feasible_ = true;
};

namespace {

using torch::serialize::InputArchive;
using torch::serialize::OutputArchive;

}  // namespace

void Trainer::Impl::save(std::ostream& out) {
  const auto scope = enter();
  settle();
  OutputArchive archive;
  write(archive, "parameters", model_->parameters());
  write(archive, "buffers", model_->buffers());
  for (std::size_t k = 0; k < objectives_.size(); ++k) {
    write(archive, "objective" + std::to_string(k), objectives_[k]->state());
  }
  archive.write("draws", c10::IValue(draws_.state()));
  write(archive, "preference", weigher_.state().preference);
  write(archive, "weighed_weights", weigher_.state().weights);
  write(archive, "weighed_losses", weigher_.state().losses);
  write(archive, "losses", last_.losses);
  write(archive, "weights", last_.weights);
  write(archive, "conflict", last_.conflict);
  write(archive, "numbers", std::vector<double>{last_.loss, divergence_});
  means_->save(archive);
  named_means_.save(archive);
  archive.write("steps", c10::IValue(steps_));
  archive.write("balancing", c10::IValue(balancing_));
  archive.write("feasible", c10::IValue(feasible_));
  archive.write("backtracks", c10::IValue(guard_.backtracks));
  archive.write("backtracking", c10::IValue(guard_.backtracking));
  OutputArchive update;
  update_->save(update);
  archive.write("update", update);
  if (algorithm_) {
    OutputArchive algorithm;
    algorithm_->save(algorithm);
    archive.write("algorithm", algorithm);
  }
  archive.save_to(out);
}

namespace {

// Into tensors of the model, where they lie.
void read_into(const std::vector<torch::Tensor>& own, const std::vector<torch::Tensor>& saved,
               const std::string& what) {
  if (saved.size() != own.size()) {
    throw std::runtime_error("the checkpoint holds " + std::to_string(saved.size()) + " " + what +
                             "; the model has " + std::to_string(own.size()));
  }
  for (std::size_t i = 0; i < own.size(); ++i) {
    if (saved[i].sizes() != own[i].sizes()) {
      throw std::runtime_error("the checkpoint belongs to a model of another size");
    }
  }
  const torch::NoGradGuard no_graph;
  for (std::size_t i = 0; i < own.size(); ++i) {
    torch::Tensor(own[i]).copy_(saved[i]);
  }
}

// Checkpoints from before buffers were saved have none of them.
void read_model(InputArchive& archive, const models::Model& model) {
  c10::IValue count;
  const bool has_buffers = archive.try_read("buffers/count", count);
  const std::vector<torch::Tensor> buffers =
      has_buffers ? read_tensors(archive, "buffers") : std::vector<torch::Tensor>{};
  read_into(model.parameters(), read_tensors(archive, "parameters"), "parameters");
  read_into(model.buffers(), buffers, "buffers");
}

}  // namespace

void Trainer::Impl::start_from(std::istream& in) {
  const auto scope = enter();
  InputArchive archive;
  perform([&] { archive.load_from(in, device_); });
  read_model(archive, *model_);
  buffers_.keep();
  begin_linear();  // anew: what it would return to are these
}

void Trainer::Impl::load(std::istream& in) {
  const auto scope = enter();
  InputArchive archive;
  perform([&] { archive.load_from(in, device_); });
  routine_ = {};  // recorded on states that are replaced below
  scoring_ = {};
  read_model(archive, *model_);
  buffers_.keep();
  for (std::size_t k = 0; k < objectives_.size(); ++k) {
    const std::vector<torch::Tensor> state = read_tensors(archive, "objective" + std::to_string(k));
    objectives_[k]->restore(state);
  }
  draws_.restore(read_value(archive, "draws").toStringRef());
  weigher_.restore({read_numbers(archive, "preference"), read_numbers(archive, "weighed_weights"),
                    read_numbers(archive, "weighed_losses")});
  last_.losses = read_numbers(archive, "losses");
  last_.weights = read_numbers(archive, "weights");
  last_.conflict = read_numbers(archive, "conflict");
  const std::vector<double> numbers = read_numbers(archive, "numbers");
  last_.loss = numbers.at(0);
  divergence_ = numbers.at(1);
  means_->load(archive);
  named_means_.load(archive);
  steps_ = read_value(archive, "steps").toInt();
  feasible_ = read_value(archive, "feasible").toBool();
  if (read_value(archive, "balancing").toBool()) {
    begin_balance();
  }
  InputArchive update;
  archive.read("update", update);
  update_->load(update);
  guard_.backtracks = read_value(archive, "backtracks").toInt();
  guard_.backtracking = read_value(archive, "backtracking").toDouble();
  unread_ = false;
  settle();
  if (algorithm_) {
    InputArchive algorithm;
    archive.read("algorithm", algorithm);
    algorithm_->load(algorithm);
  }
}

Trainer::Trainer(std::shared_ptr<const data::EnvironmentSet> data, Settings settings, std::uint64_t seed,
                 torch::Device device)
    : impl_(std::make_unique<Impl>(std::move(data), nullptr, std::move(settings), seed, device)) {}
Trainer::Trainer(std::shared_ptr<const data::EnvironmentSet> data, std::shared_ptr<models::Model> model,
                 Settings settings, std::uint64_t seed, torch::Device device) {
  if (!model) {
    throw std::invalid_argument("model: expected one with a head, got none");
  }
  impl_ = std::make_unique<Impl>(std::move(data), std::move(model), std::move(settings), seed, device);
}
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
Evaluation Trainer::evaluate(const std::function<bool()>& stop) {
  return impl_->evaluate(stop);
}
std::vector<std::string> Trainer::take_notices() {
  return impl_->take_notices();
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
  } catch (const c10::OutOfMemoryError&) {
    throw;  // says nothing of the checkpoint
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
