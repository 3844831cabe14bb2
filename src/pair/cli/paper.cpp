#include "pair/cli/paper.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <memory>
#include <ostream>
#include <string>
#include <thread>
#include <vector>

#include "pair/cli/many_runs_display.h"
#include "pair/cli/train_interrupt.h"
#include "pair/paper/table1.h"

namespace pair::cli {
namespace {

struct Arguments {
  std::vector<std::string> methods;
  std::string seeds;
  std::size_t jobs = 0;
  std::string device = "cpu";
  bool tf32 = false;
  std::vector<std::string> set;
  std::string out = "runs/paper";
  std::string format = "text";
  std::string save;
};

std::uint64_t whole_number(const std::string& text, const std::string& all) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    throw UsageError("--seeds is '" + all + "'; accepted are numbers and ranges, such as 0-9 or 0,2,5-7");
  }
  return value;
}

std::vector<std::uint64_t> seeds_of(const std::string& text) {
  constexpr std::uint64_t most = 10'000;
  std::vector<std::uint64_t> seeds;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    const std::string part = text.substr(start, comma - start);
    const std::size_t dash = part.find('-');
    const std::uint64_t first = whole_number(part.substr(0, dash), text);
    const std::uint64_t last = dash == std::string::npos ? first : whole_number(part.substr(dash + 1), text);
    if (last < first || last - first >= most) {
      throw UsageError("--seeds has the range '" + part +
                       "'; accepted are rising ranges of up to 10000 seeds");
    }
    for (std::uint64_t seed = first; seed <= last; ++seed) {
      seeds.push_back(seed);
    }
    start = comma + 1;
  }
  return seeds;
}

paper::Overrides common_overrides(const Arguments& arguments) {
  paper::Overrides overrides = {{"device", arguments.device}};
  if (arguments.tf32) {
    overrides.emplace_back("tf32", "true");
  }
  for (const std::string& text : arguments.set) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      throw UsageError("--set has '" + text + "'; accepted are key=value pairs, such as steps=100");
    }
    overrides.emplace_back(text.substr(0, equals), text.substr(equals + 1));
  }
  return overrides;
}

void run_table(const paper::Table& table, const std::vector<std::uint64_t>& seeds, const Arguments& arguments,
               Context& context) {
  ManyRunsDisplay display(context.err);
  const Interrupt interrupt;
  sweep::ManyRunsHooks hooks;
  hooks.progress = [&](const sweep::ManyRunsProgress& progress) { display.show(progress); };
  hooks.should_stop = [&] { return interrupt.signal() != 0; };
  const std::size_t jobs =
      arguments.jobs > 0 ? arguments.jobs : std::max(1U, std::thread::hardware_concurrency());
  const std::vector<runs::RunSpec> specs = paper::specs_of(table);
  const sweep::ManyRuns runs = sweep::run_all(specs, arguments.out, jobs, hooks);
  display.end();
  if (runs.stopped) {
    context.err << "Stopped; the same command goes on from there\n";
    context.status = 128 + interrupt.signal();
    return;
  }
  nlohmann::json result = paper::result_json(table, runs, seeds);
  result["made"] = paper::provenance(arguments.device);
  if (!arguments.save.empty()) {
    std::ofstream file(arguments.save);
    file << result.dump(1) << '\n';
    if (!file.flush()) {
      throw std::runtime_error("'" + arguments.save + "' could not be written");
    }
  }
  if (arguments.format == "json") {
    context.out << result.dump(1) << '\n';
  } else if (arguments.format == "markdown") {
    context.out << paper::as_markdown(result);
  } else {
    context.out << paper::as_text(result) << "\nRecords in " << arguments.out << '\n';
  }
  flush(context.out);
  for (const sweep::RunOutcome& outcome : runs.outcomes) {
    if (!outcome.error.empty()) {
      context.err << "pair: a run failed: " << outcome.error << '\n';
      context.status = exit_failure;
    }
  }
}

// Options that every recipe of runs has.
void add_options(CLI::App& command, const std::shared_ptr<Arguments>& arguments) {
  command.add_option("--seeds", arguments->seeds, "Numbers and ranges, such as 0-9 or 0,2,5-7")
      ->capture_default_str();
  command.add_option("--jobs", arguments->jobs, "Runs at once (default: one a processor)")
      ->check(CLI::Range(1, 1024));
  command.add_option("--device", arguments->device, "cpu, cuda or cuda:N")->capture_default_str();
  command.add_flag("--tf32", arguments->tf32, "Matrix products in TF32, on CUDA devices");
  command.add_option("--set", arguments->set,
                     "A setting of every run as key=value; see 'pair list settings'");
  command.add_option("--out", arguments->out, "Where the runs go")->capture_default_str();
  command.add_option("--format", arguments->format, "text, markdown or json")
      ->check(CLI::IsMember({"text", "markdown", "json"}))
      ->capture_default_str();
  command.add_option("--save", arguments->save,
                     "Also write the figures, with machine and versions, to this file");
}

template <class MakeTable>
void add_recipe(CLI::App& command, const std::shared_ptr<Arguments>& arguments, Context& context,
                MakeTable make) {
  command.callback([arguments, &context, make] {
    try {
      const std::vector<std::uint64_t> seeds = seeds_of(arguments->seeds);
      run_table(make(seeds, common_overrides(*arguments)), seeds, *arguments, context);
    } catch (const std::invalid_argument& error) {
      throw UsageError(error.what());
    }
  });
}

}  // namespace

void add_paper(CLI::App& app, Context& context) {
  CLI::App* paper = app.add_subcommand("paper", "Make a table of the paper, from its runs to its figures");
  paper->require_subcommand(1);
  paper->footer(
      "Finished runs are read, not repeated; Ctrl-C stops cleanly and the same command goes on.\n\n"
      "Example:\n"
      "  pair paper table1 --methods erm,pair_w --seeds 0-2");

  const auto table1 = std::make_shared<Arguments>();
  table1->seeds = "0-9";
  CLI::App* command =
      paper->add_subcommand("table1", "ColoredMNIST: ERM, IRMv1, V-REx, IRMX, PAIR-o, oracle");
  std::string known;
  for (const std::string& method : paper::table1_methods()) {
    known += (known.empty() ? "" : ", ") + method;
  }
  command->add_option("--methods", table1->methods, "Of " + known + " (default: all)")->delimiter(',');
  add_options(*command, table1);
  command->footer(
      "Ten seeds of all methods take hours on two processors and minutes on a GPU.\n\n"
      "Example:\n"
      "  pair paper table1 --methods erm,pair_w --seeds 0-2\n"
      "  pair paper table1 --device cuda --jobs 4 --save docs/results/table1.json");
  add_recipe(*command, table1, context, [table1](const auto& seeds, const auto& common) {
    return paper::table1(table1->methods, seeds, common);
  });

  const auto robust = std::make_shared<Arguments>();
  robust->seeds = "0-4";
  command = paper->add_subcommand("robustness",
                                  "PAIR-o's guarded and plain step over learning rates and pretraining");
  add_options(*command, robust);
  command->footer(
      "Example:\n"
      "  pair paper robustness --device cuda --jobs 4 --format markdown");
  add_recipe(*command, robust, context,
             [](const auto& seeds, const auto& common) { return paper::robustness(seeds, common); });
}

}  // namespace pair::cli
