#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <vector>

// The models of earlier steps that a run keeps, as 'pair train --keep-checkpoints' says: folders
// models/step-000300 with model.safetensors and model.json, each usable like the folder of a finished run.
// The model of the last step is in the run's own folder. A model is kept before the checkpoint that follows
// its record, and removed only after a checkpoint, so that every checkpoint has the models of the records
// before it.

namespace pair::runs {

// The models that a run keeps.
enum class KeepCheckpoints {
  last,  // of the last step
  best,  // and of the record with the best validation
  all,   // of every record
};

// The number by which the best step is selected: the mean accuracy on held-out samples of the training
// environments (env{i}_out_acc, DomainBed's training-domain validation) or, if none are held out, on the
// training samples (env{i}_in_acc). For regressions, the mean squared error with a minus. Higher is better.
// None if the record has no such number.
std::optional<double> validation_of(const nlohmann::json& record);

// Finds the best of a run's records, which are added in the order of their steps: that of the highest
// validation; of several, the first. Once PAIR-o balances (phase "balance"), the records of its pretraining
// do not count: there it minimises the ERM loss alone, and the training environments favour that model.
class BestRecord {
 public:
  // Whether the record is the best so far.
  bool add(const nlohmann::json& record);
  // None if no record has a validation.
  [[nodiscard]] std::optional<std::int64_t> step() const { return step_; }

 private:
  bool balancing_ = false;
  std::optional<double> validation_ = {};
  std::optional<std::int64_t> step_ = {};
};

// The step of the best of these records.
std::optional<std::int64_t> best_step(std::span<const nlohmann::json> records);

// The steps of the complete models in the run's models folder, in ascending order.
std::vector<std::int64_t> kept_steps(const std::filesystem::path& run);

// Whether a finished run lacks a model that it should have kept: a run does not repeat steps, so it cannot keep
// models that an earlier attempt, with another KeepCheckpoints, did not keep. last: the run's last step, whose
// model is its own.
bool lacks_models(const std::filesystem::path& run, KeepCheckpoints kept,
                  std::span<const nlohmann::json> records, std::int64_t last);

// Removes the models of steps after `step`, or of all steps except `step`, including incomplete ones.
// model.json is removed first, so that a crash does not leave half a model that looks complete.
void remove_models_after(const std::filesystem::path& run, std::int64_t step);
void remove_models_except(const std::filesystem::path& run, std::optional<std::int64_t> step);

// The folder that holds the model of the step: the run's own for the last step of a finished run, otherwise
// one of its models folder. Throws std::invalid_argument that names the nearest step with a model if that of
// the step was not kept. No step: the run's own folder, unchecked.
std::filesystem::path folder_of_step(const std::filesystem::path& run, std::optional<std::int64_t> wanted);

}  // namespace pair::runs
