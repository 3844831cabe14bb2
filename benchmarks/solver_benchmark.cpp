#include <benchmark/benchmark.h>

#include <cstdint>
#include <string>
#include <vector>

#include "pair/bench/problems.h"
#include "pair/moo/registry.h"

// Time per solve of every method, cycling through all kinds of problems. 'pair bench solver' compares EPO
// with GLPK on the same problems.

namespace {

void weigh(benchmark::State& state, std::string_view method) {
  const auto m = static_cast<std::size_t>(state.range(0));
  const std::vector<pair::bench::BenchProblem> problems = pair::bench::bench_problems(m, 256, 1);
  const auto solver = pair::moo::make_solver(method);
  std::size_t next = 0;
  for (auto _ : state) {  // NOLINT(clang-analyzer-deadcode.DeadStores)
    benchmark::DoNotOptimize(solver->weigh(problems[next].view()));
    next = (next + 1) % problems.size();
  }
}

[[maybe_unused]] const bool registered = [] {
  for (const pair::moo::SolverEntry& entry : pair::moo::solvers()) {
    benchmark::RegisterBenchmark(entry.name.c_str(), weigh, entry.name)->Arg(2)->Arg(3)->Arg(5)->Arg(8);
  }
  return true;
}();

}  // namespace
