#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/cli/command.h"
#include "pair/runs/run_spec.h"

// The command line of 'pair train': its options, their help, and the values that were given.

namespace pair::cli {

struct TrainArguments {
  std::string spec;  // a file
  std::string data;  // a file or folder of the user's
  std::string dataset = "cmnist";
  bool dataset_given = false;
  std::string algorithm = "pair";
  base::Assignments overrides;   // from the options for single settings
  std::vector<std::string> set;  // from --set: key=value
  std::string out;
  bool tensorboard = false;
  bool no_model = false;
  bool json = false;
  bool quiet = false;
  std::int64_t ranks = 0;  // to start; 0: not given
};

// Adds the options and the help. `arguments` must outlive the command.
void add_train_options(CLI::App& command, TrainArguments& arguments);

// Checks the options as a whole, once the command has been parsed, and sets dataset_given. Throws UsageError
// if --ranks is not within its range, and if --spec has an option for settings next to it.
void check_train_options(const CLI::App& command, TrainArguments& arguments);

}  // namespace pair::cli
