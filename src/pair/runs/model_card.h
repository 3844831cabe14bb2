#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pair/base/options.h"
#include "pair/data/input_form.h"
#include "pair/data/table_encoding.h"
#include "pair/data/task_loss.h"

// model.json: what is needed to build a trained network again and to use it, without the run that it comes
// from. Plain data.

namespace pair::runs {

struct ModelCard {
  // The network: a model's name and options (models/registry.h), and what it was made for.
  std::string model;
  base::Options model_options = {};
  std::vector<std::int64_t> input_shape;  // of one input: [size] or [channels, rows, columns]
  std::int64_t outputs = 1;               // numbers per input
  data::TaskLoss loss = data::TaskLoss::binary_cross_entropy;  // what the outputs mean
  std::vector<std::string> classes = {};                       // their names by label; empty for regressions
  std::shared_ptr<const data::TableEncoding> table = {};       // how rows become inputs, for models of tables
  data::InputForm input = {};                                  // how files become inputs

  // Its origin.
  std::string dataset;
  std::vector<std::pair<std::string, base::Value>> dataset_options = {};
  std::vector<std::string> environments = {};        // by number
  std::vector<std::int64_t> test_environments = {};  // numbers of those that it was not trained on
  std::vector<std::string> metrics = {};             // the dataset's (data/metrics.h)
  std::string algorithm;
  std::uint64_t seed = 0;
  std::int64_t steps = 0;  // updates that made it: the run's, or fewer for a model of an earlier record
  std::int64_t averaged_steps = 0;  // the steps whose weights it is the mean of; 0: the last step's weights
  std::string run;                  // the hash of its spec

  std::string weights_sha256;  // of model.safetensors
};

// The format's version. Readers refuse others.
inline constexpr int model_card_format = 1;

// The names of the classes, or their numbers if the dataset has no names. Empty for regressions.
std::vector<std::string> class_names(const ModelCard& card);

// A JSON object, ending with a line end.
std::string to_text(const ModelCard& card);

// Throws std::invalid_argument that says what is expected for text that is not such an object, another
// format, a model that is not known, options that the model does not have or accept, and sizes that do not
// agree.
ModelCard card_from_text(std::string_view text);

}  // namespace pair::runs
