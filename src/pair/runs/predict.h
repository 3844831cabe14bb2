#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pair/runs/model_card.h"

// Predictions of a trained model for new inputs.

namespace pair::runs {

struct Prediction {
  std::string input;                      // its name: a file, FILE:LINE, FILE[NUMBER]
  std::size_t answer = 0;                 // the class, an index into class_names(); 0 for regressions
  std::vector<float> probabilities = {};  // one per class; empty for regressions
  float value = 0;                        // of a regression
  std::vector<std::string> kept = {};     // the cells of PredictRequest::keep
};

struct PredictRequest {
  std::filesystem::path run;                 // a folder with a model (model_files.h)
  std::vector<std::string> inputs;           // files, folders or "-" (data/inputs.h)
  std::vector<std::string> keep = {};        // columns of tables to hand over with each prediction
  bool skip_broken = false;                  // leave out files that cannot be used, and count them
  std::int64_t batch = 64;                   // inputs at a time, 1 to 1,000,000
  std::int64_t workers = 2;                  // threads that decode images
  std::int64_t threads = 1;                  // that one operation may use
  std::string device = "cpu";                // that computes: cpu, cuda or cuda:N
  std::optional<std::int64_t> channel = {};  // that grey digits go to: 0 or 1
};

struct PredictHooks {
  // Before the first prediction, once the first inputs have been read: not if they cannot be used.
  std::function<void(const ModelCard&)> begin = {};
  std::function<void(const Prediction&)> each = {};   // in the order of the inputs
  std::function<void(std::string_view)> notice = {};  // a sentence for the user
  std::function<bool()> should_stop = {};             // called between batches
};

struct PredictResult {
  std::int64_t predicted = 0;
  std::int64_t skipped = 0;
  bool stopped = false;
};

// Memory does not grow with the number of inputs. Throws std::invalid_argument for a folder without a usable
// model and for invalid inputs, naming the file, after earlier predictions have been passed on. Throws
// std::runtime_error if reading or writing fails.
PredictResult predict(const PredictRequest& request, std::istream& in, const PredictHooks& hooks);

}  // namespace pair::runs
