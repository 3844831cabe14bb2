#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/bench/bench.h"
#include "pair/bench/glpk_reference.h"
#include "pair/bench/problems.h"
#include "pair/bench/spread.h"
#include "pair/moo/epo.h"

namespace pair::bench {
namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

constexpr std::array<std::size_t, 4> sizes{2, 3, 5, 8};

struct SolverArguments {
  std::size_t problems = 2000;
  std::uint64_t seed = 1;
  bool json = false;
};

double microseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
}

// Times of one solver, at least one per problem. A problem's time is the median of its times, which removes
// disturbances by other processes.
class Times {
 public:
  explicit Times(std::size_t problems) : of_problem_(problems) {}

  void record(std::size_t problem, double microseconds) { of_problem_[problem].push_back(microseconds); }

  // The quantile of the problems' times.
  [[nodiscard]] double quantile(double share) const {
    std::vector<double> medians;
    for (const std::vector<double>& times : of_problem_) {
      medians.push_back(bench::median(times));
    }
    return bench::quantile(std::move(medians), share);
  }
  [[nodiscard]] double median() const { return quantile(0.5); }

 private:
  std::vector<std::vector<double>> of_problem_;
};

struct Reference {
  Times whole;         // including set-up, as a user sees it
  Times method_alone;  // without set-up
  std::size_t agreeing = 0;

  explicit Reference(std::size_t problems) : whole(problems), method_alone(problems) {}
};

struct SolverMeasured {
  std::size_t m;
  Times ours;
  std::optional<Reference> simplex;
  std::optional<Reference> exact;
  std::size_t balance = 0;
  std::size_t infeasible = 0;
};

// A problem, its EPO linear program, and EPO's solution.
struct Case {
  BenchProblem problem;
  moo::EpoProgram program;
  moo::Solution solution;

  [[nodiscard]] moo::SimplexLp lp() const { return {program.objective, program.rows, program.bounds}; }
};

// A single solve is near the clock's resolution, so several are timed together: equally many for GLPK and
// ours, since a repeated solve is slightly faster than the first.
constexpr std::size_t repeats = 8;

double time_ours(const moo::Epo& epo, Case& one) {
  const moo::Problem problem = one.problem.view();
  const auto start = Clock::now();
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    one.solution = epo.weigh(problem);
  }
  return microseconds_since(start) / repeats;
}

// Whether GLPK found our status and, within the tolerance, our optimum.
bool agrees(const GlpkResult& theirs, const moo::Solution& ours, double tolerance) {
  if (ours.status == moo::Status::infeasible) {
    return theirs.status == GlpkResult::Status::infeasible;
  }
  return theirs.status == GlpkResult::Status::optimal &&
         std::abs(theirs.objective - ours.objective) <= tolerance;
}

bool simplex_agrees(const GlpkResult& theirs, const Case& one) {
  double largest = 0.0;
  for (const moo::DoubleDouble coefficient : one.program.objective) {
    largest = std::max(largest, std::abs(coefficient.hi));
  }
  return agrees(theirs, one.solution, 1e-6 * largest);
}

void time_simplex(const Case& one, std::size_t index, bool first_round, Reference& reference) {
  GlpkResult result;
  double method_alone = 0.0;
  const auto start = Clock::now();
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    result = glpk_simplex(one.lp());
    method_alone += 1e6 * result.solve_seconds;
  }
  reference.whole.record(index, microseconds_since(start) / repeats);
  reference.method_alone.record(index, method_alone / repeats);
  reference.agreeing += first_round && simplex_agrees(result, one) ? 1 : 0;
}

void time_exact(const Case& one, std::size_t index, Reference& reference) {
  const auto start = Clock::now();
  const GlpkResult result = glpk_exact(one.lp());
  reference.whole.record(index, microseconds_since(start));
  reference.method_alone.record(index, 1e6 * result.solve_seconds);
  reference.agreeing += agrees(result, one.solution, 1e-9 * std::abs(result.objective)) ? 1 : 0;
}

// Alternates between ours and GLPK every few problems, so that both see the same state of the machine; not at
// every problem, because each would then find its caches emptied by the other.
SolverMeasured measure_solver(std::size_t m, const SolverArguments& arguments) {
  constexpr std::size_t rounds = 3;
  constexpr std::size_t turn = 50;
  const double epsilon = moo::EpoOptions{}.epsilon;
  const moo::Epo epo(epsilon);
  std::vector<Case> cases;
  for (BenchProblem& problem : bench_problems(m, arguments.problems, arguments.seed)) {
    moo::EpoProgram program = epo_program(problem.view(), epsilon);
    cases.push_back({std::move(problem), std::move(program), {}});
  }

  SolverMeasured measured{m, Times(cases.size()), std::nullopt, std::nullopt};
  if (have_glpk()) {
    measured.simplex.emplace(cases.size());
    measured.exact.emplace(cases.size());
  }
  for (std::size_t round = 0; round < rounds; ++round) {
    for (std::size_t first = 0; first < cases.size(); first += turn) {
      const std::size_t last = std::min(first + turn, cases.size());
      for (std::size_t i = first; i < last; ++i) {
        measured.ours.record(i, time_ours(epo, cases[i]));
      }
      for (std::size_t i = first; i < last && have_glpk(); ++i) {
        time_simplex(cases[i], i, round == 0, *measured.simplex);
      }
    }
  }
  for (std::size_t i = 0; i < cases.size(); ++i) {
    if (have_glpk()) {
      time_exact(cases[i], i, *measured.exact);
    }
    measured.balance += cases[i].solution.phase == moo::Phase::balance ? 1 : 0;
    measured.infeasible += cases[i].solution.status == moo::Status::infeasible ? 1 : 0;
  }
  return measured;
}

// Three significant digits; the rest is noise.
double rounded(double value) {
  return std::stod(base::with_digits(value, 3));
}

ordered_json to_json(const Times& times) {
  return {{"median_us", rounded(times.median())},
          {"p10_us", rounded(times.quantile(0.1))},
          {"p90_us", rounded(times.quantile(0.9))}};
}

ordered_json to_json(const std::optional<Reference>& reference, const Times& ours) {
  if (!reference) {
    return nullptr;
  }
  ordered_json object = to_json(reference->whole);
  object["solve_only_median_us"] = rounded(reference->method_alone.median());
  object["ratio"] = rounded(reference->whole.median() / ours.median());
  object["agreeing"] = reference->agreeing;
  return object;
}

void write_solver_json(const std::vector<SolverMeasured>& all, const SolverArguments& arguments,
                       std::ostream& out) {
  ordered_json report{{"benchmark", "solver"},   {"version", PAIR_VERSION},
                      {"cpu", cpu_model()},      {"compiler", PAIR_COMPILER},
                      {"glpk_version", nullptr}, {"problems", arguments.problems},
                      {"seed", arguments.seed}};
  if (have_glpk()) {
    report["glpk_version"] = glpk_version();
  }
  for (const SolverMeasured& measured : all) {
    report["results"].push_back({{"m", measured.m},
                                 {"balance", measured.balance},
                                 {"infeasible", measured.infeasible},
                                 {"pair", to_json(measured.ours)},
                                 {"glpk", to_json(measured.simplex, measured.ours)},
                                 {"glpk_exact", to_json(measured.exact, measured.ours)}});
  }
  out << report.dump(2) << '\n';
}

void add_reference(const std::optional<Reference>& reference, const Times& ours,
                   std::vector<std::string>& row) {
  if (reference) {
    row.push_back(base::with_digits(reference->whole.median(), 3));
    row.push_back(base::with_digits(reference->whole.median() / ours.median(), 3) + "x");
    row.push_back(std::to_string(reference->agreeing));
  }
}

void write_solver_table(const std::vector<SolverMeasured>& all, const SolverArguments& arguments,
                        std::ostream& out) {
  out << "EPO, microseconds per solve, " << arguments.problems << " problems each (seed " << arguments.seed
      << ")\n"
      << cpu_model() << ", " << PAIR_COMPILER << "\n\n";
  base::Rows rows{{"m", "median", "p10", "p90"}};
  if (have_glpk()) {
    rows[0].insert(rows[0].end(), {"glp_simplex", "ratio", "agree", "glp_exact", "ratio", "agree"});
  }
  for (const SolverMeasured& measured : all) {
    std::vector<std::string> row{std::to_string(measured.m), base::with_digits(measured.ours.median(), 3),
                                 base::with_digits(measured.ours.quantile(0.1), 3),
                                 base::with_digits(measured.ours.quantile(0.9), 3)};
    add_reference(measured.simplex, measured.ours, row);
    add_reference(measured.exact, measured.ours, row);
    rows.push_back(std::move(row));
  }
  out << base::aligned(rows, {.indent = "  ", .gap = 3, .left = 0})
      << (have_glpk() ? "\nThe ratio is GLPK's median, including set-up, to ours, including checks. agree: "
                        "how often "
                        "GLPK\nfinds our status and optimum; glp_simplex uses absolute tolerances.\n"
                      : "\nThis build has no GLPK to compare with (PAIR_GLPK; Debian: libglpk-dev).\n");
}

constexpr auto footer =
    R"(A problem's time is the median of three rounds. Our time covers the whole call: checks, forming
EPO's linear program and solving it. GLPK gets the finished program, and its time includes
set-up; both glp_simplex and glp_exact, which is as exact as ours, are timed.

Example:
  pair bench solver
  pair bench solver --json | jq '.results[] | {m, us: .pair.median_us, glpk: .glpk.median_us}')";

}  // namespace

void add_bench_solver(CLI::App& bench, Context& context) {
  const auto arguments = std::make_shared<SolverArguments>();
  CLI::App* command = bench.add_subcommand("solver", "Time per EPO solve for 2, 3, 5 and 8 objectives");
  command->add_flag("--json", arguments->json, "Write one JSON object");
  command->add_option("--problems", arguments->problems, "Problems per size")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000000}))
      ->capture_default_str();
  command->add_option("--seed", arguments->seed, "Seed of the problems")->capture_default_str();
  command->footer(footer);
  command->callback([arguments, &context] {
    std::vector<SolverMeasured> all;
    all.reserve(sizes.size());
    for (const std::size_t m : sizes) {
      all.push_back(measure_solver(m, *arguments));
    }
    arguments->json ? write_solver_json(all, *arguments, context.out)
                    : write_solver_table(all, *arguments, context.out);
  });
}

}  // namespace pair::bench
