#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

// The predictions of a model that was trained on a dataset of WILDS, in the files of WILDS' leaderboard.

namespace pair::runs {

struct WildsPredictRequest {
  std::filesystem::path run;        // a folder with a model (model_files.h)
  std::vector<std::string> splits;  // "val", "test", ...; at least one
  std::filesystem::path out;        // the folder for the files, which is made
  std::string data_root = {};       // in place of the run's
  std::string epoch = "last";       // in the names of the files
  std::int64_t workers = 2;         // threads that read samples
  std::int64_t threads = 1;         // that one operation may use
};

// Writes one file per split, OUT/camelyon17_split:test_seed:0_epoch:last_pred.csv: one prediction per line,
// in WILDS' order. Returns their paths. Throws std::invalid_argument for a run on another dataset and for
// unknown splits; std::runtime_error for samples that cannot be read; train::Interrupted if should_stop
// returns true. `progress` is called after each batch, with the samples so far and all of the splits.
std::vector<std::filesystem::path> predict_wilds(
    const WildsPredictRequest& request, const std::function<bool()>& should_stop = {},
    const std::function<void(std::int64_t done, std::int64_t all)>& progress = {});

}  // namespace pair::runs
