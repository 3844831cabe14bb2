#include "pair/sweep/domainbed_registry.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include "pair/base/names.h"
#include "pair/data/numpy_random.h"

namespace pair::sweep {
namespace {

using data::NumpyRandom;
using Json = nlohmann::ordered_json;
using DrawOne = std::function<Json(NumpyRandom&)>;

constexpr std::array<std::string_view, 2> small_images = {"ColoredMNIST", "RotatedMNIST"};
constexpr std::array<std::string_view, 7> all_datasets = {
    "ColoredMNIST", "RotatedMNIST", "PACS", "VLCS", "OfficeHome", "TerraIncognita", "DomainNet"};

DrawOne always(const Json& value) {
  return [value](NumpyRandom& /*random*/) { return value; };
}
DrawOne uniform(double low, double high) {
  return [=](NumpyRandom& random) { return Json(random.uniform(low, high)); };
}
DrawOne whole_uniform(double low, double high) {
  return [=](NumpyRandom& random) { return Json(static_cast<std::int64_t>(random.uniform(low, high))); };
}
DrawOne power(double base, double low, double high) {
  return [=](NumpyRandom& random) { return Json(std::pow(base, random.uniform(low, high))); };
}
DrawOne whole_power(double base, double low, double high) {
  return [=](NumpyRandom& random) {
    return Json(static_cast<std::int64_t>(std::pow(base, random.uniform(low, high))));
  };
}
DrawOne one_of(std::vector<Json> values) {
  return [values = std::move(values)](NumpyRandom& random) { return values[random.choice(values.size())]; };
}

class RegistryWriter {
 public:
  RegistryWriter(std::int64_t hparams_seed, std::int64_t trial_seed)
      : default_(hparams_seed == 0), seed_(data::domainbed_seed(hparams_seed, trial_seed)) {}

  void add(const std::string& name, const Json& default_value, const DrawOne& draw) {
    NumpyRandom random(data::domainbed_seed(seed_, name));
    values_[name] = default_ ? default_value : draw(random);
  }
  Json take() { return std::move(values_); }

 private:
  bool default_;
  std::int64_t seed_;
  Json values_ = Json::object();
};

void add_common(RegistryWriter& registry) {
  registry.add("data_augmentation", true, always(true));
  registry.add("resnet18", false, always(false));
  registry.add("resnet50_augmix", true, always(true));
  registry.add("dinov2", false, always(false));
  registry.add("vit", false, always(false));
  registry.add("vit_attn_tune", false, always(false));
  registry.add("freeze_bn", false, always(false));
  registry.add("lars", false, always(false));
  registry.add("linear_steps", 500, always(500));
  registry.add("resnet_dropout", 0.0, one_of({0.0, 0.1, 0.5}));
  registry.add("vit_dropout", 0.0, one_of({0.0, 0.1, 0.5}));
  registry.add("class_balanced", false, always(false));
  registry.add("nonlinear_classifier", false, one_of({false, false}));
}

// False for an algorithm that is not here.
bool add_of_algorithm(RegistryWriter& registry, std::string_view algorithm) {
  const auto penalty = [&registry](const std::string& name, double value) {
    registry.add(name + "_lambda", value, power(10, -1, 5));
    registry.add(name + "_penalty_anneal_iters", 500, whole_power(10, 0, 4));
  };
  if (algorithm == "ERM") {
    return true;
  }
  if (algorithm == "DANN" || algorithm == "CDANN") {
    registry.add("lambda", 1.0, power(10, -2, 2));
    registry.add("weight_decay_d", 0.0, power(10, -6, -2));
    registry.add("d_steps_per_g_step", 1, whole_power(2, 0, 3));
    registry.add("grad_penalty", 0.0, power(10, -2, 1));
    registry.add("beta1", 0.5, one_of({0.0, 0.5}));
    registry.add("mlp_width", 256, whole_power(2, 6, 10));
    registry.add("mlp_depth", 3, one_of({3, 4, 5}));
    registry.add("mlp_dropout", 0.0, one_of({0.0, 0.1, 0.5}));
  } else if (algorithm == "IRM") {
    penalty("irm", 1e2);
  } else if (algorithm == "Mixup") {
    registry.add("mixup_alpha", 0.2, power(10, -1, 1));
  } else if (algorithm == "Fish") {
    registry.add("meta_lr", 0.5, one_of({0.05, 0.1, 0.5}));
  } else if (algorithm == "GroupDRO") {
    registry.add("groupdro_eta", 1e-2, power(10, -3, -1));
  } else if (algorithm == "MMD" || algorithm == "CORAL") {
    registry.add("mmd_gamma", 1.0, power(10, -1, 1));
  } else if (algorithm == "VREx") {
    penalty("vrex", 1e1);
  } else if (algorithm == "SD") {
    registry.add("sd_reg", 0.1, power(10, -5, -1));
  } else if (algorithm == "IGA") {
    registry.add("penalty", 1000, power(10, 1, 5));
  } else if (algorithm == "Fishr") {
    registry.add("lambda", 1000.0, power(10, 1, 4));
    registry.add("penalty_anneal_iters", 1500, whole_uniform(0, 5000));
    registry.add("ema", 0.95, uniform(0.90, 0.99));
  } else if (algorithm == "IB_ERM") {
    penalty("ib", 1e2);
  } else if (algorithm == "IB_IRM") {
    penalty("irm", 1e2);
    penalty("ib", 1e2);
  } else {
    return false;
  }
  return true;
}

void add_of_dataset(RegistryWriter& registry, std::string_view dataset, std::string_view algorithm) {
  const bool small = std::ranges::find(small_images, dataset) != small_images.end();
  const double rate = small ? 1e-3 : 5e-5;
  const DrawOne rates = small ? power(10, -4.5, -2.5) : power(10, -5, -3.5);
  const DrawOne decays = small ? always(0.0) : power(10, -6, -2);
  registry.add("lr", rate, rates);
  registry.add("weight_decay", 0.0, decays);
  if (small) {
    registry.add("batch_size", 64, whole_power(2, 3, 9));
  } else {
    registry.add("batch_size", 32, whole_power(2, 3, dataset == "DomainNet" ? 5 : 5.5));
  }
  if (algorithm == "DANN" || algorithm == "CDANN") {
    registry.add("lr_g", rate, rates);
    registry.add("lr_d", rate, rates);
    registry.add("weight_decay_g", 0.0, decays);
  }
}

}  // namespace

bool is_domainbed_dataset(std::string_view dataset) {
  return std::ranges::find(all_datasets, dataset) != all_datasets.end();
}

nlohmann::ordered_json registered_hparams(std::string_view dataset, std::string_view algorithm,
                                          std::int64_t hparams_seed, std::int64_t trial_seed) {
  if (!is_domainbed_dataset(dataset)) {
    throw std::invalid_argument(base::unknown_name("dataset of DomainBed", dataset, all_datasets));
  }
  RegistryWriter registry(hparams_seed, trial_seed);
  add_common(registry);
  if (!add_of_algorithm(registry, algorithm)) {
    throw std::invalid_argument(
        "algorithm: expected one of DomainBed's that 'pair list algorithms' names, got '" +
        base::printable(algorithm.substr(0, 40)) + "'");
  }
  add_of_dataset(registry, dataset, algorithm);
  return registry.take();
}

}  // namespace pair::sweep
