#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/bench/bench.h"
#include "pair/bench/domainbed_python.h"
#include "pair/bench/pictures.h"
#include "pair/bench/python_child.h"
#include "pair/bench/spread.h"
#include "pair/bench/step_time.h"
#include "pair/data/random.h"
#include "pair/models/model.h"
#include "pair/models/registry.h"
#include "pair/paper/provenance.h"
#include "pair/runs/run_spec.h"
#include "pair/train/threads.h"
#include "pair/train/trainer.h"

namespace pair::bench {
namespace {

struct DomainBedArguments {
  int rounds = 15;
  int steps = 3;
  std::int64_t batch = 64;
  std::int64_t threads = 1;
  std::string python = "python3";
  bool json = false;
};

std::int64_t our_parameters(const train::Settings& settings) {
  const models::ModelInput input{.size = std::int64_t{2} * 28 * 28, .shape = {2, 28, 28}, .outputs = 2};
  data::Random random(0, "model");
  std::int64_t count = 0;
  for (const torch::Tensor& parameter :
       models::make_model(settings.model, settings.model_options, input, random)->parameters()) {
    count += parameter.numel();
  }
  return count;
}

void bench_domainbed(const DomainBedArguments& arguments, Context& context) {
  const std::unique_ptr<PythonChild> python =
      PythonChild::start(arguments.python, domainbed_python,
                         {std::to_string(arguments.threads), std::to_string(arguments.batch)});
  const std::string without = "not measured: '" + arguments.python +
                              " -c \"import torch\"' fails (--python names another; on Debian the package is "
                              "python3-torch)";
  if (!python) {
    context.err << "pair: python " << without << '\n' << std::flush;  // before the long measurement
  }
  train::use_threads(arguments.threads);
  train::Settings settings = runs::resolve("ColoredMNIST", "erm").settings;
  settings.batch = arguments.batch;
  train::Trainer trainer(domainbed_pictures(2, 1024), settings, 0);

  std::vector<double> ours;
  std::vector<double> theirs;
  std::vector<double> ratios;
  constexpr int warm_up = 1;
  for (int round = 0; round < arguments.rounds + warm_up; ++round) {
    context.err << "round " << round + 1 << " of " << arguments.rounds + warm_up << '\n' << std::flush;
    const double mine = milliseconds_per_step(trainer, arguments.steps, torch::kCPU);
    const double other =
        python ? 1e3 * python->ask_number(std::to_string(arguments.steps)) / arguments.steps : 0.0;
    if (round < warm_up) {
      continue;
    }
    ours.push_back(mine);
    if (python) {
      theirs.push_back(other);
      // Per round: a slow moment of the machine affects both.
      ratios.push_back(other / mine);
    }
  }

  nlohmann::ordered_json result;
  result["made"] = paper::provenance("cpu");
  result["threads"] = arguments.threads;
  result["batch"] = arguments.batch;
  result["rounds"] = arguments.rounds;
  result["steps_a_round"] = arguments.steps;
  result["ours"] = {{"milliseconds", median(ours)}, {"parameters", our_parameters(settings)}};
  result["python"] = nullptr;
  result["speedup"] = nullptr;
  std::string torch_version;
  if (python) {
    std::int64_t parameters = 0;
    std::istringstream(python->greeting()) >> torch_version >> parameters;
    result["python"] = {
        {"milliseconds", median(theirs)}, {"parameters", parameters}, {"torch", torch_version}};
    result["speedup"] = median(ratios);
  } else {
    result["python_missing"] = without;
  }
  if (arguments.json) {
    context.out << result.dump(2) << '\n';
    return;
  }
  context.out << "One ERM step of DomainBed's network for digits, two environments of " << arguments.batch
              << " samples; medians of " << arguments.rounds << " rounds\n\n";
  const auto time = [](const std::vector<double>& milliseconds) {
    return base::with_decimals(median(milliseconds), 1) + " ms";
  };
  base::Rows rows{{"pair", time(ours), ""}};
  if (python) {
    rows.push_back({"python", time(theirs), "torch " + torch_version + " by hand"});
  }
  context.out << base::aligned(rows, {.indent = "  ", .left = 1, .least = std::string_view("python").size()});
  if (python) {
    context.out << "\n  pair is " << base::with_decimals(median(ratios), 2) << " x as fast\n";
  } else {
    context.out << "  python  " << without << '\n';
  }
}

}  // namespace

void add_bench_domainbed(CLI::App& bench, Context& context) {
  const auto arguments = std::make_shared<DomainBedArguments>();
  CLI::App* command =
      bench.add_subcommand("domainbed", "DomainBed's network: an ERM step, against one in Python");
  command->add_option("--rounds", arguments->rounds, "Rounds, alternating between pair and Python")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command->add_option("--steps", arguments->steps, "Steps per round")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command->add_option("--batch", arguments->batch, "Samples per environment")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option("--threads", arguments->threads, "Threads per operation")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option("--python", arguments->python, "A Python with torch")->capture_default_str();
  command->add_flag("--json", arguments->json, "Write the results as JSON");
  command->footer(
      "Example:\n"
      "  pair bench domainbed --python /usr/bin/python3 --json");
  command->callback([arguments, &context] { bench_domainbed(*arguments, context); });
}

}  // namespace pair::bench
