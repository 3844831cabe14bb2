#pragma once

#include <string>

#include "pair/cli/command.h"

namespace pair::cli {

// "camelyon17, civilcomments, fmow, iwildcam, poverty or rxrx1".
std::string wilds_names();

struct WildsArguments {
  std::string name;  // of the dataset
  std::string root;  // the folder that holds the dataset's folder
  std::string fold = "A";
  std::string environments = "paper";
  std::string split = {};
  bool json = false;
};

// pair data describe NAME --data-root DIR. Throws UsageError and std::invalid_argument.
void describe_wilds(const WildsArguments& arguments, Context& context);

// pair data samples and generate NAME --data-root DIR, for the datasets of WILDS.
void add_wilds_data(CLI::App& data_command, Context& context);

}  // namespace pair::cli
