#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/base/options.h"
#include "pair/data/random.h"

// Models by name. A model is one source file in this folder with its class, its options and a function that
// returns its entry; registry.cpp has one line for it. CONTRIBUTING.md shows a complete example.

namespace pair::models {

class Model;

// The input and output sizes of a model.
struct ModelInput {
  std::int64_t size = 0;                 // numbers per input after flattening. 1 to 2^30
  std::vector<std::int64_t> shape = {};  // [channels, rows, columns] of images; may be empty for vectors
  std::int64_t outputs = 1;              // logits per input. 1 to 2^30
  // For inputs that are token ids: a number above all of them; 0: inputs are numbers. Not set: not known.
  std::optional<std::int64_t> tokens = {};
};

// The inputs that a model is for.
enum class Takes {
  numbers,  // of any shape
  images,   // numbers of shape [channels, rows, columns]
  tokens,   // rows of token ids
};

struct ModelEntry {
  std::string name;
  std::string summary;         // one line
  base::Options options = {};  // defaults
  // All parameters are drawn from random (initial.h), so that a seed gives the same model on every device.
  std::function<std::shared_ptr<Model>(const base::Options&, const ModelInput&, data::Random&)> make = {};
  Takes takes = Takes::numbers;
  // Further conditions on the inputs, such as a smallest size: throws std::invalid_argument. Empty: none.
  std::function<void(const base::Options&, const ModelInput&)> check = {};
  // Whether the outputs are linear in the inputs, so that reports show weights and need not estimate them.
  bool linear = false;
  // The flag among the options that asks for steps in fp16 (Model::steps_in_half), which the setting precision bf16
  // excludes; empty: none.
  std::string fp16_flag = {};
};

// An entry for a model without options: make(input, random) -> std::shared_ptr<...>.
template <class Make>
ModelEntry model_entry(std::string name, std::string summary, Make make) {
  return {std::move(name),
          std::move(summary),
          {},
          [make](const base::Options& /*options*/, const ModelInput& input,
                 data::Random& random) -> std::shared_ptr<Model> { return make(input, random); }};
}

// The same with options: make(const O&, input, random), O described by describe(base::Fields<O>&).
template <class O, class Make>
ModelEntry model_entry(std::string name, std::string summary, Make make) {
  return {std::move(name), std::move(summary), base::Options::of<O>(),
          [make](const base::Options& options, const ModelInput& input, data::Random& random)
              -> std::shared_ptr<Model> { return make(options.as<O>(), input, random); }};
}

// All models, in the order of lists.
const std::vector<ModelEntry>& models();

// Adds a model that is not part of this library (cli/extensions.h). Call it before anything else uses the
// list. Throws std::invalid_argument for a name that exists already, std::logic_error if the list has been
// used.
void add_model(ModelEntry entry);

// Throws std::invalid_argument that suggests the nearest name and lists all.
const ModelEntry& model_named(std::string_view name);

// The model's options with some values changed, by name and text: options_of("mlp", {{"width", "8"}}). Throws
// std::invalid_argument for unknown names and invalid values.
base::Options options_of(std::string_view model, const base::Assignments& changes = {});

// Throws std::invalid_argument if the model does not take the inputs, without building it: make_model does the same.
void require_fit(std::string_view name, const base::Options& options, const ModelInput& input);

// Throws std::invalid_argument for an unknown name, options out of range, and inputs that the model does not
// support.
std::shared_ptr<Model> make_model(std::string_view name, const base::Options& options,
                                  const ModelInput& input, data::Random& random);

}  // namespace pair::models
