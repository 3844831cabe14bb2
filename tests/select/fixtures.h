#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "pair/select/history.h"
#include "tests/support/scratch.h"

namespace pair::select::testing {

using tests::Scratch;

// Writes the file, and the folders above it where they are missing.
void write(const std::filesystem::path& path, std::string_view text);

// A record of a run with three environments on ColoredMNIST.
struct Logged {
  std::int64_t step;
  std::vector<double> in;   // env{i}_in_acc
  std::vector<double> out;  // env{i}_out_acc
  std::vector<std::pair<std::string, double>> others = {};
};

// IRM on ColoredMNIST, trial 0.
Run make_run(std::string name, std::vector<int> test_envs, std::int64_t hparams_seed,
             const std::vector<Logged>& records);

// A record as DomainBed writes it, with its line's end.
std::string domainbed_line(std::string_view algorithm, int test_env, int hparams_seed, int step,
                           double accuracy);

}  // namespace pair::select::testing
