#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pair/data/environment.h"
#include "pair/data/random.h"

// Data small enough for tests that train: a causal and a spurious input, as in ColoredMNIST.

namespace pair::train::testing {

inline data::Environment small_environment(std::uint64_t seed, double beta, std::int64_t samples) {
  data::Random random(seed, "small/" + std::to_string(beta));
  data::Environment environment;
  environment.inputs = torch::empty({samples, 4});
  environment.labels = torch::empty({samples});
  auto inputs = environment.inputs.accessor<float, 2>();
  auto labels = environment.labels.accessor<float, 1>();
  for (std::int64_t i = 0; i < samples; ++i) {
    const bool shape = random.bernoulli(0.5);
    const bool label = shape != random.bernoulli(0.25);
    const bool colour = label != random.bernoulli(beta);
    inputs[i][0] = static_cast<float>((shape ? 1.0 : -1.0) + 0.1 * random.normal());
    inputs[i][1] = static_cast<float>((colour ? 1.0 : -1.0) + 0.1 * random.normal());
    inputs[i][2] = static_cast<float>(random.normal());
    inputs[i][3] = 1.0F;
    labels[i] = label ? 1.0F : 0.0F;
  }
  return environment;
}

inline std::shared_ptr<data::EnvironmentSet> small_data(std::uint64_t seed = 0, std::int64_t samples = 200) {
  auto set = std::make_shared<data::EnvironmentSet>();
  set->name = "small";
  set->train = {small_environment(seed, 0.1, samples), small_environment(seed, 0.2, samples)};
  set->held_out = {small_environment(seed + 1, 0.9, samples)};
  return set;
}

// Images of two channels, one of which has a bright half that tells the label; which channel does not.
inline data::Environment small_pictures(std::uint64_t seed, double beta, std::int64_t samples) {
  data::Random random(seed, "pictures/" + std::to_string(beta));
  constexpr std::int64_t side = 10;
  data::Environment environment;
  environment.inputs = torch::zeros({samples, 2, side, side});
  environment.labels = torch::empty({samples}, torch::kLong);
  auto inputs = environment.inputs.accessor<float, 4>();
  for (std::int64_t i = 0; i < samples; ++i) {
    const bool shape = random.bernoulli(0.5);
    const bool label = shape != random.bernoulli(0.25);
    const std::int64_t channel = label != random.bernoulli(beta) ? 1 : 0;
    environment.labels[i] = label ? 1 : 0;
    for (std::int64_t y = 0; y < side; ++y) {
      for (std::int64_t x = 0; x < side; ++x) {
        const bool bright = shape ? y < side / 2 : x < side / 2;
        inputs[i][channel][y][x] = static_cast<float>((bright ? 0.8 : 0.1) + 0.05 * random.normal());
      }
    }
  }
  return environment;
}

inline std::shared_ptr<data::EnvironmentSet> small_picture_data(std::int64_t samples = 60) {
  auto set = std::make_shared<data::EnvironmentSet>();
  set->name = "pictures";
  set->loss = data::TaskLoss::cross_entropy;
  set->outputs = 2;
  set->train = {small_pictures(0, 0.1, samples), small_pictures(0, 0.2, samples)};
  set->held_out = {small_pictures(1, 0.9, samples)};
  return set;
}

// Samples 0, 1, 2, ... of environments of these sizes, one after the other.
inline std::vector<std::vector<std::size_t>> consecutive_samples(const std::vector<std::int64_t>& sizes) {
  std::vector<std::vector<std::size_t>> samples;
  std::size_t next = 0;
  for (const std::int64_t size : sizes) {
    samples.emplace_back();
    for (std::int64_t i = 0; i < size; ++i) {
      samples.back().push_back(next++);
    }
  }
  return samples;
}

}  // namespace pair::train::testing
