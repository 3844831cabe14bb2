#include "pair/data/colored_mnist.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "pair/base/numbers.h"
#include "pair/data/digits.h"
#include "pair/data/random.h"
#include "pair/data/registry.h"

namespace pair::data {
namespace {

std::array<float, 256> unit_range() {
  std::array<float, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    table[i] = static_cast<float>(i) / 255.0F;
  }
  return table;
}

Environment coloured(std::string key, const Digits& digits, std::span<const std::int64_t> chosen,
                     double alpha, double beta, Random random) {
  const std::array<float, 256> intensity = unit_range();
  const auto size = static_cast<std::size_t>(digits.rows * digits.columns);
  const auto count = static_cast<std::int64_t>(chosen.size());
  Environment environment{.key = std::move(key),
                          .inputs = torch::zeros({count, 2 * digits.rows * digits.columns}, torch::kFloat),
                          .labels = torch::empty({count}, torch::kFloat)};
  float* input = environment.inputs.data_ptr<float>();
  float* labels = environment.labels.data_ptr<float>();
  for (std::size_t i = 0; i < chosen.size(); ++i, input += 2 * size) {
    const auto digit = static_cast<std::size_t>(chosen[i]);
    const bool label = (digits.labels[digit] < 5) != random.bernoulli(alpha);
    const bool colour = label != random.bernoulli(beta);
    labels[i] = label ? 1.0F : 0.0F;
    const std::span pixels = std::span(digits.pixels).subspan(digit * size, size);
    std::transform(pixels.begin(), pixels.end(), input + (colour ? size : 0),
                   [&](std::uint8_t pixel) { return intensity[pixel]; });
  }
  return environment;
}

Environment part_of(const Environment& environment, std::string key, std::int64_t first, std::int64_t count) {
  return {.key = std::move(key),
          .inputs = environment.inputs.narrow(0, first, count).clone(),
          .labels = environment.labels.narrow(0, first, count).clone()};
}

}  // namespace

EnvironmentSet colored_mnist(const Digits& digits, const ColoredMnistSpec& spec, std::uint64_t seed) {
  check_sizes(digits);
  validate(spec, digits.count);
  EnvironmentSet set{
      .name = spec.name, .loss = TaskLoss::binary_cross_entropy, .outputs = 1, .train = {}, .held_out = {}};
  set.classes = {"5 to 9", "0 to 4"};
  // MNIST's own images are twice as large as the digits of the program.
  set.input = form_of(DigitInput{.rows = digits.rows, .columns = digits.columns, .channels = 2, .stride = 2});

  const std::int64_t train_pool = training_pool(digits.count);
  const std::vector<std::int64_t> order =
      Random(seed, "cmnist/order").permutation(static_cast<std::size_t>(train_pool));
  const std::size_t environments = spec.train_betas.size();
  for (std::size_t e = 0; e < environments; ++e) {
    std::vector<std::int64_t> chosen;
    for (std::size_t i = e; i < static_cast<std::size_t>(spec.train_digits); i += environments) {
      chosen.push_back(order[i]);
    }
    const std::string key = "env" + std::to_string(e);
    Environment all = coloured(key + "_in", digits, chosen, spec.alpha, spec.train_betas[e],
                               Random(seed, "cmnist/train/" + std::to_string(e)));
    const std::int64_t out = held_out_digits(all.labels.size(0), spec.holdout);
    if (out > 0) {
      set.held_out.push_back(part_of(all, key + "_out", all.labels.size(0) - out, out));
      all = part_of(all, key + "_in", 0, all.labels.size(0) - out);
    }
    set.train.push_back(std::move(all));
  }

  std::vector<std::int64_t> chosen(static_cast<std::size_t>(spec.test_digits));
  std::iota(chosen.begin(), chosen.end(), train_pool);
  for (std::size_t e = 0; e < spec.test_betas.size(); ++e) {
    set.held_out.push_back(coloured("env" + std::to_string(environments + e) + "_out", digits, chosen,
                                    spec.alpha, spec.test_betas[e],
                                    Random(seed, "cmnist/test/" + std::to_string(e))));
    set.held_out.back().test = true;
  }
  return set;
}

std::vector<DatasetEntry> colored_mnist_entries() {
  const auto spec_in = [](const base::Options& options) -> const ColoredMnistSpec& {
    return options.as<ColoredMnistSpec>();
  };
  std::vector<DatasetEntry> entries;
  for (const ColoredMnistPreset& preset : colored_mnist_presets()) {
    const std::string& name = preset.spec.name;
    DatasetEntry entry{.name = name, .summary = preset.summary};
    if (!preset.alias.empty()) {
      entry.aliases = {preset.alias};
    }
    entry.options = base::Options::of(preset.spec);
    entry.variant = name.starts_with("cmnist-m") || name.starts_with("cmnist-10") ? "cmnist-m" : "";
    entry.metrics = {"accuracy", "worst_group"};
    entry.environments = [spec_in](const base::Options& options) {
      std::vector<std::string> names;
      for (const auto& betas : {spec_in(options).train_betas, spec_in(options).test_betas}) {
        for (const double beta : betas) {
          names.push_back("beta " + base::shown(beta));
        }
      }
      return names;
    };
    entry.test_environments = [spec_in](const base::Options& options) {
      std::vector<std::int64_t> numbers(spec_in(options).test_betas.size());
      std::iota(numbers.begin(), numbers.end(),
                static_cast<std::int64_t>(spec_in(options).train_betas.size()));
      return numbers;
    };
    entry.check = [spec_in](const base::Options& options) { validate(spec_in(options)); };
    entry.make = [spec_in](const base::Options& options, std::uint64_t seed) {
      // Unpacked once for all runs: 12 MB that never change.
      static const Digits digits = embedded_mnist14();
      return colored_mnist(digits, spec_in(options), seed);
    };
    entries.push_back(std::move(entry));
  }
  return entries;
}

}  // namespace pair::data
