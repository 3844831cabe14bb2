#include "pair/runs/run.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "pair/data/environment.h"
#include "pair/device/recorder.h"
#include "pair/runs/attempt.h"
#include "pair/runs/device_name.h"
#include "pair/runs/kept_models.h"
#include "pair/runs/rank_run.h"
#include "pair/runs/records.h"
#include "pair/runs/run_directory.h"
#include "pair/train/settings.h"

namespace pair::runs {
namespace {

void tell_missing_models(const RunSpec& spec, const std::filesystem::path& directory, const RunResult& result,
                         const RunHooks& hooks) {
  if (hooks.notice && hooks.keep_model &&
      lacks_models(directory, spec.keep_checkpoints, result.records, result.step)) {
    hooks.notice(
        directory.string() +
        " has finished without keeping the models of its records, or of all of them; delete the folder to "
        "train it again and keep them");
  }
}

}  // namespace

void validate(const RunSpec& spec) {
  data::validate(spec.dataset);
  train::validate(spec.settings);
  (void)device_named(spec.device);
  if (spec.weights.empty() != spec.weights_sha256.empty()) {
    throw std::invalid_argument(std::string(spec.weights.empty() ? "weights" : "weights_sha256") +
                                ": expected both weights and weights_sha256, or neither, got one");
  }
  if (!spec.weights.empty() && !spec.start.empty()) {
    throw std::invalid_argument("weights: expected none with start, which has all parameters, got '" +
                                spec.weights + "'");
  }
}

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
