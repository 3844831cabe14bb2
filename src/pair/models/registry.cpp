#include "pair/models/registry.h"

#include <stdexcept>
#include <utility>

#include "pair/base/numbers.h"
#include "pair/base/registry.h"
#include "pair/models/model.h"

namespace pair::models {
namespace {

// An upper limit for tensor sizes, so that products of two do not overflow.
constexpr std::int64_t largest_size = std::int64_t{1} << 30;

void require_size(std::string_view what, std::int64_t value) {
  base::require_integer("a model's " + std::string(what), value, 1, largest_size);
}

// Without `tokens`, a model for token ids is trusted to be one for these inputs.
bool fits(Takes takes, const ModelInput& input) {
  const bool images = input.shape.size() == 3;
  if (!input.tokens) {
    return takes != Takes::images || images;
  }
  return (takes == Takes::tokens) == (*input.tokens > 0) && (takes != Takes::images || images);
}

std::string text_of(const ModelInput& input) {
  return input.tokens.value_or(0) > 0 ? "texts as token ids"
         : input.shape.size() == 3    ? "images"
                                      : "vectors of numbers, such as rows of a table";
}

std::string_view text_of(Takes takes) {
  return takes == Takes::tokens ? "texts as token ids" : takes == Takes::images ? "images" : "numbers";
}

}  // namespace

// Not in an anonymous namespace: the functions declared inside would be members of it.
static base::Registry<ModelEntry>& model_registry() {
  static base::Registry<ModelEntry> all("model", [] {
    std::vector<ModelEntry> list;
    // clang-format off
    // One line per model, in the order of lists.
    { extern ModelEntry mlp(); list.push_back(mlp()); }
    { extern ModelEntry linear(); list.push_back(linear()); }
    { extern ModelEntry mnist_cnn(); list.push_back(mnist_cnn()); }
    { extern ModelEntry resnet18(); list.push_back(resnet18()); }
    { extern ModelEntry resnet50(); list.push_back(resnet50()); }
    { extern ModelEntry densenet121(); list.push_back(densenet121()); }
    { extern ModelEntry distilbert(); list.push_back(distilbert()); }
    // clang-format on
    return list;
  }());
  return all;
}

const std::vector<ModelEntry>& models() {
  return model_registry().entries();
}

void add_model(ModelEntry entry) {
  model_registry().add(std::move(entry));
}

const ModelEntry& model_named(std::string_view name) {
  return base::named(models(), "model", name);
}

base::Options options_of(std::string_view model, const base::Assignments& changes) {
  return base::with_changes(model_named(model).options, changes);
}

void require_fit(std::string_view name, const base::Options& options, const ModelInput& input) {
  const ModelEntry& entry = model_named(name);
  if (!fits(entry.takes, input)) {
    std::vector<std::string> fitting;
    for (const ModelEntry& other : models()) {
      if (fits(other.takes, input)) {
        fitting.push_back(other.name);
      }
    }
    throw std::invalid_argument("model: expected a model for " + text_of(input) + " (" +
                                base::joined_names(fitting) + "), got '" + entry.name + "', which is for " +
                                std::string(text_of(entry.takes)));
  }
  if (entry.check) {
    entry.check(options, input);
  }
}

std::shared_ptr<Model> make_model(std::string_view name, const base::Options& options,
                                  const ModelInput& input, data::Random& random) {
  const ModelEntry& entry = model_named(name);
  base::check(options);
  require_size("input size", input.size);
  require_size("outputs", input.outputs);
  require_fit(name, options, input);
  return entry.make(options, input, random);
}

}  // namespace pair::models
