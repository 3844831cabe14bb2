#include <array>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/bench/bench.h"
#include "pair/bench/spread.h"
#include "pair/bench/train_steps.h"
#include "pair/paper/provenance.h"
#include "pair/runs/dataset_cache.h"
#include "pair/runs/run_spec.h"
#include "pair/train/threads.h"

namespace pair::bench {
namespace {

struct ExtrapolationArguments {
  int rounds = 1'000;
  bool json = false;
};

constexpr std::array methods = {"erm", "irmv1", "vrex", "irmx", "pair"};

std::vector<double> scaled(std::vector<double> values, double factor) {
  for (double& value : values) {
    value *= factor;
  }
  return values;
}

void bench(const ExtrapolationArguments& arguments, Context& context) {
  train::use_threads(1);
  StepBench bench;
  runs::RunSpec spec;
  for (const char* method : methods) {
    const base::Assignments overrides = {{"pretrain", "0"}};
    spec = runs::resolve("extrapolation-uniform", method, overrides);
    bench.methods.push_back({method, spec.settings, {}});
  }
  runs::DatasetCache datasets;
  bench_steps(datasets.get(spec.dataset, 0), arguments.rounds, bench, [&](int round) {
    if (round % 250 == 0) {
      context.err << "round " << round << " of " << arguments.rounds << '\n' << std::flush;
    }
  });

  constexpr double microseconds = 1e3;  // per millisecond
  const double products = microseconds * quantile(bench.products_ms, 0.5);
  nlohmann::ordered_json result;
  result["made"] = paper::provenance("cpu");
  result["threads"] = 1;
  result["rounds"] = arguments.rounds;
  result["steps_a_run"] = spec.settings.steps;
  result["products"] = {{"microseconds", spread(scaled(bench.products_ms, microseconds))},
                        {"operations", bench.operations},
                        {"gflops", bench.operations / products / 1e3}};
  for (const StepTiming& method : bench.methods) {
    const double median = quantile(method.milliseconds, 0.5);
    result["steps"][method.name] = {{"microseconds", spread(scaled(method.milliseconds, microseconds))},
                                    {"share_of_floor", products / (microseconds * median)},
                                    {"run_seconds", median * static_cast<double>(spec.settings.steps) / 1e3}};
  }
  if (arguments.json) {
    context.out << result.dump(2) << '\n';
    return;
  }
  context.out << "Time of a training step on the extrapolation example with one thread: median of "
              << arguments.rounds << " interleaved rounds\n\n";
  base::Rows rows;
  for (const auto& [name, timing] : result["steps"].items()) {
    rows.push_back({name, base::with_decimals(timing["microseconds"]["median"], 0) + " us",
                    std::to_string(spec.settings.steps) + " steps:",
                    base::with_decimals(timing["run_seconds"], 0) + " s"});
  }
  context.out << base::aligned(rows, {.indent = "  ", .left = 1})
              << "\n  the matrix products of a step alone: " << base::with_decimals(products, 0) << " us at "
              << base::with_decimals(bench.operations / products / 1e3, 0) << " GFLOP/s\n";
}

}  // namespace

void add_bench_extrapolation(CLI::App& bench_group, Context& context) {
  const auto arguments = std::make_shared<ExtrapolationArguments>();
  CLI::App* command =
      bench_group.add_subcommand("extrapolation", "A training step on the extrapolation example");
  command->add_option("--rounds", arguments->rounds, "Steps of each method")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Write the results as JSON");
  command->footer(
      "Example:\n"
      "  pair bench extrapolation --json");
  command->callback([arguments, &context] { bench(*arguments, context); });
}

}  // namespace pair::bench
