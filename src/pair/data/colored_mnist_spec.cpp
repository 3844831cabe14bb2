#include "pair/data/colored_mnist_spec.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "pair/base/numbers.h"
#include "pair/base/registry.h"

namespace pair::data {
namespace {

constexpr std::string_view gray_ending = "-gray";
constexpr std::int64_t least_digits = 1;

void check_digits(const std::string& field, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value < least || value > most) {
    throw std::invalid_argument(field + ": expected an integer from " + std::to_string(least) + " to " +
                                std::to_string(most) + " here, got " + std::to_string(value));
  }
}

}  // namespace

void describe(base::Fields<ColoredMnistSpec>& field) {
  using S = ColoredMnistSpec;
  constexpr base::Range probability{.low = 0, .high = 1};
  field.number("alpha", &S::alpha, probability, "how often a label is flipped");
  field.numbers("train_betas", &S::train_betas, probability,
                "how often colour and label differ, one number per training environment");
  field.numbers("test_betas", &S::test_betas, probability, "the same for the test environments");
  field.whole("train_digits", &S::train_digits, least_digits, training_pool(mnist_digits),
              "digits divided among the training environments");
  field.whole("test_digits", &S::test_digits, least_digits, mnist_digits - training_pool(mnist_digits),
              "digits in each test environment");
  field
      .number("holdout", &S::holdout, {.low = 0, .high = 0.9},
              "fraction of each training environment that is held out, for model selection")
      .unsaid = "0";
}

void validate(const ColoredMnistSpec& spec, std::int64_t digits_count) {
  base::check(base::Options::of(spec));
  const std::int64_t train_pool = training_pool(digits_count);
  check_digits("train_digits", spec.train_digits, static_cast<std::int64_t>(spec.train_betas.size()),
               train_pool);
  check_digits("test_digits", spec.test_digits, least_digits, digits_count - train_pool);
  const std::int64_t fewest =
      spec.train_digits / std::max<std::int64_t>(static_cast<std::int64_t>(spec.train_betas.size()), 1);
  if (held_out_digits(fewest, spec.holdout) >= fewest) {
    throw std::invalid_argument("holdout: expected a share that leaves something of " +
                                std::to_string(fewest) + " digits to train on, got " +
                                base::shown(spec.holdout));
  }
}

std::int64_t held_out_digits(std::int64_t digits, double holdout) {
  const auto share = static_cast<std::int64_t>(holdout * static_cast<double>(digits));
  return holdout > 0.0 ? std::max<std::int64_t>(share, 1) : 0;
}

ColoredMnistSpec gray_twin(ColoredMnistSpec spec) {
  spec.name += gray_ending;
  spec.train_betas.assign(spec.train_betas.size(), 0.5);
  return spec;
}

std::vector<ColoredMnistPreset> colored_mnist_presets() {
  const auto spec = [](std::string name, double alpha, double beta_1, double beta_2) {
    return ColoredMnistSpec{.name = std::move(name), .alpha = alpha, .train_betas = {beta_1, beta_2}};
  };
  const ColoredMnistSpec cmnist = spec("cmnist", 0.25, 0.1, 0.2);
  const ColoredMnistSpec modified = spec("cmnist-m", 0.1, 0.2, 0.25);
  const ColoredMnistSpec eleven =
      spec("cmnist-11", 0.11, 0.1, 0.2);                           // printed as CMNIST itself; see the header
  const ColoredMnistSpec ten = spec("cmnist-10", 0.1, 0.2, 0.25);  // not defined in the paper; see the header
  return {
      {cmnist, "ColoredMNIST (CMNIST-25): alpha 0.25, beta (0.1, 0.2)", "cmnist-25"},
      {gray_twin(cmnist), "cmnist with uninformative colours, for the oracle: alpha 0.25, beta (0.5, 0.5)",
       "cmnist-25-gray"},
      {modified, "modified ColoredMNIST (CMNIST-01), where IRMv1 fails: alpha 0.1, beta (0.2, 0.25)",
       "cmnist-01"},
      {gray_twin(modified), "cmnist-m with uninformative colours, for the oracle: alpha 0.1, beta (0.5, 0.5)",
       "cmnist-01-gray"},
      {eleven, "our reading of the paper's CMNIST-11: alpha 0.11, beta (0.1, 0.2)", ""},
      {gray_twin(eleven), "cmnist-11 with uninformative colours: alpha 0.11, beta (0.5, 0.5)", ""},
      {ten, "our reading of the paper's CMNIST-10: cmnist-m, alpha 0.1, beta (0.2, 0.25)", ""},
      {gray_twin(ten), "cmnist-10 with uninformative colours: alpha 0.1, beta (0.5, 0.5)", ""},
  };
}

ColoredMnistSpec colored_mnist_preset(std::string_view name) {
  for (const ColoredMnistPreset& preset : colored_mnist_presets()) {
    if (!name.empty() && (preset.spec.name == name || preset.alias == name)) {
      return preset.spec;
    }
  }
  throw std::out_of_range("ColoredMNIST: expected the name of a preset, such as cmnist or cmnist-m, got '" +
                          std::string(name) + "'");
}

}  // namespace pair::data
