#include "pair/moo/simplex_lp.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "pair/bench/glpk_reference.h"
#include "pair/moo/epo.h"
#include "pair/moo/integer.h"
#include "tests/moo/problems.h"

namespace pair::moo::simplex_lp_test {
namespace {

using testing::Case;
using testing::ProblemSource;
using testing::Spread;

struct Program {
  std::vector<DoubleDouble> objective;
  std::vector<double> rows;
  std::vector<double> bounds;

  [[nodiscard]] SimplexLp view() const { return {objective, rows, bounds}; }
};

Program program_of(const Case& problem, double epsilon = 1e-4) {
  EpoProgram program = epo_program(problem.view(), epsilon);
  return {std::move(program.objective), std::move(program.rows), std::move(program.bounds)};
}

// The optimum by trying every vertex, in integers: slow and without any tolerance.
//
// With sum(x) = 1 every constraint is homogeneous, (A_i - b_i) . x >= 0 or x_j >= 0. A vertex is where m - 1
// of them are equalities: the line through the origin whose coordinates are their minors.
class Vertices {
 public:
  using Row = std::vector<Integer>;

  explicit Vertices(const SimplexLp& lp) : m_(lp.objective.size()) {
    for (std::size_t i = 0; i < lp.bounds.size(); ++i) {
      Row row;
      for (std::size_t j = 0; j < m_; ++j) {
        row.push_back(integral(lp.rows[i * m_ + j]) - integral(lp.bounds[i]));
      }
      rows_.push_back(std::move(row));
    }
    for (std::size_t j = 0; j < m_; ++j) {
      Row row(m_);
      row[j] = Integer(1.0, 0);
      rows_.push_back(std::move(row));
      objective_.push_back(integral(lp.objective[j].hi) + integral(lp.objective[j].lo));
    }
  }

  // As numerator and positive denominator, in units of 2^-exponent; empty if no vertex is feasible.
  struct Optimum {
    Integer numerator;
    Integer denominator;
    [[nodiscard]] double value() const {
      const auto [fraction, power] = quotient(numerator, denominator);
      return std::ldexp(fraction.value(), power - exponent);
    }
  };
  std::optional<Optimum> best() {
    std::vector<bool> chosen(rows_.size(), false);
    std::fill(chosen.begin(), chosen.begin() + static_cast<std::ptrdiff_t>(m_ - 1), true);
    std::optional<Optimum> result;
    do {
      std::vector<const Row*> equalities;
      for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (chosen[i]) {
          equalities.push_back(&rows_[i]);
        }
      }
      const std::optional<Row> x = vertex(equalities);
      if (!x) {
        continue;
      }
      Optimum here{dot(objective_, *x), std::accumulate(x->begin(), x->end(), Integer())};
      if (!result || here.numerator * result->denominator > result->numerator * here.denominator) {
        result = std::move(here);
      }
    } while (std::prev_permutation(chosen.begin(), chosen.end()));
    return result;
  }

 private:
  static constexpr int exponent = 400;  // the programs here are multiples of 2^-400
  static Integer integral(double value) { return {value, exponent}; }
  static Integer dot(const Row& a, const Row& b) {
    return std::inner_product(a.begin(), a.end(), b.begin(), Integer());
  }

  // The determinant of the rows from `first` on, in the columns that are left.
  static Integer determinant(const std::vector<const Row*>& rows, std::size_t first,
                             const std::vector<std::size_t>& columns) {
    if (first == rows.size()) {
      return {1.0, 0};
    }
    Integer sum;
    for (std::size_t k = 0; k < columns.size(); ++k) {
      const Integer& factor = (*rows[first])[columns[k]];
      if (factor.sign() == 0) {
        continue;
      }
      std::vector<std::size_t> rest = columns;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(k));
      const Integer term = factor * determinant(rows, first + 1, rest);
      sum = k % 2 == 0 ? sum + term : sum - term;
    }
    return sum;
  }

  // A feasible point, up to a positive factor.
  [[nodiscard]] std::optional<Row> vertex(const std::vector<const Row*>& equalities) const {
    Row x;
    for (std::size_t j = 0; j < m_; ++j) {
      std::vector<std::size_t> others;
      for (std::size_t k = 0; k < m_; ++k) {
        if (k != j) {
          others.push_back(k);
        }
      }
      const Integer minor = determinant(equalities, 0, others);
      x.push_back(j % 2 == 0 ? minor : -minor);
    }
    const int sign = std::accumulate(x.begin(), x.end(), Integer()).sign();
    if (sign == 0) {
      return std::nullopt;
    }
    for (Integer& value : x) {
      value = sign < 0 ? -value : value;
    }
    const bool feasible =
        std::all_of(rows_.begin(), rows_.end(), [&](const Row& row) { return dot(row, x).sign() >= 0; });
    return feasible ? std::optional(x) : std::nullopt;
  }

  std::size_t m_;
  std::vector<Row> rows_;
  Row objective_;
};

void expect_exact(const Program& program) {
  const auto ours = maximise(program.view());
  const auto best = Vertices(program.view()).best();
  ASSERT_EQ(ours.has_value(), best.has_value());
  if (!ours) {
    return;
  }
  // One rounding apart at most.
  EXPECT_NEAR(ours->objective.value(), best->value(),
              std::numeric_limits<double>::epsilon() * std::abs(best->value()));
  DoubleDouble sum;
  DoubleDouble objective;
  for (std::size_t j = 0; j < program.objective.size(); ++j) {
    EXPECT_GE(ours->x[j].hi, 0.0);
    sum = sum + ours->x[j];
    objective = objective + program.objective[j] * ours->x[j];
  }
  EXPECT_NEAR((sum - 1.0).value(), 0.0, 1e-28);
}

TEST(SimplexLp, FindsTheBestVertexWithPreferencesAndGradientsFarApart) {
  ProblemSource source(21, {12, 12, 16, 0.3});
  for (int k = 0; k < 300; ++k) {
    SCOPED_TRACE(k);
    expect_exact(program_of(source.draw(2 + static_cast<std::size_t>(k % 3))));
  }
}

TEST(SimplexLp, FindsTheBestVertexOfDegeneratePrograms) {
  // Gradients of small integers in few dimensions: dependent, repeated, opposite and vanished ones.
  ProblemSource source(22);
  const auto small = [&] { return std::floor(5 * source.uniform()) - 2; };
  for (int k = 0; k < 400; ++k) {
    SCOPED_TRACE(k);
    const std::size_t m = 2 + static_cast<std::size_t>(k % 3);
    Case problem = source.draw(m);
    std::vector<double> gradients(m * (1 + static_cast<std::size_t>(k % 2)));
    std::generate(gradients.begin(), gradients.end(), small);
    problem.gram = gram_of(gradients, m);
    expect_exact(program_of(problem, k % 4 == 0 ? 1e300 : 1e-4));
  }
}

TEST(SimplexLp, DecidesByWhatRoundingLeftOfDependentGradients) {
  // In exact arithmetic the gradients' Gram matrix would be singular and the program feasible in one point.
  // Rounded, it is feasible or not by the last bits, and by products of last bits.
  ProblemSource source(23);
  int feasible = 0;
  for (int k = 0; k < 300; ++k) {
    SCOPED_TRACE(k);
    const std::size_t m = 2 + static_cast<std::size_t>(k % 3);
    Case problem = source.draw(m);
    std::vector<double> gradients(m * m);
    for (std::size_t i = 0; i + 1 < m; ++i) {
      for (std::size_t j = 0; j < m; ++j) {
        gradients[i * m + j] = source.normal();
        gradients[(m - 1) * m + j] -= gradients[i * m + j];
      }
    }
    problem.gram = gram_of(gradients, m);
    const Program program = program_of(problem, 1e300);
    expect_exact(program);
    feasible += maximise(program.view()).has_value() ? 1 : 0;
  }
  EXPECT_GT(feasible, 30);
  EXPECT_LT(feasible, 270);
}

TEST(SimplexLp, PutsAllWeightOnTheBestObjectiveWithoutConstraints) {
  const Program program{{1.0, 3.0, 2.0}, {}, {}};
  const auto solution = maximise(program.view());
  ASSERT_TRUE(solution);
  EXPECT_EQ(solution->x[1].value(), 1.0);
  EXPECT_EQ(solution->objective.value(), 3.0);
}

TEST(SimplexLp, IsInfeasibleWhenAConstraintCannotHoldOnTheSimplex) {
  EXPECT_FALSE(maximise(Program{{1.0, 2.0}, {1.0, 1.0}, {1.5}}.view()));
  EXPECT_TRUE(maximise(Program{{1.0, 2.0}, {1.0, 1.0}, {1.0}}.view()));
  EXPECT_FALSE(maximise(Program{{1.0, 2.0}, {1.0, 1.0}, {std::nextafter(1.0, 2.0)}}.view()));
  EXPECT_FALSE(maximise(Program{{0.0, 0.0}, {-1.0, -2.0}, {0.0}}.view()));
}

TEST(SimplexLp, MeetsAFeasibleSetThatIsASinglePoint) {
  // x_1 >= 1/4 and x_2 >= 3/4.
  const auto solution = maximise(Program{{1.0, 2.0}, {1.0, 0.0, 0.0, 1.0}, {0.25, 0.75}}.view());
  ASSERT_TRUE(solution);
  EXPECT_EQ(solution->x[0].value(), 0.25);
  EXPECT_EQ(solution->x[1].value(), 0.75);
}

TEST(SimplexLp, KeepsTheObjectivesDigitsWhereItsTermsCancel) {
  // x = (1/2, 1/2) is the only feasible point, where 1 and -1 + 2^-80 cancel.
  const Program program{{1.0, DoubleDouble(-1.0) + 0x1p-80}, {1.0, 0.0, 0.0, 1.0}, {0.5, 0.5}};
  const auto solution = maximise(program.view());
  ASSERT_TRUE(solution);
  EXPECT_EQ(solution->objective.value(), 0x1p-81);
}

TEST(SimplexLp, DoesNotChangeWhenAVariablesUnitDoes) {
  // Gradient j in other units: column j and, the Gram matrix being symmetric, row j multiplied by s_j, which
  // moves the optimum but leaves no doubt where it is.
  ProblemSource source(24, {3, 0, 3, 0.2});
  for (int k = 0; k < 200; ++k) {
    SCOPED_TRACE(k);
    const std::size_t m = 2 + static_cast<std::size_t>(k % 3);
    Case problem = source.draw(m);
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < m; ++j) {
        problem.gram[i * m + j] *= std::ldexp(1.0, -20 * static_cast<int>(i + j));
      }
    }
    expect_exact(program_of(problem));
  }
}

TEST(SimplexLp, AgreesWithGlpksFloatingPointOnWellScaledPrograms) {
  if (!bench::have_glpk()) {
    GTEST_SKIP() << "built without GLPK";
  }
  // Off the ray: on it the adjustment is rounding, which GLPK's absolute tolerances do not see.
  ProblemSource source(25, {1, 0.3, 1, 0.0});
  int agreed = 0;
  for (int k = 0; k < 300; ++k) {
    const Program program = program_of(source.draw(2 + static_cast<std::size_t>(k % 7)));
    const bench::GlpkResult glpk = bench::glpk_simplex(program.view());
    if (glpk.status == bench::GlpkResult::Status::failed) {
      continue;
    }
    const auto ours = maximise(program.view());
    // On the boundary of feasibility GLPK's tolerance of 1e-7 may decide otherwise.
    if (ours.has_value() != (glpk.status == bench::GlpkResult::Status::optimal)) {
      continue;
    }
    ++agreed;
    if (ours) {
      EXPECT_NEAR(ours->objective.value(), glpk.objective, 1e-6 * (1.0 + std::abs(glpk.objective)));
    }
  }
  EXPECT_GE(agreed, 280);
}

TEST(SimplexLp, EndsForSixtyFourObjectives) {
  ProblemSource source(26, {6, 6, 6, 0.5});
  for (int k = 0; k < 4; ++k) {
    const Case problem = source.draw(max_objectives);
    const Program program = program_of(problem, k % 2 == 0 ? 1e-4 : 1e300);
    if (const auto solution = maximise(program.view())) {
      for (std::size_t row = 0; row < program.bounds.size(); ++row) {
        DoubleDouble slack = -program.bounds[row];
        double size = 0.0;
        for (std::size_t j = 0; j < max_objectives; ++j) {
          slack = slack + solution->x[j] * program.rows[row * max_objectives + j];
          size = std::max(size, std::abs(program.rows[row * max_objectives + j]));
        }
        EXPECT_GE(slack.value(), -1e-20 * size);
      }
    }
  }
}

TEST(SimplexLp, RefusesNumbersThatAreNotFinite) {
  const Program good = program_of(ProblemSource(27).draw(3));
  for (const double bad : {std::nan(""), std::numeric_limits<double>::infinity()}) {
    Program objective = good;
    objective.objective.front() = bad;
    EXPECT_THROW((void)maximise(objective.view()), std::invalid_argument);
    Program row = good;
    row.rows.front() = bad;
    EXPECT_THROW((void)maximise(row.view()), std::invalid_argument);
    Program bound = good;
    bound.bounds.front() = bad;
    EXPECT_THROW((void)maximise(bound.view()), std::invalid_argument);
  }
}

}  // namespace
}  // namespace pair::moo::simplex_lp_test
