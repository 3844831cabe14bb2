#include "pair/train/trainer.h"

#include <torch/utils.h>

#include <algorithm>
#include <functional>
#include <istream>
#include <iterator>
#include <optional>
#include <ostream>
#include <utility>

#include "pair/models/model.h"
#include "pair/models/weights.h"
#include "pair/train/algorithm.h"
#include "pair/train/averaged_weights.h"
#include "pair/train/balanced_strategy.h"
#include "pair/train/checkpoint.h"
#include "pair/train/device_link.h"
#include "pair/train/fit.h"
#include "pair/train/held_out_losses.h"
#include "pair/train/host_numbers.h"
#include "pair/train/learner.h"
#include "pair/train/linear_strategy.h"
#include "pair/train/mode_guard.h"
#include "pair/train/noise_floor.h"
#include "pair/train/own_update_strategy.h"
#include "pair/train/phases.h"
#include "pair/train/rank_fit.h"
#include "pair/train/scoring.h"
#include "pair/train/strategy.h"

// Only the loop. Its parts: the link to the device (device_link.h), the phases (phases.h), the objects that
// steps work on (learner.h), how steps are taken (strategy.h), scores (scoring.h), the checkpoint
// (checkpoint.h).

namespace pair::train {
namespace {

// The same data with the scores that the settings ask for.
std::shared_ptr<const data::EnvironmentSet> scored_as_set(std::shared_ptr<const data::EnvironmentSet> data,
                                                          const Settings& settings) {
  if (settings.score_train) {
    return data;
  }
  auto copy = std::make_shared<data::EnvironmentSet>(*data);
  for (data::Environment& environment : copy->train) {
    environment.scored = false;
  }
  return copy;
}

}  // namespace

class Trainer::Impl {
 public:
  Impl(std::shared_ptr<const data::EnvironmentSet> data, std::shared_ptr<models::Model> model,
       Settings settings, std::uint64_t seed, torch::Device device, const Ranks& ranks = {})
      : link_(device),
        data_(scored_as_set(std::move(data), settings)),
        settings_(std::move(settings)),
        phases_(settings_) {
    validate(settings_);
    train::settle(settings_);
    if (data_->train.empty()) {
      throw std::invalid_argument("data: expected at least one training environment, got none");
    }
    const auto scope = link_.enter();
    link_.perform([&] {
      learner_ = std::make_unique<Learner>(*data_, std::move(model), settings_, seed, link_, ranks);
      require_fit(*learner_, settings_);
      average_.emplace(*learner_->model, settings_);
      begin_descent();
      own_ = make_own_strategy(*learner_, settings_, *data_, seed);
      if (own_ != nullptr && settings_.pretrain == 0) {
        begin_own_update();
      }
      scorer_.emplace(learner_->model, learner_->batches, data_->loss, link_, learner_->objectives,
                      weighs() ? held_out_parts(*data_) : std::vector<std::size_t>());
    });
    for (const std::string& notice : data_->notices) {
      link_.notify(notice);
    }
    notify_of_fit(*learner_, settings_, *data_);
  }

  // The device may still read what is destroyed next. An error here was reported by the call that met it.
  ~Impl() {
    try {
      link_.wait();
    } catch (const std::exception&) {
    }
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  [[nodiscard]] const Settings& settings() const { return settings_; }
  [[nodiscard]] std::int64_t step() const { return progress().steps; }
  [[nodiscard]] std::int64_t averaged_steps() const { return average_->count(); }
  std::vector<std::string> take_notices() {
    std::vector<std::string> notices = link_.take_notices();
    if (StreamedBatches* const streamed = learner_->batches.streamed()) {
      std::ranges::move(streamed->take_notices(), std::back_inserter(notices));
    }
    return notices;
  }

  void advance(const std::function<bool()>& stop) {
    const auto scope = link_.enter();
    const std::int64_t step = progress().steps;
    learner_->batches.await(step, stop);  // first, since it may be interrupted
    begin_phase(phases_.before(step));
    learner_->dropout.set_step(step);
    learner_->batches.begin_step(step, link_);
    {
      // A frozen featurizer is constant, including its running statistics.
      const bool frozen = progress().phase == Phase::balance && settings_.freeze_featurizer;
      const ModeGuard mode(*learner_->model, frozen ? Mode::evaluation : Mode::training);
      strategy_->advance(step, phases_.lr(progress().phase, step));
    }
    progress().steps = step + 1;
    link_.perform([&] { average_->add(step + 1); });
    if (!link_.asynchronous() || progress().steps % steps_unread == 0) {
      strategy_->settle();
    }
  }

  Evaluation evaluate(const std::function<bool()>& stop);
  torch::Tensor predict(const torch::Tensor& inputs);
  void see_held_out(const std::function<bool(std::size_t)>& wanted, const SeenOutputs& seen,
                    const std::function<bool()>& stop);
  void save(std::ostream& out);
  void save_weights(const std::filesystem::path& path);
  void load(std::istream& in);
  void start_from(std::istream& in);
  void start_from_weights(const std::filesystem::path& path, const std::string& sha256);

 private:
  // Steps on a device before the host checks whether they were finite.
  static constexpr std::int64_t steps_unread = 64;

  [[nodiscard]] Progress& progress() { return learner_->progress; }
  [[nodiscard]] const Progress& progress() const { return learner_->progress; }
  [[nodiscard]] bool weighs() const { return settings_.scheme != Scheme::own; }

  void begin_phase(Phases::Change change) {
    if (change == Phases::Change::none) {
      return;
    }
    strategy_->settle();  // reads the results of the previous phase while its update exists
    switch (change) {
      case Phases::Change::none:
        break;
      case Phases::Change::fresh_update:
        begin_update(phases_.descent_update());
        break;
      case Phases::Change::balance:
        begin_balance();
        break;
      case Phases::Change::own_update:
        begin_own_update();
        break;
    }
  }

  void begin_descent() {
    progress().phase = Phase::descent;
    learner_->step.thaw_featurizer();
    begin_update(phases_.descent_update());
    strategy_ = std::make_shared<LinearStrategy>(*learner_, settings_);
    if (own_ != nullptr && settings_.pretrain == 0) {
      begin_own_update();
    }
  }

  // The results of the steps of ERM before it, if any, are dropped: records have the algorithm's own losses.
  void begin_own_update() {
    learner_->work.clear();
    progress().last = {};
    (void)learner_->means.take();
    strategy_ = own_;
    if (scorer_) {
      scorer_->clear();  // the strategy may move the parameters
    }
    strategy_->begin();
  }

  void begin_balance() {
    progress().phase = Phase::balance;
    if (settings_.freeze_featurizer) {
      learner_->step.freeze_featurizer();
    }
    learner_->work.clear();
    if (const std::optional<UpdateOptions> options = phases_.balance_update()) {
      begin_update(*options);
    }
    strategy_ = std::make_shared<BalancedStrategy>(*learner_, settings_);
  }

  void begin_update(const UpdateOptions& options) {
    learner_->begin_update(options);
    if (scorer_) {
      scorer_->clear();  // the parameters have moved
    }
  }

  DeviceLink link_;  // first, since the other members use its stream
  std::shared_ptr<const data::EnvironmentSet> data_;
  Settings settings_;
  Phases phases_;
  std::unique_ptr<Learner> learner_;
  std::shared_ptr<StepStrategy> strategy_;
  std::shared_ptr<StepStrategy> own_;  // of an algorithm that has one
  std::optional<Scorer> scorer_;
  std::optional<AveragedWeights> average_;
};

Evaluation Trainer::Impl::evaluate(const std::function<bool()>& stop) {
  const auto scope = link_.enter();
  strategy_->settle();
  Evaluation result;
  const Scores scores = shared_scores(*learner_, [&] {
    const AveragedWeights::Use averaged(*average_);
    return scorer_->scores(stop);
  });
  result.averaged_steps = average_->count();
  auto score = [&scores, at = std::size_t{0}]() mutable { return scores.means[at++]; };
  for (const auto* environments : {&data_->train, &data_->held_out}) {
    for (const data::Environment& environment : *environments) {
      const double value = score();
      if (environment.scored) {
        result.scores.push_back({environment.key, value, environment.test});
      }
    }
  }
  result.more_scores = scores.more;
  // Only now, because scoring may be interrupted, and taking means resets them.
  const Progress& now = progress();
  const LastStep& last = now.last;
  result.step = now.steps;
  result.losses = last.losses;
  result.weights = last.weights;
  result.conflict = last.conflict;
  result.loss = last.loss;
  result.mean_losses = learner_->means.take();
  if (!result.mean_losses.empty()) {
    // A refused step has no weights, and NaN as its loss.
    result.mean_loss = last.weights.empty() ? last.loss
                                            : weighted(last.weights, result.mean_losses) + last.loss -
                                                  weighted(last.weights, last.losses);
  }
  if (const TrackedMoments* const tracked = learner_->step.tracked()) {
    link_.perform(
        [&] { result.noise_floors = to_doubles(noise_floors(learner_->objectives, tracked->variances())); });
  }
  result.held_out_losses = scores.held_out_losses;
  result.held_out_floors = scores.held_out_floors;
  result.named = strategy_->take_named_losses();
  result.balancing = now.phase == Phase::balance;
  result.divergence = now.divergence;
  result.feasible = now.feasible;
  result.lr = phases_.lr(now.phase, std::max<std::int64_t>(now.steps - 1, 0)) * now.guard.lr_factor();
  result.restarts = now.guard.restarts;
  result.backtracks = now.guard.backtracks;
  result.rollbacks = now.guard.rollbacks;
  result.regression = data_->loss == data::TaskLoss::squared_error;
  return result;
}

torch::Tensor Trainer::Impl::predict(const torch::Tensor& inputs) {
  const auto scope = link_.enter();
  const torch::NoGradGuard no_graph;
  const ModeGuard mode(*learner_->model, Mode::evaluation);
  const AveragedWeights::Use averaged(*average_);
  torch::Tensor logits;
  link_.perform([&] { logits = outputs_of(*learner_->model, inputs.to(link_.device())).to(torch::kCPU); });
  return logits;
}

void Trainer::Impl::see_held_out(const std::function<bool(std::size_t)>& wanted, const SeenOutputs& seen,
                                 const std::function<bool()>& stop) {
  const auto scope = link_.enter();
  strategy_->settle();
  const AveragedWeights::Use averaged(*average_);
  train::see_held_out(*learner_->model, learner_->batches, *data_, link_, wanted, seen, stop);
}

void Trainer::Impl::save(std::ostream& out) {
  const auto scope = link_.enter();
  strategy_->settle();
  write_checkpoint(out, *learner_, *strategy_, *average_);
}

void Trainer::Impl::save_weights(const std::filesystem::path& path) {
  const auto scope = link_.enter();
  strategy_->settle();
  link_.perform([&] {
    const AveragedWeights::Use averaged(*average_);
    models::save_weights(*learner_->model, path);
  });
}

void Trainer::Impl::load(std::istream& in) {
  const auto scope = link_.enter();
  torch::serialize::InputArchive archive = open_checkpoint(in, link_);
  read_model(archive, *learner_->model);
  begin_descent();  // again: recordings refer to states that are replaced below
  if (read_phase(archive) == Phase::balance) {
    begin_balance();
  } else if (own_ != nullptr && read_steps(archive) > settings_.pretrain) {
    begin_own_update();  // it begins with the step after pretrain
  }
  read_state(archive, *learner_, *strategy_);
  average_->load(archive);
}

void Trainer::Impl::start_from(std::istream& in) {
  const auto scope = link_.enter();
  torch::serialize::InputArchive archive = open_checkpoint(in, link_);
  read_model(archive, *learner_->model);
  begin_descent();  // again: these are the parameters it would return to
}

void Trainer::Impl::start_from_weights(const std::filesystem::path& path, const std::string& sha256) {
  const data::WeightsFile file(path);
  if (file.sha256() != sha256) {
    throw std::runtime_error("weights_sha256: expected " + sha256 + " for " + path.string() + ", got " +
                             file.sha256() + ": the file has changed");
  }
  const auto scope = link_.enter();
  for (const std::string& notice : models::load_pretrained(*learner_->model, file, path.string())) {
    link_.notify(notice);
  }
  begin_descent();
}

Trainer::Trainer(std::shared_ptr<const data::EnvironmentSet> data, Settings settings, std::uint64_t seed,
                 torch::Device device, const Ranks& ranks)
    : impl_(std::make_unique<Impl>(std::move(data), nullptr, std::move(settings), seed, device, ranks)) {}
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
std::int64_t Trainer::averaged_steps() const {
  return impl_->averaged_steps();
}
bool Trainer::finished() const {
  return step() >= settings().steps;
}
void Trainer::advance(const std::function<bool()>& stop) {
  impl_->advance(stop);
}
Evaluation Trainer::evaluate(const std::function<bool()>& stop) {
  return impl_->evaluate(stop);
}
std::vector<std::string> Trainer::take_notices() {
  return impl_->take_notices();
}
void Trainer::see_held_out(const std::function<bool(std::size_t)>& wanted, const SeenOutputs& seen,
                           const std::function<bool()>& stop) {
  impl_->see_held_out(wanted, seen, stop);
}
torch::Tensor Trainer::predict(const torch::Tensor& inputs) {
  return impl_->predict(inputs);
}

void Trainer::save(std::ostream& out) const {
  impl_->save(out);
}

void Trainer::save_weights(const std::filesystem::path& path) const {
  impl_->save_weights(path);
}

namespace {

void reading(const std::function<void()>& work) {
  try {
    work();
  } catch (const c10::OutOfMemoryError&) {
    throw;  // not about the checkpoint
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

void Trainer::start_from_weights(const std::filesystem::path& path, const std::string& sha256) {
  impl_->start_from_weights(path, sha256);
}

}  // namespace pair::train
