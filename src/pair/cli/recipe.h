#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "pair/cli/command.h"
#include "pair/paper/table1.h"
#include "pair/sweep/many_runs.h"

// What the commands share that make a table or figure of the paper from runs.

namespace pair::cli {

struct RecipeArguments {
  std::vector<std::string> methods;
  std::string seeds;
  std::size_t jobs = 0;  // 0: as sweep::run_all has it
  std::string device = "cpu";
  bool tf32 = false;
  bool half = false;
  std::vector<std::string> set;
  std::string out = "runs/paper";
};

// --methods, or how else it is called (where there are some to choose from), --seeds (where there are some),
// --jobs, --device, --tf32, --half, --set and --out.
void add_recipe_options(CLI::App& command, const std::shared_ptr<RecipeArguments>& arguments,
                        const std::vector<std::string>& methods = {}, const std::string& option = "--methods",
                        bool seeds = true);

// --jobs N or auto, which is 0.
void add_jobs_option(CLI::App& command, std::size_t& jobs);

// "0-9" or "0,2,5-7". Throws UsageError.
std::vector<std::uint64_t> seeds_of(const std::string& text);

// --device, --tf32, --half and --set as settings. Throws UsageError.
paper::Overrides common_overrides(const RecipeArguments& arguments);

// Calls work with hooks that show progress on context.err and stop at the first Ctrl-C; says so where it was
// stopped, which work tells by its answer.
void run_recipe(Context& context, const std::function<bool(const sweep::ManyRunsHooks&)>& work);

// A line on context.err for every run that failed, and the status of a failure.
void report_failures(const sweep::ManyRuns& runs, Context& context);

}  // namespace pair::cli
