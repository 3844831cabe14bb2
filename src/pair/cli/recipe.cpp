#include "pair/cli/recipe.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <ostream>

#include "pair/base/names.h"
#include "pair/base/options.h"
#include "pair/base/tables.h"
#include "pair/cli/many_runs_display.h"
#include "pair/cli/parse_errors.h"
#include "pair/cli/set_option.h"
#include "pair/cli/train_data.h"
#include "pair/cli/train_interrupt.h"

namespace pair::cli {
namespace {

std::uint64_t seed_in(const std::string& text, const std::string& all) {
  const std::optional<base::Value> value = base::parse_whole(text);
  if (value && std::holds_alternative<std::uint64_t>(*value)) {
    return std::get<std::uint64_t>(*value);
  }
  if (!value || std::get<std::int64_t>(*value) < 0) {
    throw UsageError("--seeds: expected numbers and ranges, such as 0-9 or 0,2,5-7, got '" + all + "'");
  }
  return static_cast<std::uint64_t>(std::get<std::int64_t>(*value));
}

}  // namespace

void add_recipe_options(CLI::App& command, const std::shared_ptr<RecipeArguments>& arguments,
                        const std::vector<std::string>& methods, const std::string& option, bool seeds,
                        bool half) {
  if (!methods.empty()) {
    command.add_option(option, arguments->methods, "Any of " + base::joined(methods) + " (default: all)")
        ->delimiter(',');
  }
  if (seeds) {
    command.add_option("--seeds", arguments->seeds, "Numbers and ranges, such as 0-9 or 0,2,5-7")
        ->capture_default_str();
  }
  add_jobs_option(command, arguments->jobs);
  command.add_option("--device", arguments->device, "cpu, cuda or cuda:N")->capture_default_str();
  command.add_option(
      "--precision", arguments->precision,
      "Arithmetic of the steps: fp32 (default), tf32 (on CUDA devices) or bf16 (mixed precision)");
  command.add_flag("--tf32", arguments->tf32, "The same as --precision tf32");
  if (half) {
    command.add_flag("--half", arguments->half,
                     "Steps of mnist_cnn in fp16, by its own kernels on CUDA devices");
  } else {
    // Not unknown: for an unknown option that is a setting, '--set half=true' would be suggested.
    command
        .add_flag_callback(
            "--half",
            [name = command.get_name()] {
              throw UsageError("--half does not apply to 'pair paper " + name +
                               "'; it belongs to the model mnist_cnn, which its runs do not have");
            })
        ->group("");
  }
  command
      .add_option("--set", arguments->set, "A setting of every run as key=value; see 'pair list settings'")
      ->type_name(setting_type);
  command.add_option("--out", arguments->out, "Folder for the runs")->capture_default_str();
}

void add_jobs_option(CLI::App& command, std::size_t& jobs) {
  const CLI::Range range(1, 1024);
  command
      .add_option("--jobs,--concurrent-runs", jobs,
                  "Concurrent runs, or auto (default): one run per core; on a GPU, tuned automatically")
      ->transform(CLI::Validator(
          [range](std::string& text) {
            if (text == "auto") {
              text = "0";
              return std::string();
            }
            return range(text).empty() ? ""
                                       : "expected auto or an integer from 1 to 1024, got '" + text + "'";
          },
          "auto or 1 to 1024"));
}

std::vector<std::uint64_t> seeds_of(const std::string& text) {
  constexpr std::uint64_t most = 10'000;
  std::vector<std::uint64_t> seeds;
  for (const std::string& part : base::comma_separated(text)) {
    const std::size_t dash = part.find('-');
    const std::uint64_t first = seed_in(part.substr(0, dash), text);
    const std::uint64_t last = dash == std::string::npos ? first : seed_in(part.substr(dash + 1), text);
    if (last < first || last - first >= most) {
      throw UsageError("--seeds: expected increasing ranges of up to 10000 seeds, got '" + part + "'");
    }
    for (std::uint64_t seed = first; seed <= last; ++seed) {
      seeds.push_back(seed);
    }
  }
  return seeds;
}

base::Assignments typed_overrides(const RecipeArguments& arguments) {
  base::Assignments overrides = {{"device", arguments.device}};
  if (!arguments.precision.empty()) {
    overrides.emplace_back("precision", arguments.precision);
  }
  if (arguments.tf32) {
    overrides.emplace_back("tf32", "true");
  }
  if (arguments.half) {
    overrides.emplace_back("half", "true");
  }
  append_set_option(arguments.set, overrides);
  return overrides;
}

base::Assignments common_overrides(const RecipeArguments& arguments, const base::Assignments& own) {
  base::Assignments overrides = typed_overrides(arguments);
  overrides.insert(overrides.end(), own.begin(), own.end());
  complete_paths(overrides);
  return overrides;
}

std::vector<std::string> changed_settings(const RecipeArguments& arguments) {
  constexpr std::array<std::string_view, 7> technical = {
      "threads", "device", "checkpoint_every", "keep_checkpoints", "precision", "tf32", "half"};
  std::vector<std::string> changed = arguments.set;
  std::erase_if(changed, [&technical](const std::string& text) {
    return std::find(technical.begin(), technical.end(), text.substr(0, text.find('='))) != technical.end();
  });
  return changed;
}

void mark_changed(const RecipeArguments& arguments, nlohmann::json& result) {
  if (const std::vector<std::string> changed = changed_settings(arguments); !changed.empty()) {
    result["changed_settings"] = changed;
  }
}

void run_recipe(Context& context, const std::function<bool(const sweep::ManyRunsHooks&)>& work) {
  ManyRunsDisplay display(context.err);
  const Interrupt interrupt;
  sweep::ManyRunsHooks hooks;
  hooks.progress = [&](const sweep::ManyRunsProgress& progress) { display.show(progress); };
  hooks.notice = [&](std::string_view sentence) { display.say(sentence); };
  hooks.should_stop = [&] { return interrupt.signal() != 0; };
  const bool finished = work(hooks);
  display.end();
  if (!finished) {
    context.err << "Stopped; the same command continues from there\n";
    context.status = 128 + interrupt.signal();
  }
}

void report_failures(const sweep::ManyRuns& runs, Context& context) {
  for (const sweep::Failure& failure : sweep::failures_of(runs)) {
    context.err << "pair: " << base::printable(sweep::text_of(failure)) << '\n';
    context.status = exit_failure;
  }
}

}  // namespace pair::cli
