#include "pair/models/registry.h"

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

std::shared_ptr<Model> make_model(std::string_view name, const base::Options& options,
                                  const ModelInput& input, data::Random& random) {
  const ModelEntry& entry = model_named(name);
  base::check(options);
  require_size("input size", input.size);
  require_size("outputs", input.outputs);
  return entry.make(options, input, random);
}

}  // namespace pair::models
