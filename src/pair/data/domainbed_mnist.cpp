#include "pair/data/domainbed_mnist.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <filesystem>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

#include "pair/base/files.h"
#include "pair/base/numbers.h"
#include "pair/data/domainbed_settings.h"
#include "pair/data/idx.h"
#include "pair/data/numpy_random.h"
#include "pair/data/protocols.h"
#include "pair/data/random.h"
#include "pair/data/registry.h"
#include "pair/data/rotate.h"
#include "pair/data/store.h"

namespace pair::data {
namespace {

using Variant = DomainBedMnistSpec::Variant;
namespace fs = std::filesystem;

Digits both_splits(Digits first, const Digits& second, const std::string& where) {
  if (first.rows != second.rows || first.columns != second.columns) {
    throw std::runtime_error("the training images in " + where + " are " + std::to_string(first.rows) +
                             " x " + std::to_string(first.columns) + ", the test images " +
                             std::to_string(second.rows) + " x " + std::to_string(second.columns) +
                             "; expected the same size");
  }
  first.count += second.count;
  first.pixels.insert(first.pixels.end(), second.pixels.begin(), second.pixels.end());
  first.labels.insert(first.labels.end(), second.labels.begin(), second.labels.end());
  return first;
}

fs::path idx_file(const fs::path& folder, const std::string& name) {
  for (const std::string ending : {"", ".gz"}) {
    if (base::is_there(folder / (name + ending))) {
      return folder / (name + ending);
    }
  }
  throw std::runtime_error(
      (folder / name).string() +
      " is missing; 'pair data get mnist' downloads MNIST, or the setting folder names a folder that has it");
}

using Draws = DomainBedMnistSpec::Draws;

// Which labels and colours of an environment are flipped.
struct Flips {
  std::vector<bool> labels;
  std::vector<bool> colours;
};

Flips our_flips(std::size_t count, double probability, Random random) {
  Flips flips;
  for (std::size_t i = 0; i < count; ++i) {
    flips.labels.push_back(random.bernoulli(domainbed_label_noise));
    flips.colours.push_back(random.bernoulli(probability));
  }
  return flips;
}

// (torch.rand(count) < probability), in single precision, as DomainBed's torch_bernoulli_.
std::vector<bool> torch_bernoulli(std::size_t count, double probability, const at::Generator& generator) {
  const torch::Tensor drawn =
      torch::rand({static_cast<std::int64_t>(count)}, generator, torch::kFloat32).lt(probability);
  const bool* const values = drawn.data_ptr<bool>();
  return std::vector<bool>(values, values + count);  // braces would list two pointers
}

// All digits of one environment, in the order in which they were assigned.
Environment environment_of(const Digits& digits, std::span<const std::int64_t> chosen, Variant variant,
                           double value, const Flips& flips) {
  const std::int64_t channels = variant == Variant::coloured ? 2 : 1;
  const auto size = static_cast<std::size_t>(digits.rows * digits.columns);
  const auto count = static_cast<std::int64_t>(chosen.size());
  Environment environment;
  environment.inputs = torch::zeros({count, channels, digits.rows, digits.columns}, torch::kByte);
  environment.labels = torch::empty({count}, torch::kLong);
  std::uint8_t* input = environment.inputs.data_ptr<std::uint8_t>();
  std::int64_t* label = environment.labels.data_ptr<std::int64_t>();
  for (std::size_t i = 0; i < chosen.size(); ++i) {
    const auto digit = static_cast<std::size_t>(chosen[i]);
    const std::span pixels = std::span(digits.pixels).subspan(digit * size, size);
    if (variant == Variant::coloured) {
      const bool one = (digits.labels[digit] < 5) != flips.labels[i];
      const bool colour = one != flips.colours[i];
      *label = one ? 1 : 0;
      std::copy(pixels.begin(), pixels.end(), input + (colour ? size : 0));
    } else {
      *label = digits.labels[digit];
      rotate(pixels, digits.rows, digits.columns, value, {input, size});
    }
    ++label;
    input += static_cast<std::size_t>(channels) * size;
  }
  return environment;
}

// torch.randperm(count).
std::vector<std::int64_t> torch_permutation(std::int64_t count, const at::Generator& generator) {
  const torch::Tensor order = torch::randperm(count, generator, torch::kLong);
  const std::int64_t* const numbers = order.data_ptr<std::int64_t>();
  return {numbers, numbers + count};
}

Environment part_of(const Environment& whole, std::string key, std::span<const std::int64_t> rows) {
  const torch::Tensor index =
      torch::tensor(c10::ArrayRef<std::int64_t>(rows.data(), rows.size()), torch::kLong);
  return {.key = std::move(key),
          .inputs = whole.inputs.index_select(0, index),
          .labels = whole.labels.index_select(0, index)};
}

}  // namespace

Digits domainbed_digits(const DomainBedMnistSpec& spec) {
  if (spec.folder.empty()) {
    const Store store = Store::from_environment();
    Digits train = stored_mnist(store, MnistSplit::train);
    return both_splits(std::move(train), stored_mnist(store, MnistSplit::test), store.root().string());
  }
  const auto read = [folder = fs::path(spec.folder)](const std::string& split) {
    const fs::path images = idx_file(folder, split + "-images-idx3-ubyte");
    return read_idx(images, idx_file(folder, split + "-labels-idx1-ubyte"));
  };
  Digits train = read("train");
  return both_splits(std::move(train), read("t10k"), spec.folder);
}

EnvironmentSet domainbed_mnist(const Digits& digits, const DomainBedMnistSpec& spec, std::uint64_t seed) {
  check_sizes(digits);
  validate(spec, digits.count);
  EnvironmentSet set{.name = spec.name,
                     .loss = TaskLoss::cross_entropy,
                     .outputs = classes_of(spec.variant),
                     .train = {},
                     .held_out = {}};
  const bool coloured = spec.variant == Variant::coloured;
  set.classes = coloured ? std::vector<std::string>{"5 to 9", "0 to 4"}
                         : std::vector<std::string>{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  set.input = form_of(
      DigitInput{.rows = digits.rows, .columns = digits.columns, .channels = coloured ? 2 : 1, .stride = 1});
  const bool as_domainbed = spec.draws == Draws::domainbed;
  // torch.manual_seed(seed) in DomainBed's train.py.
  const at::Generator generator = at::detail::createCPUGenerator(seed);
  const std::vector<std::int64_t> order =
      as_domainbed ? torch_permutation(digits.count, generator)
                   : Random(seed, "domainbed/order").permutation(static_cast<std::size_t>(digits.count));
  const std::vector<double> values = environment_values(spec.variant);
  for (std::size_t e = 0; e < values.size(); ++e) {
    const std::string number = std::to_string(e);
    std::vector<std::int64_t> chosen;
    for (std::size_t i = e; i < static_cast<std::size_t>(spec.digits); i += values.size()) {
      chosen.push_back(order[i]);
    }
    Flips flips;
    if (coloured && as_domainbed) {
      flips.labels = torch_bernoulli(chosen.size(), domainbed_label_noise, generator);
      flips.colours = torch_bernoulli(chosen.size(), values[e], generator);
    } else if (coloured) {
      flips = our_flips(chosen.size(), values[e], Random(seed, "domainbed/colour/" + number));
    }
    const Environment whole = environment_of(digits, chosen, spec.variant, values[e], flips);
    const std::vector<std::int64_t> rows =
        as_domainbed ? NumpyRandom(domainbed_seed("(" + std::to_string(seed) + ", " + number + ")"))
                           .permutation(chosen.size())
                     : Random(seed, "domainbed/split/" + number).permutation(chosen.size());
    const auto out_count = static_cast<std::size_t>(spec.holdout * static_cast<double>(rows.size()));
    const std::span all(rows);
    if (out_count == 0) {
      throw std::invalid_argument(
          "holdout: expected a share that holds out at least one digit of environment " + number +
          ", which has " + std::to_string(rows.size()) + ", got " + base::shown(spec.holdout));
    }
    Environment in = part_of(whole, "env" + number + "_in", all.subspan(out_count));
    Environment out = part_of(whole, "env" + number + "_out", all.first(out_count));
    in.test = std::find(spec.test_envs.begin(), spec.test_envs.end(), static_cast<std::int64_t>(e)) !=
              spec.test_envs.end();
    (in.test ? set.held_out : set.train).push_back(std::move(in));
    set.held_out.push_back(std::move(out));
  }
  return set;
}

std::vector<DatasetEntry> domainbed_mnist_entries() {
  const auto entry = [](Variant variant, std::string summary) {
    DomainBedMnistSpec spec = domainbed_mnist_preset(variant);
    spec.draws = Draws::domainbed;
    DatasetEntry made{.name = spec.name, .summary = std::move(summary)};
    made.options = base::Options::of(spec);
    made.protocol = domainbed_protocol.name;
    made.variant = digits_variant.name;
    made.in_domainbed = true;
    made.settings = domainbed_settings(/*batch=*/64, /*eval_every=*/100);
    made.metrics = {"accuracy", "worst_group"};
    made.environments = [](const base::Options& options) {
      return environment_names(options.as<DomainBedMnistSpec>());
    };
    made.test_environments = [](const base::Options& options) {
      return options.as<DomainBedMnistSpec>().test_envs;
    };
    made.check = [](const base::Options& options) { validate(options.as<DomainBedMnistSpec>()); };
    made.make = [](const base::Options& options, std::uint64_t seed) {
      const auto& chosen = options.as<DomainBedMnistSpec>();
      return domainbed_mnist(domainbed_digits(chosen), chosen, seed);
    };
    return made;
  };
  return {entry(Variant::coloured,
                "DomainBed's ColoredMNIST: 70,000 digits at 28x28 in three environments, +90%, +80%, -90%"),
          entry(Variant::rotated,
                "DomainBed's RotatedMNIST: the digits in six environments, rotated by 0 to 75 degrees")};
}

}  // namespace pair::data
