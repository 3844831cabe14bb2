#include "pair/runs/attempt.h"

#include <c10/util/Exception.h>
#include <torch/version.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "pair/runs/evaluate.h"
#include "pair/runs/idle_settings.h"
#include "pair/runs/model_files.h"
#include "pair/runs/new_trainer.h"
#include "pair/runs/rank_run.h"
#include "pair/runs/record_schedule.h"
#include "pair/runs/records.h"
#include "pair/runs/run_record.h"
#include "pair/runs/settings.h"

namespace pair::runs {
namespace {

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

}  // namespace

data::BrokenImage with_hint(const data::BrokenImage& broken, const RunSpec& spec) {
  const bool can_skip = find_setting(spec, "broken") != nullptr;
  return data::BrokenImage(std::string(broken.what()) +
                           (can_skip ? "; '--set broken=skip' leaves out such files" : ""));
}

Attempt::Attempt(const RunSpec& spec, const std::filesystem::path& directory, DatasetCache& datasets,
                 const RunHooks& hooks)
    : spec_(spec), hooks_(hooks), directory_(directory, spec), datasets_(datasets) {}

RunResult Attempt::run() {
  try {
    tell(idle_settings_of(spec_));
    RunResult result = resume();
    tell(directory_.take_notices());
    return result;
  } catch (const c10::OutOfMemoryError& error) {
    tell(directory_.take_notices());
    const bool will_retry = hooks_.will_retry && hooks_.will_retry();
    if (!will_retry) {
      directory_.fail(error.what_without_backtrace());
    }
    give_back_memory(spec_);
    throw OutOfMemory(error.what_without_backtrace(), will_retry);
  } catch (const c10::Error& error) {
    // Without the stack trace that what() continues with.
    tell(directory_.take_notices());
    directory_.fail(error.what_without_backtrace());
    throw std::runtime_error(error.what_without_backtrace());
  } catch (const data::BrokenImage& error) {
    tell(directory_.take_notices());
    directory_.fail(with_hint(error, spec_).what());
    throw with_hint(error, spec_);
  } catch (const std::exception& error) {
    tell(directory_.take_notices());
    directory_.fail(error.what());
    throw;
  }
}

RunResult Attempt::resume() {
  train::Trainer trainer = trainer_at_checkpoint();
  settle_models(trainer.step());
  began_ = Clock::now();
  const std::int64_t first = trainer.step();
  tell_progress(first, trainer, nullptr);
  const bool owes = owes_record(trainer);
  share_start(hooks_.ranks, trainer, owes);
  if (owes) {
    const std::optional<nlohmann::json> record = write_record(trainer);
    if (!record) {
      return result_of(trainer, RunResult::Status::stopped);
    }
    tell_progress(first, trainer, &*record);
  }
  while (!trainer.finished()) {
    if (!advance_shared(trainer, hooks_)) {
      save(trainer);
      return result_of(trainer, RunResult::Status::stopped);
    }
    std::optional<nlohmann::json> record;
    if (is_recorded(spec_, trainer.step())) {
      record = write_record(trainer);
      if (!record) {
        save(trainer);
        return result_of(trainer, RunResult::Status::stopped);
      }
    }
    tell(trainer.take_notices());
    if (trainer.finished() || trainer.step() % spec_.checkpoint_every == 0) {
      save(trainer);
    }
    tell_progress(first, trainer, record ? &*record : nullptr);
  }
  drop_models();
  RunResult result = result_of(trainer, RunResult::Status::finished);
  const std::string model = last_model(trainer);
  if (!write_evaluation(trainer)) {
    return result_of(trainer, RunResult::Status::stopped);
  }
  directory_.finish({result.step, result.seconds}, versions(), model);
  return result;
}

train::Trainer Attempt::trainer_at_start() const {
  train::Trainer trainer = new_trainer(spec_, datasets_, hooks_.ranks);
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
train::Trainer Attempt::trainer_at_checkpoint() {
  train::Trainer trainer = trainer_at_start();
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
      return trainer_at_start();
    }
  }
  return trainer;
}

void Attempt::save(const train::Trainer& trainer) {
  if (saved_ == trainer.step()) {
    return;
  }
  std::ostringstream state;
  trainer.save(state);
  directory_.save({trainer.step(), seconds(), std::move(state).str()});
  saved_ = trainer.step();
  drop_models();
}

// Whether the previous attempt stopped while scoring the step of its checkpoint.
bool Attempt::owes_record(const train::Trainer& trainer) const {
  if (!is_recorded(spec_, trainer.step())) {
    return false;
  }
  const nlohmann::json last =
      nlohmann::json::parse(directory_.last_line(), nullptr, /*allow_exceptions=*/false);
  return !last.is_object() || last.value("step", std::int64_t{-1}) < trainer.step();
}

// The record of the trainer's step; none if it was stopped during scoring.
std::optional<nlohmann::json> Attempt::write_record(train::Trainer& trainer) {
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

// False if it was stopped. After the run's time is taken: it is not training.
bool Attempt::write_evaluation(train::Trainer& trainer) {
  const std::filesystem::path file = evaluation_file(directory_.path());
  if (!hooks_.keep_model || !is_evaluated(*dataset())) {
    std::error_code ignored;
    std::filesystem::remove(file, ignored);  // an earlier attempt may have kept its model
    return true;
  }
  try {
    const ModelCard card = card_from_text(read_file(card_file(directory_.path())));
    replace_file(file, to_text(evaluate(*dataset(), card, trainer, hooks_.should_stop)));
    tell(trainer.take_notices());
    return true;
  } catch (const train::Interrupted&) {
    return false;
  }
}

// Models of later steps belong to records that are written again.
void Attempt::settle_models(std::int64_t step) {
  remove_models_after(directory_.path(), step);
  if (spec_.keep_checkpoints != KeepCheckpoints::best || step == 0) {
    return;
  }
  for (const nlohmann::json& record : read_records(results_file(directory_.path()))) {
    if (record.value("step", std::int64_t{0}) <= step) {
      (void)best_.add(record);
    }
  }
}

// Keeps the model of the trainer's step if the option says so. The last one is the run's own (last_model).
void Attempt::keep_model_of(const train::Trainer& trainer, const nlohmann::json& record) {
  const bool best = best_.add(record);
  if (!hooks_.keep_model || trainer.finished() || spec_.keep_checkpoints == KeepCheckpoints::last ||
      (spec_.keep_checkpoints == KeepCheckpoints::best && !best)) {
    return;
  }
  const std::filesystem::path folder = kept_folder(directory_.path(), trainer.step());
  std::filesystem::create_directories(folder);
  (void)write_model(folder, spec_, *dataset(), trainer);
}

// After a checkpoint: until then, an earlier model may become the best again.
void Attempt::drop_models() {
  if (spec_.keep_checkpoints == KeepCheckpoints::best) {
    remove_models_except(directory_.path(), best_.step());
  }
}

// Writes the model of the last step. Returns the digest of model.json; empty if the run keeps no model.
std::string Attempt::last_model(const train::Trainer& trainer) {
  if (!hooks_.keep_model) {
    remove_model(directory_.path());
    return {};
  }
  return write_model(directory_.path(), spec_, *dataset(), trainer);
}

std::shared_ptr<const data::EnvironmentSet> Attempt::dataset() const {
  return datasets_.get(spec_.dataset, spec_.seed, spec_.device);
}

double Attempt::seconds() const {
  return seconds_before_ + std::chrono::duration<double>(Clock::now() - began_).count();
}

RunResult Attempt::result_of(const train::Trainer& trainer, RunResult::Status status) const {
  return {status, false, trainer.step(), seconds(), read_records(results_file(directory_.path()))};
}

void Attempt::tell_progress(std::int64_t first, const train::Trainer& trainer, const nlohmann::json* record) {
  tell(directory_.take_notices());
  if (hooks_.progress) {
    hooks_.progress(
        {first, trainer.step(), spec_.settings.steps, record, records_left(spec_, trainer.step())});
  }
}

void Attempt::tell(const std::vector<std::string>& notices) const {
  for (const std::string& notice : notices) {
    if (hooks_.notice) {
      hooks_.notice(notice);
    }
  }
}

}  // namespace pair::runs
