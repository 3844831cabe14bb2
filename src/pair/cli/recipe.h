#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/cli/command.h"
#include "pair/sweep/many_runs.h"

// Common parts of the commands that make a table or figure of the paper from runs.

namespace pair::cli {

struct RecipeArguments {
  std::vector<std::string> methods;
  std::string seeds;
  std::size_t jobs = 0;  // 0: automatic, as in sweep::run_all
  std::string device = "cpu";
  std::string precision = {};
  bool tf32 = false;
  bool half = false;
  std::vector<std::string> set;
  std::string out = "runs/paper";
};

// Adds --methods, or the given names (if there are methods to choose from), --seeds (if there are any),
// --jobs, --device, --precision, --tf32, --half (for runs of mnist_cnn; otherwise it is refused), --set and
// --out.
void add_recipe_options(CLI::App& command, const std::shared_ptr<RecipeArguments>& arguments,
                        const std::vector<std::string>& methods = {}, const std::string& option = "--methods",
                        bool seeds = true, bool half = false);

// --jobs N or auto (0).
void add_jobs_option(CLI::App& command, std::size_t& jobs);

// "0-9" or "0,2,5-7". Throws UsageError.
std::vector<std::uint64_t> seeds_of(const std::string& text);

// --device, --precision, --tf32, --half and --set as settings. Throws UsageError for what is not NAME=VALUE.
base::Assignments typed_overrides(const RecipeArguments& arguments);

// The same, then those of the command's own options, which win, and the digests of files (complete_paths). Throws
// UsageError.
base::Assignments common_overrides(const RecipeArguments& arguments, const base::Assignments& own = {});

// The paper's settings that --set changes, as key=value; settings of the computation (threads, device) do not
// count.
std::vector<std::string> changed_settings(const RecipeArguments& arguments);

// Marks a result as not the paper's: "changed_settings" lists what --set changed. Does nothing if nothing was
// changed.
void mark_changed(const RecipeArguments& arguments, nlohmann::json& result);

// Calls work with hooks that show progress on context.err and stop at the first Ctrl-C. Work returns false if
// it was stopped, which is then reported.
void run_recipe(Context& context, const std::function<bool(const sweep::ManyRunsHooks&)>& work);

// Prints a line on context.err for every reason for which runs failed, and sets the exit status.
void report_failures(const sweep::ManyRuns& runs, Context& context);

}  // namespace pair::cli
