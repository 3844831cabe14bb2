#include "pair/moo/solver.h"

#include <algorithm>
#include <array>
#include <vector>

#include "pair/base/names.h"
#include "pair/moo/cagrad.h"
#include "pair/moo/chebyshev.h"
#include "pair/moo/chebyshev_smooth.h"
#include "pair/moo/epo.h"
#include "pair/moo/epo_smooth.h"
#include "pair/moo/epo_worst.h"
#include "pair/moo/linear.h"
#include "pair/moo/mgda.h"
#include "pair/moo/nash.h"
#include "pair/moo/pcgrad.h"
#include "pair/moo/pmtl.h"
#include "pair/moo/upgrad.h"

namespace pair::moo {
namespace {

struct Entry {
  SolverInfo info;
  std::unique_ptr<Solver> (*make)(const SolverOptions&) = nullptr;
};

constexpr std::array entries{
    Entry{{"epo", "exact Pareto optimal search: PAIR-o's solver", "epsilon"},
          [](const SolverOptions& o) -> std::unique_ptr<Solver> { return std::make_unique<Epo>(o.epsilon); }},
    Entry{{"epo_smooth", "EPO on normalised gradients, weights kept near the last step's",
           "epsilon, smoothing"},
          [](const SolverOptions& o) -> std::unique_ptr<Solver> {
            return std::make_unique<EpoSmooth>(o.epsilon, o.smoothing);
          }},
    Entry{{"epo_worst", "EPO, but the most violated objective first where EPO hardly lowers it", "epsilon"},
          [](const SolverOptions& o) -> std::unique_ptr<Solver> {
            return std::make_unique<EpoWorst>(o.epsilon);
          }},
    Entry{{"linear", "fixed weights: the preference, normalised", ""},
          [](const SolverOptions&) -> std::unique_ptr<Solver> { return std::make_unique<Linear>(); }},
    Entry{{"mgda", "minimum-norm combination of the gradients", ""},
          [](const SolverOptions&) -> std::unique_ptr<Solver> { return std::make_unique<Mgda>(); }},
    Entry{{"chebyshev", "all weight on the most violated objective", ""},
          [](const SolverOptions&) -> std::unique_ptr<Solver> { return std::make_unique<Chebyshev>(); }},
    Entry{{"chebyshev_smooth",
           "weights that follow the most violated objectives smoothly: PAIR-o's for minibatches",
           "sharpness, least"},
          [](const SolverOptions& o) -> std::unique_ptr<Solver> {
            return std::make_unique<ChebyshevSmooth>(o.sharpness, o.least);
          }},
    Entry{{"pmtl", "Pareto MTL: stays in the sector of its preference vector; weights may be negative", ""},
          [](const SolverOptions&) -> std::unique_ptr<Solver> { return std::make_unique<Pmtl>(); }},
    Entry{{"pcgrad", "gradient surgery: conflicting components projected away", ""},
          [](const SolverOptions&) -> std::unique_ptr<Solver> { return std::make_unique<PcGrad>(); }},
    Entry{
        {"cagrad", "conflict-averse: best worst improvement near the mean gradient", "radius"},
        [](const SolverOptions& o) -> std::unique_ptr<Solver> { return std::make_unique<CaGrad>(o.radius); }},
    Entry{{"nash", "bargaining solution: largest product of improvements", ""},
          [](const SolverOptions&) -> std::unique_ptr<Solver> { return std::make_unique<Nash>(); }},
    Entry{{"upgrad", "mean of the gradients projected onto the cone without conflict", ""},
          [](const SolverOptions&) -> std::unique_ptr<Solver> { return std::make_unique<UpGrad>(); }},
};

constexpr auto infos = [] {
  std::array<SolverInfo, entries.size()> result;
  std::transform(entries.begin(), entries.end(), result.begin(),
                 [](const Entry& entry) { return entry.info; });
  return result;
}();

}  // namespace

std::span<const SolverInfo> solvers() {
  return infos;
}

std::unique_ptr<Solver> make_solver(std::string_view name, const SolverOptions& options) {
  std::vector<std::string_view> names;
  for (const Entry& entry : entries) {
    if (entry.info.name == name) {
      return entry.make(options);
    }
    names.push_back(entry.info.name);
  }
  throw std::invalid_argument(base::unknown_name("solver", name, names));
}

}  // namespace pair::moo
