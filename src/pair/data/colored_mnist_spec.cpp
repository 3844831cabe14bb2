#include "pair/data/colored_mnist_spec.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "pair/base/names.h"
#include "pair/base/numbers.h"

namespace pair::data {
namespace {

constexpr std::array<ColoredMnistPreset, 8> presets = {{
    {"cmnist", "ColoredMNIST (CMNIST-25): alpha 0.25, beta (0.1, 0.2)"},
    {"cmnist-gray", "cmnist without the colour's hint, for the oracle: alpha 0.25, beta (0.5, 0.5)"},
    {"cmnist-m", "modified ColoredMNIST (CMNIST-01), where IRMv1 fails: alpha 0.1, beta (0.2, 0.25)"},
    {"cmnist-m-gray", "cmnist-m without the colour's hint, for the oracle: alpha 0.1, beta (0.5, 0.5)"},
    {"cmnist-11", "our reading of the paper's CMNIST-11: alpha 0.11, beta (0.1, 0.2)"},
    {"cmnist-11-gray", "cmnist-11 without the colour's hint: alpha 0.11, beta (0.5, 0.5)"},
    {"cmnist-10", "our reading of the paper's CMNIST-10: cmnist-m, alpha 0.1, beta (0.2, 0.25)"},
    {"cmnist-10-gray", "cmnist-10 without the colour's hint: alpha 0.1, beta (0.5, 0.5)"},
}};

struct Setting {
  std::string_view name;
  std::string_view alias;  // the authors' other name, empty where there is none
  double alpha;
  double beta_1;
  double beta_2;
};

constexpr std::array<Setting, 4> settings = {{
    {"cmnist", "cmnist-25", 0.25, 0.1, 0.2},
    {"cmnist-m", "cmnist-01", 0.1, 0.2, 0.25},
    {"cmnist-11", "", 0.11, 0.1, 0.2},  // printed as CMNIST itself; see the header
    {"cmnist-10", "", 0.1, 0.2, 0.25},  // not defined in the paper; see the header
}};

constexpr std::string_view gray_ending = "-gray";

void check_probability(const std::string& field, double value) {
  if (!(value >= 0.0 && value <= 1.0)) {
    throw std::invalid_argument(field + " is " + base::shown(value) + "; accepted are probabilities, 0 to 1");
  }
}

void check_betas(const std::string& field, const std::vector<double>& betas) {
  if (betas.empty()) {
    throw std::invalid_argument(field + " is empty; one beta is needed for each environment, at least one");
  }
  for (std::size_t i = 0; i < betas.size(); ++i) {
    check_probability(field + "[" + std::to_string(i) + "]", betas[i]);
  }
}

const Setting* find_setting(std::string_view name) {
  const std::size_t ending = name.ends_with(gray_ending) ? gray_ending.size() : 0;
  const std::string_view stem = name.substr(0, name.size() - ending);
  const auto found = std::find_if(settings.begin(), settings.end(), [&](const Setting& setting) {
    return !stem.empty() && (stem == setting.name || stem == setting.alias);
  });
  return found == settings.end() ? nullptr : &*found;
}

void check_count(const std::string& field, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value < least || value > most) {
    throw std::invalid_argument(field + " is " + std::to_string(value) + "; accepted are " +
                                std::to_string(least) + " to " + std::to_string(most));
  }
}

}  // namespace

void validate(const ColoredMnistSpec& spec, std::int64_t digits_count) {
  check_probability("alpha", spec.alpha);
  check_betas("train_betas", spec.train_betas);
  check_betas("test_betas", spec.test_betas);
  const std::int64_t train_pool = training_pool(digits_count);
  check_count("train_digits", spec.train_digits, static_cast<std::int64_t>(spec.train_betas.size()),
              train_pool);
  check_count("test_digits", spec.test_digits, 1, digits_count - train_pool);
}

ColoredMnistSpec gray_twin(ColoredMnistSpec spec) {
  spec.name += gray_ending;
  spec.train_betas.assign(spec.train_betas.size(), 0.5);
  return spec;
}

std::span<const ColoredMnistPreset> colored_mnist_presets() {
  return presets;
}

bool is_colored_mnist(std::string_view name) {
  return find_setting(name) != nullptr;
}

ColoredMnistSpec colored_mnist_preset(std::string_view name) {
  if (const Setting* setting = find_setting(name)) {
    ColoredMnistSpec spec;
    spec.name = setting->name;
    spec.alpha = setting->alpha;
    spec.train_betas = {setting->beta_1, setting->beta_2};
    return name.ends_with(gray_ending) ? gray_twin(std::move(spec)) : spec;
  }
  std::array<std::string_view, presets.size()> known{};
  for (std::size_t i = 0; i < presets.size(); ++i) {
    known[i] = presets[i].name;
  }
  throw std::invalid_argument(base::unknown_name("dataset", name, known));
}

}  // namespace pair::data
