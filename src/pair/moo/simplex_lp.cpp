#include "pair/moo/simplex_lp.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <stdexcept>

#include "pair/moo/dictionary.h"
#include "pair/moo/exact_dictionary.h"

namespace pair::moo {
namespace {

// The program as a dictionary. Variables 0..m-1 are x, m..m+k-1 the slacks A x - b, m+k the total t = sum(x),
// known to be 1, so that b_i counts as b_i t and everything is homogeneous; the last row is the objective.
// Every row and column is scaled to unit size by a power of two: decisions do not depend on it, but `rebuilt`
// finds good pivots and products stay in the range of doubles.
class Tableau {
 public:
  explicit Tableau(const SimplexLp& lp)
      : m_(lp.objective.size()), k_(lp.bounds.size()), start_(k_ + 2, m_), scale_(m_) {
    for (std::size_t i = 0; i < k_; ++i) {
      start_.set_basic(i, m_ + i);
      for (std::size_t j = 0; j < m_; ++j) {
        start_.set(i, j, DoubleDouble(lp.rows[i * m_ + j]) - lp.bounds[i]);
      }
      start_.equilibrate_row(i);
    }
    start_.set_basic(total_row(), total());
    start_.set_basic(objective_row(), total() + 1);
    for (std::size_t j = 0; j < m_; ++j) {
      start_.set_nonbasic(j, j);
      start_.set(total_row(), j, 1.0);
      start_.set(objective_row(), j, lp.objective[j]);
      scale_[j] = start_.equilibrate_column(j, k_);
    }
    total_scale_ = start_.equilibrate_row(total_row());
    objective_scale_ = start_.equilibrate_row(objective_row());
  }

  [[nodiscard]] const Dictionary& start() const { return start_; }
  [[nodiscard]] std::size_t total() const { return m_ + k_; }
  [[nodiscard]] std::size_t total_row() const { return k_; }
  [[nodiscard]] std::size_t objective_row() const { return k_ + 1; }

  // The same basis, reached from the start by the largest pivots. Simplex steps cannot choose their pivots
  // and lose digits if scales differ; this recovers them.
  [[nodiscard]] Dictionary rebuilt(const Dictionary& reached) const {
    const std::vector<bool> basic = basis_of(reached);
    Dictionary fresh = start_;
    for (;;) {
      double largest = 0.0;
      std::size_t best_row = 0;
      std::size_t best_column = 0;
      for (std::size_t row = 0; row < objective_row(); ++row) {
        if (basic[fresh.basic(row)]) {
          continue;
        }
        for (std::size_t column = 0; column < m_; ++column) {
          const double size = basic[fresh.nonbasic(column)] ? std::abs(fresh.at(row, column).hi) : 0.0;
          if (size > largest) {
            largest = size;
            best_row = row;
            best_column = column;
          }
        }
      }
      if (largest == 0.0) {
        return fresh;
      }
      fresh.pivot(best_row, best_column);
    }
  }

  // The same without rounding.
  [[nodiscard]] ExactDictionary rebuilt_exactly(const Dictionary& reached) const {
    const std::vector<bool> basic = basis_of(reached);
    ExactDictionary exact(start_);
    // The total first: its row has no zeros, so it becomes nonbasic even if the basis is singular.
    for (std::size_t i = 0; i < objective_row(); ++i) {
      const std::size_t row = (total_row() + i) % objective_row();
      for (std::size_t column = 0; column < m_ && !basic[exact.basic(row)]; ++column) {
        if (basic[exact.nonbasic(column)] && exact.sign(row, column) != 0) {
          exact.pivot(row, column);
        }
      }
    }
    return exact;
  }

  // x and c . x of a dictionary in which the total is nonbasic.
  template <class Table>
  [[nodiscard]] SimplexLpSolution solution(const Table& table) const {
    const std::size_t constant = table.column_of(total());
    SimplexLpSolution result{std::vector<DoubleDouble>(m_), {}};
    const auto unscaled = [](DoubleDouble value, int exponent) {
      return DoubleDouble(std::ldexp(value.hi, exponent), std::ldexp(value.lo, exponent));
    };
    for (std::size_t row = 0; row < objective_row(); ++row) {
      if (const std::size_t variable = table.basic(row); variable < m_ && table.sign(row, constant) > 0) {
        result.x[variable] = unscaled(table.at(row, constant), scale_[variable] + total_scale_);
      }
    }
    result.objective = unscaled(table.at(objective_row(), constant), total_scale_ - objective_scale_);
    return result;
  }

 private:
  [[nodiscard]] std::vector<bool> basis_of(const Dictionary& dictionary) const {
    std::vector<bool> basic(total() + 2, false);
    for (std::size_t row = 0; row < dictionary.rows(); ++row) {
      basic[dictionary.basic(row)] = true;
    }
    return basic;
  }

  std::size_t m_;
  std::size_t k_;
  Dictionary start_;
  std::vector<int> scale_;
  int total_scale_ = 0;
  int objective_scale_ = 0;
};

// Bland's rule: the first violated constraint. Returns the objective's row if there is none.
std::size_t leaving_row(const Dictionary& dictionary, std::size_t constant, std::size_t objective_row) {
  std::size_t leaving = objective_row;
  for (std::size_t row = 0; row < objective_row; ++row) {
    if (dictionary.sign(row, constant) < 0 && dictionary.certain(row, constant) &&
        (leaving == objective_row || dictionary.basic(row) < dictionary.basic(leaving))) {
      leaving = row;
    }
  }
  return leaving;
}

// Among the variables that can restore the row, the one that costs the objective least, the first among
// equals. Returns the constant's column if there is none.
std::size_t entering_column(const Dictionary& dictionary, std::size_t constant, std::size_t objective_row,
                            std::size_t leaving) {
  std::size_t entering = constant;
  DoubleDouble least;
  for (std::size_t column = 0; column < dictionary.columns(); ++column) {
    if (column == constant || dictionary.sign(leaving, column) <= 0) {
      continue;
    }
    const DoubleDouble ratio = -dictionary.at(objective_row, column) / dictionary.at(leaving, column);
    if (entering == constant || ratio < least ||
        (ratio == least && dictionary.nonbasic(column) < dictionary.nonbasic(entering))) {
      entering = column;
      least = ratio;
    }
  }
  return entering;
}

// Steps of the dual simplex method, at most one per row and column. False if the dictionary allows none.
bool dual_simplex(const Tableau& tableau, Dictionary& dictionary) {
  const std::size_t most_pivots = dictionary.rows() + dictionary.columns();
  for (std::size_t pivots = 0; pivots < most_pivots; ++pivots) {
    const std::size_t constant = dictionary.column_of(tableau.total());
    const std::size_t leaving = leaving_row(dictionary, constant, tableau.objective_row());
    const bool satisfied = leaving == tableau.objective_row();
    const std::size_t entering =
        satisfied ? constant : entering_column(dictionary, constant, tableau.objective_row(), leaving);
    if (entering == constant) {
      return pivots > 0;
    }
    dictionary.pivot(leaving, entering);
  }
  return true;
}

struct Verdict {
  enum { optimal, infeasible, open } what = open;
  bool certain = true;  // false if a number counted as 0 because it might be
};

// The verdict of a dictionary: the optimum if neither a constraint nor a reduced cost has the wrong sign;
// infeasible if a violated constraint cannot be restored.
Verdict verdict_of(const Tableau& tableau, const Dictionary& dictionary) {
  const std::size_t constant = dictionary.column_of(tableau.total());
  bool certain = true;
  const auto sign = [&](std::size_t row, std::size_t column) {
    const bool clear = dictionary.certain(row, column);
    certain = certain && clear;
    return clear ? dictionary.sign(row, column) : 0;
  };
  const auto none_positive = [&](std::size_t row) {
    for (std::size_t column = 0; column < dictionary.columns(); ++column) {
      if (column != constant && sign(row, column) > 0) {
        return false;
      }
    }
    return true;
  };
  bool satisfied = true;
  for (std::size_t row = 0; row < tableau.objective_row(); ++row) {
    certain = true;
    if (sign(row, constant) < 0) {
      satisfied = false;
      if (none_positive(row)) {
        return {Verdict::infeasible, certain};
      }
    }
  }
  certain = true;
  if (!satisfied || !none_positive(tableau.objective_row())) {
    return {};
  }
  for (std::size_t row = 0; row <= tableau.objective_row(); ++row) {
    certain = certain && dictionary.accurate(row, constant);
  }
  return {Verdict::optimal, certain};
}

// The least-index criss-cross method (Terlaky 1985): from any dictionary, by signs only, without a ratio test
// whose ties could make it cycle; finite without rounding. False if no x satisfies the constraints.
bool criss_cross(const Tableau& tableau, ExactDictionary& dictionary) {
  for (;;) {
    const std::size_t constant = dictionary.column_of(tableau.total());
    // The first variable out of order: basic and negative, or nonbasic with a reduced cost to gain.
    std::size_t row = dictionary.rows();
    std::size_t column = dictionary.columns();
    std::size_t first = tableau.total();
    for (std::size_t r = 0; r < tableau.objective_row(); ++r) {
      if (dictionary.basic(r) < first && dictionary.sign(r, constant) < 0) {
        first = dictionary.basic(r);
        row = r;
      }
    }
    for (std::size_t c = 0; c < dictionary.columns(); ++c) {
      if (dictionary.nonbasic(c) < first && dictionary.sign(tableau.objective_row(), c) > 0) {
        first = dictionary.nonbasic(c);
        column = c;
      }
    }
    if (first == tableau.total()) {
      return true;
    }
    // The first variable to exchange it with.
    std::size_t partner = tableau.total();
    if (column < dictionary.columns()) {
      for (std::size_t r = 0; r < tableau.objective_row(); ++r) {
        if (dictionary.basic(r) < partner && dictionary.sign(r, column) < 0) {
          partner = dictionary.basic(r);
          row = r;
        }
      }
      assert(partner < tableau.total());  // the simplex is bounded
    } else {
      for (std::size_t c = 0; c < dictionary.columns(); ++c) {
        if (dictionary.nonbasic(c) < partner && dictionary.sign(row, c) > 0) {
          partner = dictionary.nonbasic(c);
          column = c;
        }
      }
      if (partner == tableau.total()) {
        return false;
      }
    }
    dictionary.pivot(row, column);
  }
}

}  // namespace

std::vector<double> SimplexLpSolution::weights() const {
  std::vector<double> result(x.size());
  std::ranges::transform(x, result.begin(), &DoubleDouble::value);
  return result;
}

std::optional<SimplexLpSolution> maximise(const SimplexLp& lp) {
  assert(!lp.objective.empty() && lp.rows.size() == lp.bounds.size() * lp.objective.size());
  const auto finite = [](double value) { return std::isfinite(value); };
  const auto finite_sum = [](const DoubleDouble& value) { return std::isfinite(value.hi + value.lo); };
  // Comparisons with NaN would not let the method end.
  if (!std::ranges::all_of(lp.objective, finite_sum) || !std::ranges::all_of(lp.rows, finite) ||
      !std::ranges::all_of(lp.bounds, finite)) {
    throw std::invalid_argument("linear program: expected finite numbers, got others");
  }
  const Tableau tableau(lp);
  Dictionary dictionary = tableau.start();
  const auto best = std::max_element(lp.objective.begin(), lp.objective.end());
  dictionary.pivot(tableau.total_row(), static_cast<std::size_t>(best - lp.objective.begin()));

  // A verdict only counts if its dictionary has no unnecessary rounding.
  constexpr int most_rounds = 200;
  for (int round = 0; round < most_rounds && dual_simplex(tableau, dictionary); ++round) {
    dictionary = tableau.rebuilt(dictionary);
  }
  const Verdict verdict = verdict_of(tableau, dictionary);
  if (dictionary.small() && !(verdict.certain && verdict.what != Verdict::open)) {
    ExactDictionary exact = tableau.rebuilt_exactly(dictionary);
    return criss_cross(tableau, exact) ? std::optional(tableau.solution(exact)) : std::nullopt;
  }
  if (verdict.what != Verdict::optimal) {
    return std::nullopt;
  }
  SimplexLpSolution solution = tableau.solution(dictionary);
  if (!dictionary.small()) {
    // Numbers that counted as zero may be missing from the sum.
    const DoubleDouble sum = std::accumulate(solution.x.begin(), solution.x.end(), DoubleDouble());
    for (DoubleDouble& x : solution.x) {
      x = x / sum;
    }
  }
  return solution;
}

}  // namespace pair::moo
