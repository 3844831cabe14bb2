#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "pair/base/numbers.h"
#include "pair/moo/epo.h"
#include "pair/moo/min_norm.h"
#include "pair/moo/registry.h"
#include "pair/moo/weights.h"
#include "tests/moo/problems.h"

namespace pair::moo::epo_smooth_test {
namespace {

using testing::Case;
using testing::ProblemSource;

// Weights of the unit gradients from those of the gradients.
std::vector<double> of_units(const Case& problem, const std::vector<double>& weights) {
  const std::size_t m = problem.size();
  std::vector<double> result(m);
  for (std::size_t i = 0; i < m; ++i) {
    result[i] = weights[i] * std::sqrt(problem.gram[i * m + i]);
  }
  const double sum = std::accumulate(result.begin(), result.end(), 0.0);
  for (double& weight : result) {
    weight /= sum;
  }
  return result;
}

std::unique_ptr<Solver> smoothed_by(double smoothing) {
  return make_solver("epo_smooth", options_of("epo_smooth", {{"smoothing", base::shown(smoothing)}}));
}

TEST(EpoSmooth, WithoutAPastIsEpoOnUnitGradients) {
  ProblemSource source(91, {6, 6, 6, 0.3});
  int feasible = 0;
  for (int k = 0; k < 200; ++k) {
    const std::size_t m = 2 + static_cast<std::size_t>(k % 6);
    const Case problem = source.draw(m);
    Case units = problem;
    units.gram = cosines(problem.view());
    const Solution smooth = make_solver("epo_smooth")->weigh(problem.view());
    const Solution plain = Epo().weigh(units.view());
    EXPECT_EQ(smooth.status, plain.status);
    EXPECT_EQ(smooth.phase, plain.phase);
    EXPECT_EQ(smooth.divergence, plain.divergence);
    if (smooth.status == Status::infeasible) {
      EXPECT_EQ(smooth.weights, min_norm(problem.gram, m).weights);
      continue;
    }
    ++feasible;
    const std::vector<double> weights = of_units(problem, smooth.weights);
    for (std::size_t i = 0; i < m; ++i) {
      EXPECT_NEAR(weights[i], plain.weights[i], 1e-13);
    }
  }
  EXPECT_GT(feasible, 100);
}

TEST(EpoSmooth, KeepsEposConstraintsWhateverThePast) {
  ProblemSource source(92, {3, 6, 3, 0.3});
  int feasible = 0;
  for (int k = 0; k < 300; ++k) {
    const std::size_t m = 2 + static_cast<std::size_t>(k % 5);
    Case problem = source.draw(m);
    problem.previous.assign(m, 1.0 / static_cast<double>(m));
    const Solution solution = smoothed_by(std::pow(10.0, k % 7 - 3))->weigh(problem.view());
    Case units = problem;
    units.gram = cosines(problem.view());
    EXPECT_EQ(solution.status, Epo().weigh(units.view()).status);
    if (solution.status == Status::infeasible) {
      continue;
    }
    ++feasible;
    const EpoProgram program = epo_program(units.view(), 1e-4);
    const std::vector<double> weights = of_units(problem, solution.weights);
    for (std::size_t row = 0; row < program.bounds.size(); ++row) {
      double slack = -program.bounds[row];
      double size = std::abs(slack);
      for (std::size_t j = 0; j < m; ++j) {
        slack += program.rows[row * m + j] * weights[j];
        size += std::abs(program.rows[row * m + j]);
      }
      EXPECT_GE(slack, -1e-13 * size);
    }
  }
  EXPECT_GT(feasible, 150);
}

TEST(EpoSmooth, IsTheProjectionOfWhereTheObjectivePulls) {
  // Two objectives, both constraints slack: the weights move from the past along the objective by
  // c / max|c| / smoothing, less its part off the simplex.
  const Case problem{{1.0, 1.0}, {1, 0.5, 0.5, 1}, {1.0, 2.0}, {0.5, 0.5}};
  const EpoProgram program = epo_program(problem.view(), 1e-4);
  const double c0 = program.objective[0].value();
  const double c1 = program.objective[1].value();
  const double smoothing = 20.0;
  const double shift = (c0 - c1) / 2 / std::max(std::abs(c0), std::abs(c1)) / smoothing;
  const Solution solution = smoothed_by(smoothing)->weigh(problem.view());
  EXPECT_NEAR(solution.weights[0], 0.5 + shift, 1e-14);
  EXPECT_NEAR(solution.weights[1], 0.5 - shift, 1e-14);
}

TEST(EpoSmooth, ApproachesThePlainVertexAsTheSmoothingVanishes) {
  Case problem{{1.0, 0.5, 0.2}, {1, 0.1, 0.2, 0.1, 1, 0.3, 0.2, 0.3, 1}, {1, 1, 1}, {}};
  const std::vector<double> vertex = make_solver("epo_smooth")->weigh(problem.view()).weights;
  problem.previous = {0.2, 0.3, 0.5};
  const std::vector<double> near = smoothed_by(1e-6)->weigh(problem.view()).weights;
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(near[i], vertex[i], 1e-5);
  }
}

TEST(EpoSmooth, HearsAShortGradientAsWellAsALongOne) {
  // The second gradient in another unit: the direction's parts along both gradients stay in proportion.
  Case problem{{1.0, 0.5, 0.2}, {1, 0.1, 0.2, 0.1, 1, 0.3, 0.2, 0.3, 1}, {1, 1, 1}, {0.2, 0.3, 0.5}};
  const std::vector<double> before =
      of_units(problem, make_solver("epo_smooth")->weigh(problem.view()).weights);
  const double unit = 0x1p-30;
  for (std::size_t j = 0; j < 3; ++j) {
    problem.gram[3 + j] *= unit;
    problem.gram[3 * j + 1] *= unit;
  }
  // The past in the new unit too.
  std::vector<double>& past = problem.previous;
  past = {0.2, 0.3 / unit, 0.5};
  const double sum = std::accumulate(past.begin(), past.end(), 0.0);
  for (double& weight : past) {
    weight /= sum;
  }
  const std::vector<double> after =
      of_units(problem, make_solver("epo_smooth")->weigh(problem.view()).weights);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(before[i], after[i], 1e-12);
  }
}

TEST(EpoSmooth, GivesNoWeightToAVanishedGradient) {
  const Case problem{{1.0, 2.0, 3.0}, {1, 0.5, 0, 0.5, 1, 0, 0, 0, 0}, {1, 1, 1}, {0.2, 0.3, 0.5}};
  const Solution solution = make_solver("epo_smooth")->weigh(problem.view());
  EXPECT_EQ(solution.weights[2], 0.0);
}

TEST(EpoSmooth, RefusesASmoothingOutOfRange) {
  EXPECT_THROW((void)smoothed_by(0.0), std::invalid_argument);
  EXPECT_THROW((void)smoothed_by(1e-300), std::invalid_argument) << "c / smoothing would be infinite";
  EXPECT_THROW((void)smoothed_by(0.99e-6), std::invalid_argument);
  EXPECT_NO_THROW((void)smoothed_by(1e-6));
  EXPECT_THROW((void)smoothed_by(1e7), std::invalid_argument);
  EXPECT_THROW((void)options_of("epo_smooth", {{"epsilon", "-1"}}), std::invalid_argument);
}

}  // namespace
}  // namespace pair::moo::epo_smooth_test
