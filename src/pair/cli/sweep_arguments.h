#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "pair/cli/command.h"
#include "pair/sweep/jobs.h"

// Which sweep the subcommands of 'pair sweep' are about.

namespace pair::cli {

struct SweepArguments {
  std::string out;
  std::vector<std::string> datasets;
  std::vector<std::string> algorithms;
  std::optional<std::int64_t> n_hparams;
  std::optional<std::int64_t> n_trials;
  std::vector<std::string> test_envs;
  bool single_test_envs = false;
  std::string search;
  std::vector<runs::Override> shorthands;  // --steps, --device
  std::vector<std::string> set;
};

// What the options are for: to say what a sweep consists of, or which jobs of one that is there are meant.
enum class SweepOptions { define, filter };

// `arguments` must live as long as the command.
void add_sweep_options(CLI::App& command, SweepArguments& arguments,
                       SweepOptions options = SweepOptions::define);

// What the arguments define; nothing where none does, and what sweep.json says counts. Throws UsageError
// where they are not enough or cannot be used.
std::optional<sweep::Definition> definition_of(const SweepArguments& arguments);

// All jobs of the folder's sweep. Throws UsageError where it has none.
std::vector<sweep::Job> jobs_of(const SweepArguments& arguments);

// Those of them that are as the arguments say. Throws UsageError or std::invalid_argument where none is.
std::vector<sweep::Job> filtered_jobs_of(const SweepArguments& arguments);

// What calls work and makes a UsageError of settings that it refuses.
template <class Work>
auto with_usage_errors(Work work) {
  return [work] {
    try {
      work();
    } catch (const std::invalid_argument& error) {
      throw UsageError(error.what());
    }
  };
}

}  // namespace pair::cli
