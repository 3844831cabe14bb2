#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/cli/command.h"
#include "pair/sweep/jobs.h"

// Identifies the sweep of the subcommands of 'pair sweep'.

namespace pair::cli {

struct SweepArguments {
  std::string out;
  std::string data;  // a file or folder of the user's, in place of a dataset
  std::vector<std::string> datasets;
  std::vector<std::string> algorithms;
  std::optional<std::int64_t> n_hparams;
  std::optional<std::int64_t> n_trials;
  std::vector<std::string> test_envs;  // sets of numbers or names; "each": every environment alone
  bool single_test_envs = false;
  std::string search;
  base::Assignments shorthands;  // --steps, --device
  std::vector<std::string> set;
};

// The purpose of the options: to define a sweep, or to select jobs of an existing one.
enum class SweepOptions { define, filter };

// The folder of an existing sweep: DIR or --out. `out` must outlive the command.
void add_sweep_folder(CLI::App& command, std::string& out);
// Throws UsageError if neither was given.
void check_sweep_folder(const std::string& out);

// `arguments` must outlive the command.
void add_sweep_options(CLI::App& command, SweepArguments& arguments,
                       SweepOptions options = SweepOptions::define);

// The definition given by the arguments; none if they do not define one, and sweep.json is used. Throws
// UsageError if they are incomplete or invalid.
std::optional<sweep::Definition> definition_of(const SweepArguments& arguments);

// All jobs of the folder's sweep. Throws UsageError if it has none.
std::vector<sweep::Job> jobs_of(const SweepArguments& arguments);

// The jobs that match the arguments. Throws UsageError or std::invalid_argument if there are none.
std::vector<sweep::Job> filtered_jobs_of(const SweepArguments& arguments);

}  // namespace pair::cli
