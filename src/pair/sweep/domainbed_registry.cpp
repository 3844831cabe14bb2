#include "pair/sweep/domainbed_registry.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "pair/algorithms/registry.h"
#include "pair/base/names.h"
#include "pair/data/numpy_random.h"
#include "pair/data/registry.h"
#include "pair/runs/settings.h"
#include "pair/runs/value_json.h"
#include "pair/sweep/hparams.h"

namespace pair::sweep {
namespace {

using data::NumpyRandom;
using Json = nlohmann::ordered_json;

std::vector<std::string_view> datasets_of_domainbed() {
  std::vector<std::string_view> names;
  for (const data::DatasetEntry& entry : data::datasets()) {
    if (entry.in_domainbed) {
      names.push_back(entry.name);
    }
  }
  return names;
}

class RegistryWriter {
 public:
  RegistryWriter(std::int64_t hparams_seed, std::int64_t trial_seed)
      : default_(hparams_seed == 0), seed_(data::domainbed_seed(hparams_seed, trial_seed)) {}

  // A value that DomainBed does not draw, or draws from `choices`.
  void add(const std::string& name, const Json& default_value, const std::vector<Json>& choices = {}) {
    NumpyRandom random(data::domainbed_seed(seed_, name));
    values_[name] = default_ || choices.empty() ? default_value : choices[random.choice(choices.size())];
  }
  // A setting of ours under DomainBed's name. The field gives the value its type.
  void add(const std::string& name, const base::Field& field, const std::string& default_value,
           const base::Distribution& distribution) {
    std::vector<NumpyRandom> randoms;
    randoms.emplace_back(data::domainbed_seed(seed_, name));
    const std::string text = default_ ? default_value : draw(distribution, randoms, 1.0);
    const std::optional<base::Value> value = field.parse(text);
    if (!value) {
      throw std::logic_error(field.name + ": expected a distribution of " + field.accepted + ", got '" +
                             text + "'");
    }
    values_[name] = runs::as_json(*value);
  }
  Json take() { return std::move(values_); }

 private:
  bool default_;
  std::int64_t seed_;
  Json values_ = Json::object();
};

// DomainBed registers these for every algorithm and dataset; they choose among its networks and augmentations.
// Our settings of the same name, such as resnet_dropout, belong to models that not every run has.
void add_common(RegistryWriter& registry) {
  registry.add("data_augmentation", true);
  registry.add("resnet18", false);
  registry.add("resnet50_augmix", true);
  registry.add("dinov2", false);
  registry.add("vit", false);
  registry.add("vit_attn_tune", false);
  registry.add("freeze_bn", false);
  registry.add("lars", false);
  registry.add("linear_steps", 500);
  registry.add("resnet_dropout", 0.0, {0.0, 0.1, 0.5});
  registry.add("vit_dropout", 0.0, {0.0, 0.1, 0.5});
  registry.add("class_balanced", false);
  registry.add("nonlinear_classifier", false);
}

// A setting that sweeps draw, under each of its names in DomainBed.
void add_drawn(RegistryWriter& registry, const runs::RunSpec& spec, const Hparam& hparam) {
  const base::Field* field = runs::find_setting(spec, hparam.key);
  const auto* const list = std::get_if<base::LogUniforms>(&hparam.distribution);
  for (std::size_t i = 0; i < hparam.domainbed.size(); ++i) {
    if (list == nullptr) {
      registry.add(hparam.domainbed[i], *field, hparam.default_value, hparam.distribution);
    } else {
      // The penalties, which equal the penalty until they are drawn.
      registry.add(hparam.domainbed[i], *runs::find_setting(spec, "penalty"), runs::text_of(spec, "penalty"),
                   list->each.at(i));
    }
  }
}

// The hyperparameters that depend on the dataset. DomainBed registers its general names for every algorithm,
// also where the algorithm reads others, and a weight decay where it does not draw it.
void add_of_dataset(RegistryWriter& registry, const runs::RunSpec& spec,
                    const algorithms::AlgorithmEntry& algorithm) {
  const data::DatasetDraws& drawn = data::entry_of(spec.dataset.name).drawn;
  const auto add = [&](const std::string& name, const char* setting, const base::Distribution& distribution) {
    registry.add(name, *runs::find_setting(spec, setting), runs::text_of(spec, setting), distribution);
  };
  const base::Distribution decays = drawn.weight_decay.value_or(base::Fixed{"0"});
  add("lr", "lr", drawn.lr);
  add("weight_decay", "l2", decays);
  add("batch_size", "batch", drawn.batch);
  add(domainbed_name(algorithm, "lr"), "lr", drawn.lr);
  for (const base::Field& field : algorithm.update.options.fields()) {
    if (field.learning_rate) {
      add(field.domainbed_name.empty() ? field.name : field.domainbed_name, field.name.c_str(), drawn.lr);
    }
  }
  add(domainbed_name(algorithm, "l2"), "l2", decays);
}

}  // namespace

bool is_domainbed_dataset(std::string_view dataset) {
  return std::ranges::count(datasets_of_domainbed(), dataset) > 0;
}

nlohmann::ordered_json registered_hparams(std::string_view dataset, std::string_view algorithm,
                                          std::int64_t hparams_seed, std::int64_t trial_seed) {
  if (!is_domainbed_dataset(dataset)) {
    throw std::invalid_argument(base::unknown_name("dataset of DomainBed", dataset, datasets_of_domainbed()));
  }
  const auto& all = algorithms::algorithms();
  const auto entry = std::ranges::find(all, algorithm, &algorithms::AlgorithmEntry::domainbed);
  if (algorithm.empty() || entry == all.end()) {
    throw std::invalid_argument(
        "algorithm: expected one of DomainBed's that 'pair list algorithms' names, got '" +
        base::printable(algorithm.substr(0, 40)) + "'");
  }
  const runs::RunSpec spec = runs::resolve(dataset, entry->name);
  RegistryWriter registry(hparams_seed, trial_seed);
  add_common(registry);
  for (const Hparam& hparam : domainbed_hparams(spec)) {
    const bool of_dataset = hparam.key == "lr" || hparam.key == "batch" || hparam.key == "l2" ||
                            runs::find_setting(spec, hparam.key)->learning_rate;
    if (!of_dataset) {
      add_drawn(registry, spec, hparam);
    }
  }
  add_of_dataset(registry, spec, *entry);
  return registry.take();
}

}  // namespace pair::sweep
