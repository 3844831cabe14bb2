#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pair/data/environment.h"
#include "pair/train/settings.h"

// The time of a training step per method, compared with the machine's matrix products.

namespace pair::bench {

struct StepTiming {
  std::string name;
  train::Settings settings;
  std::vector<double> milliseconds;  // one per round
};

struct StepBench {
  std::vector<StepTiming> methods;
  double operations = 0.0;          // floating-point operations of an ERM step's matrix products
  std::vector<double> products_ms;  // time of those products alone, one per round
};

// Takes `rounds` steps of every method, interleaved, so that a slow moment of the machine affects all. The
// first two rounds are a warm-up and do not count. `methods` must have empty timings and an MLP as
// featurizer.
void bench_steps(const std::shared_ptr<const data::EnvironmentSet>& data, int rounds, StepBench& bench,
                 const std::function<void(int round)>& progress);

}  // namespace pair::bench
