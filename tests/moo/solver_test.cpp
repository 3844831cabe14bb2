#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "pair/moo/registry.h"
#include "tests/moo/problems.h"

namespace pair::moo::solver_test {
namespace {

using testing::Case;
using testing::ProblemSource;

std::vector<std::string_view> names() {
  std::vector<std::string_view> result;
  for (const SolverEntry& entry : solvers()) {
    result.push_back(entry.name);
  }
  return result;
}

TEST(Solvers, HaveDistinctNamesAndASummary) {
  std::set<std::string_view> seen;
  for (const SolverEntry& entry : solvers()) {
    EXPECT_TRUE(seen.insert(entry.name).second) << entry.name;
    EXPECT_FALSE(entry.summary.empty());
    EXPECT_NE(make_solver(entry.name), nullptr);
    EXPECT_NO_THROW((void)training_options_of(entry.name)) << entry.name;
  }
  EXPECT_TRUE(seen.contains("epo"));
  EXPECT_TRUE(seen.contains("linear"));
}

TEST(Solvers, HaveDistinctClassesInPython) {
  std::set<std::string> seen;
  for (const SolverEntry& entry : solvers()) {
    EXPECT_TRUE(seen.insert(python_class_of(entry)).second) << entry.name;
  }
  EXPECT_EQ(python_class_of(solver_named("epo_smooth")), "EPOSmooth");
  EXPECT_EQ(python_class_of(solver_named("chebyshev_smooth")), "ChebyshevSmooth");
  EXPECT_EQ(python_class_of({.name = "to_the_5th", .summary = ""}), "ToThe5th");
}

class AnySolver : public ::testing::TestWithParam<std::string_view> {
 protected:
  std::unique_ptr<Solver> solver = make_solver(GetParam());
};

void expect_identical(const Solution& a, const Solution& b) {
  EXPECT_EQ(a.weights, b.weights);
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.phase, b.phase);
  EXPECT_EQ(a.divergence, b.divergence);
}

TEST_P(AnySolver, ForgetsWhatItSolvedBefore) {
  ProblemSource source(111, {6, 12, 16, 0.3});
  std::vector<Case> problems;
  std::vector<Solution> first;
  for (int k = 0; k < 30; ++k) {
    problems.push_back(source.draw(2 + static_cast<std::size_t>(k % 6)));
    first.push_back(solver->weigh(problems.back().view()));
  }
  const auto fresh = make_solver(GetParam());
  for (std::size_t k = problems.size(); k-- > 0;) {
    expect_identical(fresh->weigh(problems[k].view()), first[k]);
    EXPECT_EQ(solver->weigh(problems[k].view()).objective, first[k].objective);
  }
}

TEST_P(AnySolver, UsesTheLossesIfItsEntrySaysSo) {
  ProblemSource source(113, {2, 2, 2, 0.0});
  bool used = false;
  for (int k = 0; k < 30; ++k) {
    Case problem = source.draw(3);
    const std::vector<double> weights = solver->weigh(problem.view()).weights;
    std::rotate(problem.losses.begin(), problem.losses.begin() + 1, problem.losses.end());
    used = used || solver->weigh(problem.view()).weights != weights;
  }
  EXPECT_EQ(used, solver_named(GetParam()).uses_losses);
}

TEST_P(AnySolver, DoesNotHearTheUnitOfLossesPreferenceOrGradients) {
  ProblemSource source(112, {6, 12, 16, 0.3});
  for (int k = 0; k < 60; ++k) {
    SCOPED_TRACE(k);
    const Case original = source.draw(2 + static_cast<std::size_t>(k % 5));
    Case scaled = original;
    for (double& loss : scaled.losses) {
      loss *= 0x1p33;
    }
    for (double& p : scaled.preference) {
      p *= 0x1p-21;
    }
    for (double& value : scaled.gram) {
      value *= 0x1p40;  // gradients by 2^20
    }
    expect_identical(solver->weigh(original.view()), solver->weigh(scaled.view()));
  }
}

// Problem allows gradients from 1e-100 to 1e100; products of four of them are not finite, or 0.
TEST_P(AnySolver, EndsWithWeightsForTheLongestAndTheShortestGradients) {
  for (const double length : {1.001e-100, 0.999e100}) {
    ProblemSource source(115, {1, 1, 1, 0.0});
    for (int k = 0; k < 20; ++k) {
      SCOPED_TRACE(k);
      Case problem = source.draw(2 + static_cast<std::size_t>(k % 5));
      double shortest = std::numeric_limits<double>::infinity();
      double longest = 0.0;
      for (std::size_t i = 0; i < problem.size(); ++i) {
        shortest = std::min(shortest, std::sqrt(problem.gram[i * problem.size() + i]));
        longest = std::max(longest, std::sqrt(problem.gram[i * problem.size() + i]));
      }
      const double factor = length < 1 ? length / shortest : length / longest;
      for (double& value : problem.gram) {
        value *= factor;
        value *= factor;
      }
      const Solution solution = solver->weigh(problem.view());
      double sum = 0.0;
      for (const double weight : solution.weights) {
        sum += std::abs(weight);
      }
      EXPECT_NEAR(sum, 1.0, 1e-9);
    }
  }
}

TEST_P(AnySolver, IgnoresConstantFactorsOfAnyKindAwayFromTheRay) {
  ProblemSource source(113, {3, 2, 3, 0.0});
  for (int k = 0; k < 60; ++k) {
    SCOPED_TRACE(k);
    const Case original = source.draw(2 + static_cast<std::size_t>(k % 5));
    Case scaled = original;
    for (double& loss : scaled.losses) {
      loss *= 3.7e5;
    }
    for (double& p : scaled.preference) {
      p *= 1.3e-7;
    }
    const Solution one = solver->weigh(original.view());
    const Solution other = solver->weigh(scaled.view());
    EXPECT_EQ(one.status, other.status);
    EXPECT_NEAR(one.divergence, other.divergence, 1e-13);
    for (std::size_t i = 0; i < original.size(); ++i) {
      EXPECT_NEAR(one.weights[i], other.weights[i], 1e-9);
    }
  }
}

TEST_P(AnySolver, GivesPermutedWeightsForPermutedObjectives) {
  ProblemSource source(114, {2, 1, 2, 0.0});
  for (int k = 0; k < 60; ++k) {
    SCOPED_TRACE(k);
    // Beyond six objectives pcgrad takes the rotations of their order, which is a choice of order.
    const std::size_t m = 2 + static_cast<std::size_t>(k % 5);
    const Case original = source.draw(m);
    std::vector<std::size_t> order(m);
    for (std::size_t i = 0; i < m; ++i) {
      order[i] = (3 * i + 1 + static_cast<std::size_t>(k)) % m;
    }
    if (m == 3 || m == 6) {
      std::iota(order.begin(), order.end(), std::size_t{0});
      std::rotate(order.begin(), order.begin() + 2, order.end());
    }
    Case permuted = original;
    for (std::size_t i = 0; i < m; ++i) {
      permuted.losses[i] = original.losses[order[i]];
      permuted.preference[i] = original.preference[order[i]];
      for (std::size_t j = 0; j < m; ++j) {
        permuted.gram[i * m + j] = original.gram[order[i] * m + order[j]];
      }
    }
    const Solution one = solver->weigh(original.view());
    const Solution other = solver->weigh(permuted.view());
    EXPECT_EQ(one.status, other.status);
    for (std::size_t i = 0; i < m; ++i) {
      EXPECT_NEAR(other.weights[i], one.weights[order[i]], 1e-7);
    }
  }
}

// Dependent gradients of every kind, losses of zero, losses on the ray.
Case degenerate(ProblemSource& source, std::size_t m, int kind) {
  Case problem = source.draw(m);
  const std::size_t n = kind % 2 == 0 ? 2 : m;
  std::vector<double> gradients(m * n);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      double& value = gradients[i * n + j];
      switch (kind % 5) {
        case 0:  // integers
          value = std::floor(5 * source.uniform()) - 2;
          break;
        case 1:  // multiples of one
          value = i == 0 ? source.normal() : (i % 2 == 0 ? 1.0 : -0.7) * gradients[j];
          break;
        case 2:  // few dimensions, far apart
          value = source.normal() * source.decades(12);
          break;
        case 3:  // some vanished
          value = i % 3 == 1 ? 0.0 : source.normal();
          break;
        default:  // all the same
          value = i == 0 ? source.normal() : gradients[j];
      }
    }
  }
  problem.gram = gram_of(gradients, m);
  if (kind % 3 == 0) {
    problem.losses[0] = 0.0;
  } else if (kind % 3 == 1) {
    problem.losses.assign(m, 1.0);
    problem.preference.assign(m, 1.0);
  }
  if (kind % 4 == 0) {
    problem.previous.assign(m, 0.0);
    problem.previous[m / 2] = 1.0;
  }
  return problem;
}

TEST_P(AnySolver, GivesFiniteWeightsForDependentGradients) {
  ProblemSource source(115, {6, 6, 16, 0.3});
  for (int k = 0; k < 240; ++k) {
    SCOPED_TRACE(k);
    const std::size_t m = 2 + static_cast<std::size_t>(k % 7);
    const Case problem = degenerate(source, m, k);
    const Solution solution = solver->weigh(problem.view());
    double size = 0.0;
    for (const double weight : solution.weights) {
      ASSERT_TRUE(std::isfinite(weight));
      EXPECT_TRUE(weight >= 0.0 || GetParam() == "pmtl");
      size += std::abs(weight);
    }
    EXPECT_NEAR(size, 1.0, 1e-12);
    EXPECT_TRUE(std::isfinite(solution.objective));
    EXPECT_TRUE(std::isfinite(solution.divergence));
  }
}

TEST_P(AnySolver, EndsForSixtyFourObjectives) {
  ProblemSource source(116, {6, 6, 6, 0.5});
  const Case generic = source.draw(max_objectives);
  const Case integers = degenerate(source, max_objectives, 0);
  for (const Case& problem : {generic, integers}) {
    const Solution solution = solver->weigh(problem.view());
    double size = 0.0;
    for (const double weight : solution.weights) {
      ASSERT_TRUE(std::isfinite(weight));
      size += std::abs(weight);
    }
    EXPECT_NEAR(size, 1.0, 1e-12);
  }
}

INSTANTIATE_TEST_SUITE_P(All, AnySolver, ::testing::ValuesIn(names()),
                         [](const auto& tested) { return std::string(tested.param); });

}  // namespace
}  // namespace pair::moo::solver_test
