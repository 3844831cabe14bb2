#include "pair/runs/run.h"

#include <c10/util/Exception.h>
#include <torch/cuda.h>
#include <torch/version.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "pair/data/environment.h"
#include "pair/device/recorder.h"
#include "pair/runs/device_name.h"
#include "pair/runs/evaluate.h"
#include "pair/runs/kept_models.h"
#include "pair/runs/model_files.h"
#include "pair/runs/rank_run.h"
#include "pair/runs/records.h"
#include "pair/runs/run_directory.h"
#include "pair/runs/run_record.h"
#include "pair/train/precision.h"
#include "pair/train/threads.h"
#include "pair/train/trainer.h"

namespace pair::runs {
namespace {

using Clock = std::chrono::steady_clock;

torch::Device device_of(const RunSpec& spec) {
  return device_named(spec.device);
}

std::string start_state(const RunSpec& spec, const std::filesystem::path& directory) {
  const std::filesystem::path beside = std::filesystem::canonical(directory).parent_path();
  try {
    return final_state(beside / spec.start);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(
        "start: expected the name of a finished run's folder next to this one's, got '" + spec.start +
        "': " + error.what());
  }
}

nlohmann::json versions() {
  return {{"pair", PAIR_VERSION}, {"libtorch", TORCH_VERSION}, {"compiler", __VERSION__}};
}

std::int64_t first_record(const RunSpec& spec) {
  return spec.eval_first > 0 ? spec.eval_first : spec.eval_every;
}

bool is_recorded(const RunSpec& spec, std::int64_t step) {
  const std::int64_t first = first_record(spec);
  return step >= first && (step - first) % spec.eval_every == 0;
}

// The number of records after `step` steps: one per interval, and one at the last step.
std::int64_t records_after(std::int64_t step, const RunSpec& spec) {
  const std::int64_t steps = spec.settings.steps;
  if (step >= steps) {
    return 0;
  }
  const auto until = [&](std::int64_t end) {  // of those before the last
    const std::int64_t first = first_record(spec);
    return end < first ? 0 : (end - first) / spec.eval_every + 1;
  };
  return until(steps - 1) - until(step) + 1;
}

// One attempt at a run, from its last checkpoint.
class Attempt {
 public:
  Attempt(const RunSpec& spec, const std::filesystem::path& directory, DatasetCache& datasets,
          const RunHooks& hooks)
      : spec_(spec), hooks_(hooks), directory_(directory, spec), datasets_(datasets) {}

  RunResult run() {
    try {
      RunResult result = resume();
      tell_notices();
      return result;
    } catch (const c10::OutOfMemoryError& error) {
      tell_notices();
      const bool will_retry = hooks_.will_retry && hooks_.will_retry();
      if (!will_retry) {
        directory_.fail(error.what_without_backtrace());
      }
      give_back_memory(spec_);
      throw OutOfMemory(error.what_without_backtrace(), will_retry);
    } catch (const c10::Error& error) {
      // Without the stack trace that what() continues with.
      tell_notices();
      directory_.fail(error.what_without_backtrace());
      throw std::runtime_error(error.what_without_backtrace());
    } catch (const std::exception& error) {
      tell_notices();
      directory_.fail(error.what());
      throw;
    }
  }

 private:
  [[nodiscard]] train::Trainer new_trainer() const {
    train::Trainer trainer(datasets_.get(spec_.dataset, spec_.seed, spec_.device), spec_.settings, spec_.seed,
                           device_of(spec_), hooks_.ranks);
    if (!spec_.start.empty()) {
      std::istringstream state(start_state(spec_, directory_.path()));
      trainer.start_from(state);
    }
    if (!spec_.weights.empty()) {
      trainer.start_from_weights(spec_.weights, spec_.weights_sha256);
    }
    return trainer;
  }

  // Starts from the beginning if the checkpoint cannot be used.
  train::Trainer trainer_at_checkpoint() {
    train::Trainer trainer = new_trainer();
    if (const std::optional<Checkpoint> checkpoint = directory_.resume()) {
      try {
        std::istringstream state(checkpoint->state);
        trainer.load(state);
        saved_ = checkpoint->step;
        seconds_before_ = checkpoint->seconds;
      } catch (const c10::OutOfMemoryError&) {
        throw;
      } catch (const std::exception& error) {
        directory_.begin_anew(error.what());
        return new_trainer();
      }
    }
    return trainer;
  }

  // Models of later steps belong to records that are written again.
  void settle_models(std::int64_t step) {
    remove_models_after(directory_.path(), step);
    if (spec_.keep_checkpoints == KeepCheckpoints::best && step > 0) {
      std::vector<nlohmann::json> records = read_records(results_file(directory_.path()));
      std::erase_if(records, [step](const nlohmann::json& record) {
        return record.value("step", std::int64_t{0}) > step;
      });
      for (const nlohmann::json& record : records) {
        (void)best_.add(record);
      }
    }
  }

  // Keeps the model of the trainer's step if the option says so. The last one is the run's own (kept_model).
  void keep_model_of(const train::Trainer& trainer, const nlohmann::json& record) {
    const bool best = best_.add(record);
    if (!hooks_.keep_model || trainer.finished() || spec_.keep_checkpoints == KeepCheckpoints::last ||
        (spec_.keep_checkpoints == KeepCheckpoints::best && !best)) {
      return;
    }
    const std::filesystem::path folder = kept_folder(directory_.path(), trainer.step());
    std::filesystem::create_directories(folder);
    (void)write_model(folder, spec_, *datasets_.get(spec_.dataset, spec_.seed, spec_.device), trainer);
  }

  // After a checkpoint: until then, an earlier model may become the best again.
  void drop_models() {
    if (spec_.keep_checkpoints == KeepCheckpoints::best) {
      remove_models_except(directory_.path(), best_.step());
    }
  }

  RunResult resume() {
    train::use_threads(spec_.threads);
    if (device_of(spec_).is_cuda()) {
      train::use_tf32(spec_.settings.precision != train::Precision::fp32);
    }
    train::Trainer trainer = trainer_at_checkpoint();
    settle_models(trainer.step());
    began_ = Clock::now();
    const std::int64_t first = trainer.step();
    tell(first, trainer, nullptr);
    const bool owes = owes_record(trainer);
    share_start(hooks_.ranks, trainer, owes);
    if (owes) {
      const std::optional<nlohmann::json> record = write_record(trainer);
      if (!record) {
        return result_of(trainer, RunResult::Status::stopped);
      }
      tell(first, trainer, &*record);
    }
    while (!trainer.finished()) {
      if (!advance_shared(trainer, hooks_)) {
        save(trainer);
        return result_of(trainer, RunResult::Status::stopped);
      }
      const bool last = trainer.finished();
      std::optional<nlohmann::json> record;
      if (last || is_recorded(trainer.step())) {
        record = write_record(trainer);
        if (!record) {
          save(trainer);
          return result_of(trainer, RunResult::Status::stopped);
        }
      }
      tell(trainer.take_notices());
      if (last || trainer.step() % spec_.checkpoint_every == 0) {
        save(trainer);
      }
      tell(first, trainer, record ? &*record : nullptr);
    }
    drop_models();
    RunResult result = result_of(trainer, RunResult::Status::finished);
    const std::string model = kept_model(trainer);
    if (!write_evaluation(trainer)) {
      return result_of(trainer, RunResult::Status::stopped);
    }
    directory_.finish({result.step, result.seconds}, versions(), model);
    return result;
  }

  // False if it was stopped. After the run's time is taken: it is not training.
  bool write_evaluation(train::Trainer& trainer) {
    const std::filesystem::path file = evaluation_file(directory_.path());
    const auto data = datasets_.get(spec_.dataset, spec_.seed, spec_.device);
    std::error_code ignored;
    if (!hooks_.keep_model || !is_evaluated(*data)) {
      std::filesystem::remove(file, ignored);  // an earlier attempt may have kept its model
      return true;
    }
    try {
      const ModelCard card = card_from_text(read_file(card_file(directory_.path())));
      replace_file(file, to_text(evaluate(*data, card, trainer, hooks_.should_stop)));
      tell(trainer.take_notices());
      return true;
    } catch (const train::Interrupted&) {
      return false;
    }
  }

  // The digest of model.json; empty if the run does not keep its model.
  std::string kept_model(const train::Trainer& trainer) {
    if (!hooks_.keep_model) {
      remove_model(directory_.path());
      return {};
    }
    return write_model(directory_.path(), spec_, *datasets_.get(spec_.dataset, spec_.seed, spec_.device),
                       trainer);
  }

  // The record of the trainer's step; none if it was stopped during scoring.
  std::optional<nlohmann::json> write_record(train::Trainer& trainer) {
    try {
      nlohmann::json record = record_of(spec_, trainer.evaluate(hooks_.should_stop));
      if (hooks_.ranks.several()) {
        record["ranks"] = hooks_.ranks.size();
      }
      directory_.record(record.dump());
      keep_model_of(trainer, record);
      return record;
    } catch (const train::Interrupted&) {
      return std::nullopt;
    }
  }

  // Whether the previous attempt stopped while scoring the step of its checkpoint.
  [[nodiscard]] bool owes_record(const train::Trainer& trainer) const {
    if (trainer.step() == 0 || !(trainer.finished() || is_recorded(trainer.step()))) {
      return false;
    }
    const nlohmann::json last =
        nlohmann::json::parse(directory_.last_line(), nullptr, /*allow_exceptions=*/false);
    return !last.is_object() || last.value("step", std::int64_t{-1}) < trainer.step();
  }

  [[nodiscard]] bool is_recorded(std::int64_t step) const { return runs::is_recorded(spec_, step); }

  void save(const train::Trainer& trainer) {
    if (saved_ == trainer.step()) {
      return;
    }
    std::ostringstream state;
    trainer.save(state);
    directory_.save({trainer.step(), seconds(), std::move(state).str()});
    saved_ = trainer.step();
    drop_models();
  }

  [[nodiscard]] double seconds() const {
    return seconds_before_ + std::chrono::duration<double>(Clock::now() - began_).count();
  }

  RunResult result_of(const train::Trainer& trainer, RunResult::Status status) {
    return {status, false, trainer.step(), seconds(), read_records(results_file(directory_.path()))};
  }

  void tell(std::int64_t first, const train::Trainer& trainer, const nlohmann::json* record) {
    tell_notices();
    if (hooks_.progress) {
      hooks_.progress(
          {first, trainer.step(), spec_.settings.steps, record, records_after(trainer.step(), spec_)});
    }
  }

  void tell_notices() { tell(directory_.take_notices()); }

  void tell(const std::vector<std::string>& notices) {
    for (const std::string& notice : notices) {
      if (hooks_.notice) {
        hooks_.notice(notice);
      }
    }
  }

  const RunSpec& spec_;
  const RunHooks& hooks_;
  RunDirectory directory_;
  DatasetCache& datasets_;
  std::int64_t saved_ = -1;  // step of the checkpoint
  BestRecord best_ = {};
  double seconds_before_ = 0.0;
  Clock::time_point began_ = Clock::now();
};

}  // namespace

void validate(const RunSpec& spec) {
  data::validate(spec.dataset);
  train::validate(spec.settings);
  (void)device_of(spec);
  if (spec.weights.empty() != spec.weights_sha256.empty()) {
    throw std::invalid_argument(std::string(spec.weights.empty() ? "weights" : "weights_sha256") +
                                ": expected both weights and weights_sha256, or neither, got one");
  }
  if (!spec.weights.empty() && !spec.start.empty()) {
    throw std::invalid_argument("weights: expected none with start, which has all parameters, got '" +
                                spec.weights + "'");
  }
}

namespace {

// A run does not repeat finished steps, so it cannot keep models that an earlier attempt, with another
// keep_checkpoints, did not keep.
void tell_missing_models(const RunSpec& spec, const std::filesystem::path& directory, const RunResult& result,
                         const RunHooks& hooks) {
  const std::vector<std::int64_t> kept = kept_steps(directory);
  const auto is_kept = [&](std::int64_t step) {
    return step == result.step || std::ranges::binary_search(kept, step);
  };
  const std::optional<std::int64_t> best = best_step(result.records);
  const bool missing = spec.keep_checkpoints == KeepCheckpoints::all
                           ? !std::ranges::all_of(result.records,
                                                  [&](const nlohmann::json& record) {
                                                    return is_kept(record.value("step", std::int64_t{0}));
                                                  })
                           : spec.keep_checkpoints == KeepCheckpoints::best && best && !is_kept(*best);
  if (missing && hooks.notice && hooks.keep_model) {
    hooks.notice(
        directory.string() +
        " has finished without keeping the models of its records, or of all of them; delete the folder to "
        "train it again and keep them");
  }
}

// Another device per rank of this machine, unless the spec names one.
RunSpec placed(const RunSpec& spec, const train::Ranks& ranks) {
  RunSpec own = spec;
  const auto count = static_cast<std::int64_t>(torch::cuda::device_count());
  if (spec.device == "cuda" && count > 1) {
    own.device = "cuda:" + std::to_string(ranks.local_rank() % count);
  }
  return own;
}

// One attempt of a rank other than 0: the same calls of the trainer, without files.
RunResult follow(const RunSpec& spec, DatasetCache& datasets, const RunHooks& hooks) {
  RunResult result;
  result.was_done = received_verdict(hooks.ranks) == Verdict::done;
  if (result.was_done) {
    return result;
  }
  const RunSpec own = placed(spec, hooks.ranks);
  train::use_threads(own.threads);
  if (device_of(own).is_cuda()) {
    train::use_tf32(own.settings.precision != train::Precision::fp32);
  }
  train::Trainer trainer(datasets.get(own.dataset, own.seed, own.device), own.settings, own.seed,
                         device_of(own), hooks.ranks);
  bool scores = receive_start(hooks.ranks, trainer);
  const Clock::time_point began = Clock::now();
  try {
    while (true) {
      if (scores) {
        (void)trainer.evaluate();
      }
      if (trainer.finished()) {
        break;
      }
      if (!advance_shared(trainer, hooks)) {
        result.status = RunResult::Status::stopped;
        break;
      }
      (void)trainer.take_notices();
      scores = trainer.finished() || is_recorded(own, trainer.step());
    }
  } catch (const train::Interrupted&) {
    result.status = RunResult::Status::stopped;
  } catch (const c10::Error& error) {
    throw std::runtime_error(error.what_without_backtrace());
  }
  result.step = trainer.step();
  result.seconds = std::chrono::duration<double>(Clock::now() - began).count();
  return result;
}

}  // namespace

RunResult run(const RunSpec& spec, const std::filesystem::path& directory, DatasetCache& datasets,
              const RunHooks& hooks) {
  const auto done_already = [&]() -> std::optional<RunResult> {
    if (const std::optional<Finished> done = RunDirectory::finished(directory, spec)) {
      RunResult result{RunResult::Status::finished, true, done->steps, done->seconds,
                       read_records(results_file(directory))};
      tell_missing_models(spec, directory, result, hooks);
      return result;
    }
    return std::nullopt;
  };
  if (hooks.ranks.several()) {
    require_same_spec(spec, hooks.ranks);
  }
  if (hooks.ranks.rank() > 0) {
    return follow(spec, datasets, hooks);
  }
  std::optional<RunResult> done;
  std::optional<Attempt> attempt;
  try {
    done = done_already();
    if (!done) {
      validate(spec);
      attempt.emplace(spec, directory, datasets, hooks);
      // Checked again with the folder's lock: another process may have finished the run in between.
      done = done_already();
    }
  } catch (const std::exception& error) {
    share_verdict(hooks.ranks, Verdict::failed, error.what());
    throw;
  }
  share_verdict(hooks.ranks, done ? Verdict::done : Verdict::train);
  if (done) {
    return std::move(*done);
  }
  RunResult result = attempt->run();
  if (result.status == RunResult::Status::finished) {
    tell_missing_models(spec, directory, result, hooks);
  }
  return result;
}

std::string description_of_data(const RunSpec& spec, DatasetCache& datasets) {
  validate(spec);
  return datasets.get(spec.dataset, spec.seed, spec.device)->description;
}

void give_back_memory(const RunSpec& spec) {
  device::give_back_memory(torch::Device(spec.device));
}

std::filesystem::path default_directory(const RunSpec& spec) {
  return std::filesystem::path("runs") / folder_name(spec);
}

}  // namespace pair::runs
