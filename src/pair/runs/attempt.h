#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "pair/data/image.h"
#include "pair/runs/dataset_cache.h"
#include "pair/runs/kept_models.h"
#include "pair/runs/run.h"
#include "pair/runs/run_directory.h"
#include "pair/runs/run_spec.h"
#include "pair/train/trainer.h"

namespace pair::runs {

// The error with the setting that leaves out such files, if the spec has one.
data::BrokenImage with_hint(const data::BrokenImage& broken, const RunSpec& spec);

// One attempt at a run, from its last checkpoint, by rank 0 or the only process. The spec, the cache and the
// hooks must outlive it.
class Attempt {
 public:
  // Throws the errors of RunDirectory, whose lock it holds from now on.
  Attempt(const RunSpec& spec, const std::filesystem::path& directory, DatasetCache& datasets,
          const RunHooks& hooks);

  // Throws as run() does (run.h). Call it once.
  RunResult run();

 private:
  using Clock = std::chrono::steady_clock;

  RunResult resume();

  [[nodiscard]] train::Trainer trainer_at_start() const;
  train::Trainer trainer_at_checkpoint();
  void save(const train::Trainer& trainer);

  [[nodiscard]] bool owes_record(const train::Trainer& trainer) const;
  std::optional<nlohmann::json> write_record(train::Trainer& trainer);
  bool write_evaluation(train::Trainer& trainer);

  void settle_models(std::int64_t step);
  void keep_model_of(const train::Trainer& trainer, const nlohmann::json& record);
  void drop_models();
  std::string last_model(const train::Trainer& trainer);

  [[nodiscard]] std::shared_ptr<const data::EnvironmentSet> dataset() const;
  [[nodiscard]] double seconds() const;
  [[nodiscard]] RunResult result_of(const train::Trainer& trainer, RunResult::Status status) const;
  void tell_progress(std::int64_t first, const train::Trainer& trainer, const nlohmann::json* record);
  void tell(const std::vector<std::string>& notices) const;

  const RunSpec& spec_;
  const RunHooks& hooks_;
  RunDirectory directory_;
  DatasetCache& datasets_;
  std::int64_t saved_ = -1;  // step of the checkpoint
  BestRecord best_ = {};
  double seconds_before_ = 0.0;  // of training, up to the checkpoint
  Clock::time_point began_ = Clock::now();
};

}  // namespace pair::runs
