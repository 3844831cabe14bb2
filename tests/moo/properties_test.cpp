#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "pair/bench/glpk_reference.h"
#include "pair/moo/epo.h"
#include "pair/moo/min_norm.h"
#include "pair/moo/preference.h"
#include "pair/moo/registry.h"
#include "pair/moo/simplex_lp.h"
#include "tests/moo/problems.h"

// Statements that hold for any problem drawn.

namespace pair::moo::properties_test {
namespace {

using testing::Case;
using ::testing::HasSubstr;
using testing::ProblemSource;
using testing::Spread;

constexpr Spread wide{12, 12, 16, 0.2};

void expect_same(const Solution& a, const Solution& b, double tolerance) {
  EXPECT_EQ(a.status, b.status);
  EXPECT_EQ(a.phase, b.phase);
  for (std::size_t i = 0; i < a.weights.size(); ++i) {
    EXPECT_NEAR(a.weights[i], b.weights[i], tolerance);
  }
}

TEST(Epo, DoesNotChangeWhenEverythingIsScaledByPowersOfTwo) {
  ProblemSource source(11, wide);
  for (int k = 0; k < 400; ++k) {
    const Case original = source.draw(2 + static_cast<std::size_t>(k % 5));
    Case scaled = original;
    for (double& loss : scaled.losses) {
      loss *= 0x1p30;
    }
    for (double& p : scaled.preference) {
      p *= 0x1p-20;
    }
    for (double& value : scaled.gram) {
      value *= 0x1p40;
    }
    expect_same(Epo().weigh(original.view()), Epo().weigh(scaled.view()), 0.0);
  }
}

TEST(Epo, DoesNotChangeWhenLossesOrPreferenceAreScaledByAnyConstant) {
  ProblemSource source(12, {12, 12, 16, 0.0});
  for (int k = 0; k < 400; ++k) {
    const Case original = source.draw(2 + static_cast<std::size_t>(k % 5));
    Case scaled = original;
    for (double& loss : scaled.losses) {
      loss *= 3.7e5;
    }
    for (double& p : scaled.preference) {
      p *= 1.3e-7;
    }
    expect_same(Epo().weigh(original.view()), Epo().weigh(scaled.view()), 1e-9);
  }
}

TEST(SimplexLp, DoesNotChangeWhenARowOrTheObjectiveIsScaled) {
  ProblemSource source(13, wide);
  for (int k = 0; k < 400; ++k) {
    const Case problem = source.draw(2 + static_cast<std::size_t>(k % 5));
    const std::size_t m = problem.size();
    EpoProgram program = epo_program(problem.view(), 1e-4);
    const auto before = maximise({program.objective, program.rows, program.bounds});
    for (std::size_t row = 0; row < program.bounds.size(); ++row) {
      const double factor = std::ldexp(1.0, static_cast<int>(row * 17) - 40);
      program.bounds[row] *= factor;
      for (std::size_t j = 0; j < m; ++j) {
        program.rows[row * m + j] *= factor;
      }
    }
    for (DoubleDouble& value : program.objective) {
      value = {value.hi * 0x1p25, value.lo * 0x1p25};
    }
    const auto after = maximise({program.objective, program.rows, program.bounds});
    ASSERT_EQ(before.has_value(), after.has_value());
    for (std::size_t j = 0; before && j < m; ++j) {
      EXPECT_EQ(before->x[j].value(), after->x[j].value());
    }
  }
}

TEST(Epo, CountsEveryObjectiveThatTiesForTheLargestViolation) {
  const Case tied{{2.0, 3.0, 0.1}, {1, 0, 0, 0, 1, 0, 0, 0, 1}, {3.0, 2.0, 1.0}, {}};
  const Stance stance = stance_of(tied.view());
  EXPECT_TRUE(stance.most_violated(0));
  EXPECT_TRUE(stance.most_violated(1));
  EXPECT_FALSE(stance.most_violated(2));
  const EpoProgram program = epo_program(tied.view(), 1e-4);
  EXPECT_EQ(std::count(program.bounds.begin(), program.bounds.end(), 0.0), 2);
}

TEST(Epo, BalancesAboveEpsilonAndDescendsBelow) {
  const Case problem{{1.0, 1.2}, {1, 0, 0, 1}, {1.0, 1.0}, {}};
  const double mu = Epo().weigh(problem.view()).divergence;
  EXPECT_EQ(Epo(0.9 * mu).weigh(problem.view()).phase, Phase::balance);
  EXPECT_EQ(Epo(1.1 * mu).weigh(problem.view()).phase, Phase::descent);
}

TEST(MinNorm, IsACommonDescentDirectionWhereverOneExists) {
  ProblemSource source(14, {6, 12, 6, 0.2});
  for (int k = 0; k < 500; ++k) {
    const std::size_t m = 2 + static_cast<std::size_t>(k % 7);
    const Case problem = source.draw(m);
    const MinNorm shortest = min_norm(problem.gram, m);
    EXPECT_NEAR(std::accumulate(shortest.weights.begin(), shortest.weights.end(), 0.0), 1.0, 1e-12);
    for (std::size_t i = 0; i < m; ++i) {
      double product = 0.0;
      double size = 0.0;
      for (std::size_t j = 0; j < m; ++j) {
        product += problem.gram[i * m + j] * shortest.weights[j];
        size += std::abs(problem.gram[i * m + j] * shortest.weights[j]);
      }
      EXPECT_GE(product, shortest.squared_norm - 1e-12 * (size + shortest.squared_norm));
    }
  }
}

TEST(MinNorm, IsZeroWhereGradientsCancelOrVanish) {
  EXPECT_EQ(min_norm(std::vector<double>{1, -1, -1, 1}, 2).weights, (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(min_norm(std::vector<double>{1, -2, -2, 4}, 2).squared_norm, 0.0);
  EXPECT_EQ(min_norm(std::vector<double>{4, 0, 0, 0}, 2).weights, (std::vector<double>{0, 1}));
}

TEST(SimplexLp, AgreesWithGlpksExactArithmetic) {
  if (!bench::have_glpk()) {
    GTEST_SKIP() << "built without GLPK";
  }
  ProblemSource source(15, {1, 1, 1, 0.3});
  for (int k = 0; k < 300; ++k) {
    const EpoProgram program = epo_program(source.draw(2 + static_cast<std::size_t>(k % 7)).view(), 1e-4);
    const SimplexLp lp{program.objective, program.rows, program.bounds};
    const auto ours = maximise(lp);
    const bench::GlpkResult exact = bench::glpk_exact(lp);
    ASSERT_NE(exact.status, bench::GlpkResult::Status::failed);
    ASSERT_EQ(ours.has_value(), exact.status == bench::GlpkResult::Status::optimal) << "problem " << k;
    if (ours) {
      EXPECT_NEAR(ours->objective.value(), exact.objective, 1e-12 * std::abs(exact.objective))
          << "problem " << k;
    }
  }
}

class EverySolver : public ::testing::TestWithParam<std::string_view> {
 protected:
  std::unique_ptr<Solver> solver = make_solver(GetParam());
};

TEST_P(EverySolver, GivesFiniteWeightsOfSizeOneForAnyProblem) {
  ProblemSource source(16, wide);
  for (int k = 0; k < 300; ++k) {
    const std::size_t m = k == 0 ? max_objectives : 2 + static_cast<std::size_t>(k % 9);
    const Solution solution = solver->weigh(source.draw(m).view());
    double size = 0.0;
    for (const double weight : solution.weights) {
      ASSERT_TRUE(std::isfinite(weight));
      if (GetParam() != "pmtl") {
        EXPECT_GE(weight, 0.0);
      }
      size += std::abs(weight);
    }
    EXPECT_EQ(solution.weights.size(), m);
    EXPECT_NEAR(size, 1.0, 1e-12);
    EXPECT_GE(solution.divergence, 0.0);
  }
}

TEST_P(EverySolver, CopesWithDegenerateGradients) {
  const std::vector<Case> cases = {
      {{1, 2}, {1, 1, 1, 1}, {1, 1}, {}},                                     // the same gradient twice
      {{1, 2}, {1, -1, -1, 1}, {1, 1}, {}},                                   // opposite
      {{1, 2}, {0, 0, 0, 1}, {1, 1}, {}},                                     // one vanished
      {{1, 2}, {0, 0, 0, 0}, {1, 1}, {}},                                     // all vanished
      {{0, 2, 1}, {2, 1, 1, 1, 2, 1, 1, 1, 2}, {1, 2, 3}, {}},                // a loss of zero
      {{1, 1, 1}, {2, -1, -1, -1, 2, -1, -1, -1, 2}, {1, 1, 1}, {}},          // sum to zero, on the ray
      {{1, 2, 3}, {1, 2, 3, 2, 4, 6, 3, 6, 9}, {1, 1, 1}, {0.2, 0.3, 0.5}}};  // rank one, with a past
  for (const Case& problem : cases) {
    const Solution solution = solver->weigh(problem.view());
    double size = 0.0;
    for (const double weight : solution.weights) {
      ASSERT_TRUE(std::isfinite(weight));
      size += std::abs(weight);
    }
    EXPECT_NEAR(size, 1.0, 1e-12);
  }
}

TEST_P(EverySolver, DoesNotCareForTheOrderOfObjectives) {
  ProblemSource source(17, {2, 1, 2, 0.0});
  for (int k = 0; k < 100; ++k) {
    const Case problem = source.draw(3);
    const std::array<std::size_t, 3> order = {2, 0, 1};
    Case permuted = problem;
    for (std::size_t i = 0; i < 3; ++i) {
      permuted.losses[i] = problem.losses[order[i]];
      permuted.preference[i] = problem.preference[order[i]];
      for (std::size_t j = 0; j < 3; ++j) {
        permuted.gram[i * 3 + j] = problem.gram[order[i] * 3 + order[j]];
      }
    }
    const Solution original = solver->weigh(problem.view());
    const Solution other = solver->weigh(permuted.view());
    EXPECT_EQ(original.status, other.status);
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_NEAR(other.weights[i], original.weights[order[i]], 1e-7);
    }
  }
}

TEST_P(EverySolver, RefusesWhatCannotBeUsedWithASentence) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const std::vector<double> eye = {1, 0, 0, 1};
  const std::vector<std::pair<Case, std::string>> bad = {
      {{{nan, 1}, eye, {1, 1}, {}}, "losses[0]: expected a finite number that is not negative, got nan"},
      {{{1, infinity}, eye, {1, 1}, {}}, "losses[1]: expected a finite number that is not negative, got inf"},
      {{{1, -0.5}, eye, {1, 1}, {}}, "losses[1]: expected a finite number that is not negative, got -0.5"},
      {{{0, 0}, eye, {1, 1}, {}}, "losses: expected at least one above 0"},
      {{{1}, {1}, {1}, {}}, "one per objective, got 1"},
      {{{}, {}, {}, {}}, "one per objective, got 0"},
      {{{1, 1}, {1, 0, 0}, {1, 1}, {}}, "gram: expected 2 x 2 values, got 3"},
      {{{1, 1}, {1, 0.5, 0.2, 1}, {1, 1}, {}}, "expected a symmetric matrix"},
      {{{1, 1}, {1, 2, 2, 1}, {1, 1}, {}}, "positive semidefinite"},
      {{{1, 1, 1}, {1, -0.9, -0.9, -0.9, 1, -0.9, -0.9, -0.9, 1}, {1, 1, 1}, {}}, "negative eigenvalue"},
      {{{1, 1}, {1, 0, 0, nan}, {1, 1}, {}}, "gram[1][1]: expected a finite number, got nan"},
      {{{1, 1}, {-1, 0, 0, 1}, {1, 1}, {}}, "gram[0][0]: expected a squared norm, not negative, got -1"},
      {{{1, 1}, eye, {1, 0}, {}}, "preference[1]: expected a finite positive number, got 0"},
      {{{1, 1}, eye, {1, -2}, {}}, "preference[1]: expected a finite positive number, got -2"},
      {{{1, 1}, eye, {1}, {}}, "preference: expected 2 values, one per objective, got 1"},
      {{{1, 1}, eye, {1e-40, 1e40}, {}}, "a factor of at most 1e50"},
      {{{1, 1}, eye, {1, 1}, {0.9, 0.9}}, "previous: expected weights that sum to 1"}};
  for (const auto& [problem, sentence] : bad) {
    try {
      (void)solver->weigh(problem.view());
      ADD_FAILURE() << "accepted: " << sentence;
    } catch (const InvalidProblem& error) {
      EXPECT_THAT(error.what(), HasSubstr(sentence));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EverySolver, ::testing::ValuesIn([] {
                           std::vector<std::string_view> names;
                           for (const SolverEntry& entry : solvers()) {
                             names.push_back(entry.name);
                           }
                           return names;
                         }()),
                         [](const auto& param) { return std::string(param.param); });

TEST(Linear, GivesThePreferenceItself) {
  const Case problem{{1, 2}, {1, 0, 0, 1}, {1, 3}, {}};
  EXPECT_THAT(make_solver("linear")->weigh(problem.view()).weights, ::testing::ElementsAre(0.25, 0.75));
}

TEST(Nash, EqualisesTheProductOfWeightAndImprovement) {
  ProblemSource source(18, {1, 6, 1, 0.0});
  int solved = 0;
  for (int k = 0; k < 100; ++k) {
    const Case problem = source.draw(4);
    const Solution solution = make_solver("nash")->weigh(problem.view());
    if (solution.status != Status::optimal) {
      continue;
    }
    ++solved;
    std::vector<double> products;
    for (std::size_t i = 0; i < 4; ++i) {
      double improvement = 0.0;
      for (std::size_t j = 0; j < 4; ++j) {
        improvement += problem.gram[i * 4 + j] * solution.weights[j];
      }
      products.push_back(improvement * solution.weights[i]);
    }
    for (const double product : products) {
      EXPECT_NEAR(product / products[0], 1.0, 1e-6);
    }
  }
  EXPECT_GT(solved, 50);
}

TEST(UpGradAndPcGrad, ConflictWithNeitherOfTwoGradients) {
  ProblemSource source(19, {1, 2, 1, 0.0});
  for (int k = 0; k < 100; ++k) {
    const Case problem = source.draw(2);
    for (const char* name : {"upgrad", "pcgrad", "mgda"}) {
      const std::vector<double> w = make_solver(name)->weigh(problem.view()).weights;
      for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_GE(problem.gram[i * 2] * w[0] + problem.gram[i * 2 + 1] * w[1], -1e-12 * problem.gram[i * 3]);
      }
    }
  }
}

TEST(CaGrad, IsTheMeanGradientForRadiusZero) {
  ProblemSource source(20);
  const Solution solution =
      make_solver("cagrad", options_of("cagrad", {{"radius", "0"}}))->weigh(source.draw(3).view());
  EXPECT_THAT(solution.weights, ::testing::Each(::testing::DoubleNear(1.0 / 3, 1e-12)));
}

TEST(EpoSmooth, StaysNearTheLastWeightsTheStrongerTheSmoothing) {
  Case problem{{1.0, 0.5, 0.2}, {1, 0.1, 0.2, 0.1, 1, 0.3, 0.2, 0.3, 1}, {1, 1, 1}, {0.2, 0.3, 0.5}};
  const auto distance = [&](const char* smoothing) {
    const base::Options options = options_of("epo_smooth", {{"smoothing", smoothing}});
    const Solution solution = make_solver("epo_smooth", options)->weigh(problem.view());
    double square = 0.0;
    for (std::size_t i = 0; i < 3; ++i) {
      square += std::pow(solution.weights[i] - problem.previous[i], 2);
    }
    return std::sqrt(square);
  };
  EXPECT_GT(distance("0.1"), distance("10"));
  EXPECT_LT(distance("1000"), 0.01);
}

TEST(MakeSolver, NamesTheNearestAndTheRangeOfOptions) {
  const auto message_of = [](std::string_view name, const base::Assignments& options) -> std::string {
    try {
      (void)make_solver(name, options_of(name, options));
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message_of("epoo", {}), HasSubstr("did you mean 'epo'"));
  EXPECT_EQ(message_of("epo", {{"epsilon", "-1"}}), "epsilon: expected a number from 0 to 1e+300, got '-1'");
  EXPECT_EQ(message_of("cagrad", {{"radius", "1"}}), "radius: expected a number from 0 to below 1, got '1'");
  EXPECT_EQ(message_of("epo_smooth", {{"smoothing", "0"}}),
            "smoothing: expected a number from 1e-06 to 1e+06, got '0'");
  EXPECT_THAT(message_of("mgda", {{"radius", "0.1"}}), HasSubstr("unknown option 'radius'"));
}

TEST(MakeSolver, RefusesOptionsOfAnotherSolverAndThoseThatCodePutOutOfRange) {
  EXPECT_THROW((void)make_solver("epo", options_of("cagrad")), std::invalid_argument);
  base::Options options = options_of("epo");
  options.as<EpoOptions>().epsilon = -1;
  EXPECT_THROW((void)make_solver("epo", options), std::invalid_argument);
  EXPECT_THROW(Epo(-1.0), std::invalid_argument);
}

TEST(MakeSolver, TrainingStartsWithThePapersEpsilon) {
  for (const char* name : {"epo", "epo_smooth", "epo_worst"}) {
    const base::Options options = training_options_of(name);
    EXPECT_EQ(base::as_text(options.get(*options.find("epsilon"))), "0.1") << name;
  }
  EXPECT_TRUE(training_options_of("mgda").is_like({}));
}

}  // namespace
}  // namespace pair::moo::properties_test
