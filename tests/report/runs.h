#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "tests/select/fixtures.h"

namespace pair::report::testing {

using select::testing::Scratch;

// A record as 'pair train' writes it, at `step` of 100, with two objectives and three environments.
inline nlohmann::json record(int step, const std::string& algorithm = "pair", int seed = 0,
                             double worst = 0.5) {
  const bool balance = step > 30;
  const double erm = step > 50 ? 0.1 : balance ? 0.8 : 1.0;
  return {{"step", step},
          {"args",
           {{"algorithm", algorithm},
            {"dataset", "cmnist"},
            {"seed", seed},
            {"trial_seed", seed},
            {"hparams_seed", 0},
            {"test_envs", {2}}}},
          {"hparams", {{"steps", 100}, {"lr", 0.001}}},
          {"losses", {{"erm", 1.0 / step}, {"irmv1", 0.1 / step}, {"vrex", 0.01}}},
          {"weights", {{"erm", erm}, {"irmv1", 1 - erm}, {"vrex", 0.0}}},
          {"phase", balance ? "balance" : "descent"},
          {"divergence", 0.25},
          {"feasible", true},
          {"lr", 0.001},
          {"restarts", step / 10},
          {"env0_in_acc", 0.9},
          {"env1_in_acc", 0.8},
          {"env2_out_acc", worst},
          {"worst_test_acc", worst}};
}

// Records at steps 1 to `count`; `worst` at all of them.
inline std::string records(int count, const std::string& algorithm = "pair", int seed = 0,
                           double worst = 0.5) {
  std::string text;
  for (int step = 1; step <= count; ++step) {
    text += record(step, algorithm, seed, worst).dump() + "\n";
  }
  return text;
}

}  // namespace pair::report::testing
