#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pair/cli/command.h"

namespace pair::cli {

// pair select DIR...: what PAIR-s and DomainBed's criteria choose from a sweep, and the tables that follow.
void add_select(CLI::App& app, Context& context);

// The options of 'pair select' but for the folders. 'pair sweep collect' has them too, with options of its
// own for what counts.
struct SelectArguments {
  std::vector<std::string> datasets;    // that count; none named: all
  std::vector<std::string> algorithms;  // likewise
  std::string criterion = "all";
  std::string validation;
  std::string preference = "auto";
  std::optional<std::int64_t> skip;
  std::optional<std::int64_t> last;
  double percentile = 0.5;
  std::vector<std::string> losses;
  bool with_sign = false;
  std::string across = "paper";
  std::string format = "text";
  bool explain = false;
};

// `arguments` must live as long as the command.
void add_select_options(CLI::App& command, SelectArguments& arguments);

// Reads the runs and writes what was chosen to context.out, what was left out to context.err. Throws
// UsageError and std::invalid_argument for arguments that cannot be used, or folders without any run.
void run_select(std::span<const std::filesystem::path> folders, const SelectArguments& arguments,
                Context& context);

}  // namespace pair::cli
