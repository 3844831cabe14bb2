#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/bench/bench.h"
#include "pair/bench/measure.h"
#include "pair/bench/spread.h"
#include "pair/cli/train_ranks.h"
#include "pair/runs/dataset_cache.h"
#include "pair/runs/run_spec.h"
#include "pair/train/threads.h"
#include "pair/train/trainer.h"

// A step on two processes of one thread each, in turn with the same step on one process: with one thread,
// whose half is the ideal of two processes, and with two threads.

namespace pair::bench {
namespace {

struct RanksArguments {
  int rounds = 15;
  std::int64_t digits = 50'000;
  std::string algorithm = "pair";
  bool json = false;
};

struct StepTime {
  double wall_ms = 0.0;
  double cpu_ms = 0.0;  // of all threads of this process
};

StepTime timed_step(train::Trainer& trainer) {
  const double cpu = cpu_seconds();
  const auto start = std::chrono::steady_clock::now();
  trainer.advance();
  const std::chrono::duration<double, std::milli> wall = std::chrono::steady_clock::now() - start;
  return {wall.count(), 1e3 * (cpu_seconds() - cpu)};
}

// Waits for the other ranks. Returns the largest of their numbers.
double largest_of(const train::Ranks& ranks, double number) {
  return ranks.gathered(torch::full({1}, number, torch::kDouble)).max().item<double>();
}

struct RanksTimes {
  std::vector<double> alone, alone_cpu, threads, together, together_cpu;  // ms, one per round
};

RanksTimes measure_ranks(const RanksArguments& arguments, const train::Ranks& ranks, std::ostream& err) {
  train::use_threads(1);
  const runs::RunSpec spec =
      runs::resolve("cmnist", arguments.algorithm,
                    base::Assignments{{"pretrain", "0"}, {"train_digits", std::to_string(arguments.digits)}});
  runs::DatasetCache datasets;
  const auto data = datasets.get(spec.dataset, 0);
  train::Trainer one(data, spec.settings, 0);
  train::Trainer both(data, spec.settings, 0, torch::kCPU, ranks);
  RanksTimes times;
  constexpr int warm_up = 2;
  for (int round = -warm_up; round < arguments.rounds; ++round) {
    StepTime alone;
    StepTime with_threads;
    if (ranks.rank() == 0) {
      err << "round " << round + warm_up + 1 << " of " << arguments.rounds + warm_up << '\n' << std::flush;
      alone = timed_step(one);
      train::use_threads(2);
      with_threads = timed_step(one);
      train::use_threads(1);
    }
    (void)largest_of(ranks, 0.0);
    const StepTime together = timed_step(both);
    const double wall = largest_of(ranks, together.wall_ms);
    const double cpu = largest_of(ranks, together.cpu_ms);
    if (round >= 0) {
      times.alone.push_back(alone.wall_ms);
      times.alone_cpu.push_back(alone.cpu_ms);
      times.threads.push_back(with_threads.wall_ms);
      times.together.push_back(wall);
      times.together_cpu.push_back(cpu);
    }
  }
  return times;
}

// The ideal, half of one process's time, over the time of two, round by round.
std::vector<double> shares_of_ideal(const std::vector<double>& one, const std::vector<double>& two) {
  std::vector<double> shares;
  for (std::size_t i = 0; i < one.size(); ++i) {
    shares.push_back(0.5 * one[i] / two[i]);
  }
  return shares;
}

void bench_ranks(const RanksArguments& arguments, Context& context) {
  cli::TrainRanks started(2, context.arguments);
  const RanksTimes times = measure_ranks(arguments, started.ranks(), context.err);
  if (started.ranks().rank() > 0) {
    return;
  }
  const std::vector<double> wall = shares_of_ideal(times.alone, times.together);
  const std::vector<double> cpu = shares_of_ideal(times.alone_cpu, times.together_cpu);
  if (arguments.json) {
    context.out << nlohmann::ordered_json{{"algorithm", arguments.algorithm},
                                          {"train_digits", arguments.digits},
                                          {"rounds", arguments.rounds},
                                          {"one_process_ms", spread(times.alone)},
                                          {"one_process_two_threads_ms", spread(times.threads)},
                                          {"two_ranks_ms", spread(times.together)},
                                          {"share_of_ideal", spread(wall)},
                                          {"share_of_ideal_by_cpu_time", spread(cpu)}}
                       .dump(2)
                << '\n';
    return;
  }
  const auto time = [](const std::vector<double>& milliseconds) {
    return base::with_decimals(median(milliseconds), 1) + " ms";
  };
  context.out << "A step of " << arguments.algorithm << " on ColoredMNIST, medians of " << arguments.rounds
              << " interleaved rounds\n\n"
              << base::aligned({{"one process, one thread", time(times.alone)},
                                {"one process, two threads", time(times.threads)},
                                {"two ranks, one thread each", time(times.together)},
                                {"share of the ideal (aim: 0.85)", base::with_decimals(median(wall), 2)},
                                {"the same by CPU time", base::with_decimals(median(cpu), 2)}},
                               {.indent = "  ", .left = 1});
}

}  // namespace

void add_bench_ranks(CLI::App& bench, Context& context) {
  const auto arguments = std::make_shared<RanksArguments>();
  CLI::App* command = bench.add_subcommand("ranks", "A training step on two processes, compared with one");
  command->add_option("--rounds", arguments->rounds, "Steps of each kind")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command->add_option("--digits", arguments->digits, "Training digits")
      ->check(CLI::Range(4, 50'000))
      ->capture_default_str();
  command->add_option("--algorithm", arguments->algorithm, "See 'pair list algorithms'")
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Write the results as JSON");
  command->footer(
      "On a machine with other work, compare the CPU times: they do not include waiting.\n\n"
      "Example:\n"
      "  pair bench ranks --json");
  command->callback([arguments, &context] { bench_ranks(*arguments, context); });
}

}  // namespace pair::bench
