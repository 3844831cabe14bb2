#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pair/data/table_encoding.h"
#include "pair/runs/model_card.h"

// How good a trained model is on labelled data, environment by environment.

namespace pair::runs {

struct EnvironmentScore {
  std::string environment;  // its name
  std::string key = {};     // as records call it, "env0_in"; empty for folders
  std::string part = {};    // part_of(key, ...) of record_keys.h; empty for folders and files
  bool test = false;        // whether the run counts it for its worst test score
  std::int64_t samples = 0;
  std::vector<double> values = {};  // one per metric
};

struct ScoreTable {
  std::vector<std::string> metrics;
  std::vector<EnvironmentScore> environments;
  std::vector<double> worst;  // of all rows, one per metric: the lowest where high is good
  // The same over the rows "train" and "train, held out", and over the rows "test": the run's worst test
  // score. Empty if there are none, as for folders and files.
  std::vector<double> worst_training = {};
  std::vector<double> worst_test = {};
  std::int64_t skipped = 0;  // broken files that were left out
  // For a regression whose label is standardised: how. mse is that of the standardised label, rmse is in the
  // label's unit.
  std::optional<data::LabelEncoding> standardised_label = {};
  // For the rows of a file: the columns with cells whose category the training rows do not have, and how many
  // cells; and the columns without any value.
  std::vector<std::pair<std::string, std::int64_t>> unknown_categories = {};
  std::vector<std::string> missing_columns = {};
};

struct ScoreRequest {
  std::filesystem::path run;  // a folder with a model (model_files.h)
  // A folder ENVIRONMENT/CLASS/FILE, or a CSV file that lists images, for image models; a CSV file with labels,
  // for models of tables and texts; or the name of a dataset. Empty: the dataset that the run was trained on.
  std::string data = {};
  // Options of the dataset that differ from the run's or, for another dataset, from the defaults.
  std::vector<std::pair<std::string, std::string>> options = {};
  std::optional<std::uint64_t> seed = {};  // that decides the data; else the run's
  std::vector<std::string> metrics = {};   // in place of the dataset's
  bool skip_broken = false;                // leave out broken images of a folder, and count them
  std::int64_t workers = 2;                // threads that decode images
  std::int64_t threads = 1;                // that one operation may use
  std::string device = "cpu";              // that computes: cpu, cuda or cuda:N
};

struct ScoreHooks {
  std::function<void(std::string_view)> notice = {};  // a sentence for the user
  std::function<bool()> should_stop = {};  // called between batches; if true, score() throws Interrupted
  // Called after each batch: the samples scored so far, and all of them, or 0 if their number is not known.
  std::function<void(std::int64_t done, std::int64_t all)> progress = {};
};

// On the data that a run was trained and tested on, accuracy and mse are those of its last record, to the
// last bit where the run was trained on a processor with as many threads. Throws std::invalid_argument for a
// folder without a usable model, and for data or metrics that do not fit the model; std::runtime_error where
// the disk refuses; train::Interrupted.
ScoreTable score(const ScoreRequest& request, const ScoreHooks& hooks = {});

}  // namespace pair::runs
