#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pair/data/environment.h"
#include "pair/train/settings.h"

// How long a training step takes, method by method, against what the machine's matrix products allow.

namespace pair::bench {

struct StepTiming {
  std::string name;
  train::Settings settings;
  std::vector<double> milliseconds;  // one a round
};

struct StepBench {
  std::vector<StepTiming> methods;
  double operations = 0.0;          // floating-point operations of an ERM step's matrix products
  std::vector<double> products_ms;  // time of those products alone, one a round
};

// Takes `rounds` steps of every method, in turn, so that a slow moment of the machine hits all alike. The
// first two rounds warm up and do not count. methods come with their timings empty; their featurizer must
// be an MLP.
void bench_steps(const std::shared_ptr<const data::EnvironmentSet>& data, int rounds, StepBench& bench,
                 const std::function<void(int round)>& progress);

}  // namespace pair::bench
