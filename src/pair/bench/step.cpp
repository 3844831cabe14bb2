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

struct StepArguments {
  int rounds = 15;
  std::int64_t threads = 1;
  std::int64_t digits = 50'000;
  bool json = false;
};

struct Method {
  const char* name;
  const char* algorithm;
  const char* gradients;
};
constexpr std::array step_methods = {Method{"erm", "erm", ""},      Method{"irmv1", "irmv1", ""},
                                     Method{"vrex", "vrex", ""},    Method{"irmx", "irmx", ""},
                                     Method{"pair_w", "pair", "w"}, Method{"pair_phi", "pair", "phi"},
                                     Method{"pair_f", "pair", "f"}};

void bench_step(const StepArguments& arguments, Context& context) {
  train::use_threads(arguments.threads);
  StepBench bench;
  runs::RunSpec spec;
  for (const Method& method : step_methods) {
    base::Assignments overrides = {{"pretrain", "0"}, {"train_digits", std::to_string(arguments.digits)}};
    if (*method.gradients != '\0') {
      overrides.emplace_back("gradients", method.gradients);
    }
    spec = runs::resolve("cmnist", method.algorithm, overrides);
    bench.methods.push_back({method.name, spec.settings, {}});
  }
  runs::DatasetCache datasets;
  bench_steps(datasets.get(spec.dataset, 0), arguments.rounds, bench, [&](int round) {
    context.err << "round " << round + 1 << " of " << arguments.rounds + 2 << '\n' << std::flush;
  });

  const double products = quantile(bench.products_ms, 0.5);
  const double erm = quantile(bench.methods.front().milliseconds, 0.5);
  nlohmann::ordered_json result;
  result["made"] = paper::provenance("cpu");
  result["threads"] = arguments.threads;
  result["train_digits"] = arguments.digits;
  result["rounds"] = arguments.rounds;
  result["products"] = {{"milliseconds", spread(bench.products_ms)},
                        {"operations", bench.operations},
                        {"gflops", bench.operations / products / 1e6}};
  result["erm_share_of_floor"] = products / erm;
  for (const StepTiming& method : bench.methods) {
    // Ratios per round: a slow moment of the machine affects both.
    std::vector<double> ratios;
    for (std::size_t i = 0; i < method.milliseconds.size(); ++i) {
      ratios.push_back(method.milliseconds[i] / bench.methods.front().milliseconds[i]);
    }
    result["steps"][method.name] = {{"milliseconds", spread(method.milliseconds)},
                                    {"over_erm", spread(ratios)}};
  }
  if (arguments.json) {
    context.out << result.dump(2) << '\n';
    return;
  }
  context.out << "One training step on ColoredMNIST, medians of " << arguments.rounds
              << " interleaved rounds\n\n";
  base::Rows rows;
  for (const auto& [name, timing] : result["steps"].items()) {
    rows.push_back({name, base::with_decimals(timing["milliseconds"]["median"], 1) + " ms",
                    base::with_decimals(timing["over_erm"]["median"], 2) + " x erm"});
  }
  context.out << base::aligned(rows, {.indent = "  ", .gap = 3, .left = 1})
              << "\n  erm's matrix products alone: " << base::with_decimals(products, 1) << " ms at "
              << base::with_decimals(bench.operations / products / 1e6, 0) << " GFLOP/s, "
              << base::with_decimals(100.0 * products / erm, 0) << "% of an erm step\n";
}

}  // namespace

void add_bench_step(CLI::App& bench, Context& context) {
  const auto arguments = std::make_shared<StepArguments>();
  CLI::App* command = bench.add_subcommand("step", "A training step of each method, and its lower bound");
  command->add_option("--rounds", arguments->rounds, "Steps of each method")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command->add_option("--threads", arguments->threads, "Threads per operation")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option("--digits", arguments->digits, "Training digits")
      ->check(CLI::Range(2, 50'000))
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Write the results as JSON");
  command->footer(
      "Example:\n"
      "  pair bench step --json");
  command->callback([arguments, &context] { bench_step(*arguments, context); });
}

}  // namespace pair::bench
