#include "pair/bench/problems.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pair/bench/glpk_reference.h"
#include "pair/moo/epo.h"

namespace pair::bench::problems_test {
namespace {

TEST(BenchProblems, AreTheSameForTheSameSeedAndOthersForAnother) {
  const auto problems = bench_problems(3, 10, 1);
  const auto again = bench_problems(3, 10, 1);
  const auto others = bench_problems(3, 10, 2);
  for (std::size_t i = 0; i < problems.size(); ++i) {
    EXPECT_EQ(problems[i].gram, again[i].gram);
    EXPECT_EQ(problems[i].losses, again[i].losses);
    EXPECT_NE(problems[i].gram, others[i].gram);
  }
}

TEST(BenchProblems, MeetBothPhasesInfeasibleProgramsAndTwelveDecades) {
  std::size_t balance = 0;
  std::size_t infeasible = 0;
  double widest = 0.0;
  const auto problems = bench_problems(3, 2000, 1);
  for (const BenchProblem& problem : problems) {
    const moo::Solution solution = moo::Epo().weigh(problem.view());
    balance += solution.phase == moo::Phase::balance ? 1 : 0;
    infeasible += solution.status == moo::Status::infeasible ? 1 : 0;
    const auto [low, high] = std::minmax_element(problem.preference.begin(), problem.preference.end());
    widest = std::max(widest, *high / *low);
  }
  EXPECT_GT(balance, problems.size() / 3);
  EXPECT_GT(problems.size() - balance, problems.size() / 4);
  EXPECT_GT(infeasible, 0U);
  EXPECT_GT(widest, 1e11);
}

// GLPK's rational arithmetic is the reference.
TEST(BenchProblems, AreSolvedAsExactArithmeticSolvesThem) {
  if (!have_glpk()) {
    GTEST_SKIP() << "built without GLPK";
  }
  for (const std::size_t m : {2, 3, 4, 5, 8}) {
    for (const BenchProblem& problem : bench_problems(m, 200, 7)) {
      const moo::Solution ours = moo::Epo().weigh(problem.view());
      const moo::EpoProgram program = epo_program(problem.view(), moo::EpoOptions{}.epsilon);
      const GlpkResult exact = glpk_exact({program.objective, program.rows, program.bounds});
      ASSERT_NE(exact.status, GlpkResult::Status::failed);
      ASSERT_EQ(ours.status == moo::Status::infeasible, exact.status == GlpkResult::Status::infeasible);
      if (ours.status == moo::Status::optimal) {
        ASSERT_NEAR(ours.objective, exact.objective, 1e-12 * std::abs(exact.objective));
      }
    }
  }
}

}  // namespace
}  // namespace pair::bench::problems_test
