#include "pair/moo/simplex_lp.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "pair/moo/dictionary.h"

namespace pair::moo {
namespace {

// The program as a dictionary. Variables 0..m-1 are x, m..m+k-1 the slacks A x - b, m+k the total
// t = sum(x), known to be 1, so that b_i counts as b_i t and everything is homogeneous; the last row is the
// objective. Every row and column is brought to unit size by a power of two: no decision depends on it,
// but `rebuilt` finds good pivots and no product leaves double's range.
class Tableau {
 public:
  explicit Tableau(const SimplexLp& lp)
      : m_(lp.objective.size()), k_(lp.bounds.size()), start_(k_ + 2, m_), scale_(m_) {
    for (std::size_t i = 0; i < k_; ++i) {
      start_.set_basic(i, m_ + i);
      for (std::size_t j = 0; j < m_; ++j) {
        start_.at(i, j) = DoubleDouble(lp.rows[i * m_ + j]) - lp.bounds[i];
      }
      start_.equilibrate_row(i);
    }
    start_.set_basic(total_row(), total());
    start_.set_basic(objective_row(), total() + 1);
    for (std::size_t j = 0; j < m_; ++j) {
      start_.set_nonbasic(j, j);
      start_.at(total_row(), j) = 1.0;
      start_.at(objective_row(), j) = lp.objective[j];
      scale_[j] = start_.equilibrate_column(j, k_);
    }
    total_scale_ = start_.equilibrate_row(total_row());
    objective_scale_ = start_.equilibrate_row(objective_row());
  }

  [[nodiscard]] const Dictionary& start() const { return start_; }
  [[nodiscard]] std::size_t total() const { return m_ + k_; }
  [[nodiscard]] std::size_t total_row() const { return k_; }
  [[nodiscard]] std::size_t objective_row() const { return k_ + 1; }

  // The same basis, reached from the start by the largest pivots. Simplex steps have no choice of pivot,
  // and where scales differ they cancel digits; this gets them back.
  [[nodiscard]] Dictionary rebuilt(const Dictionary& reached) const {
    std::vector<bool> basic(total() + 2, false);
    for (std::size_t row = 0; row < reached.rows(); ++row) {
      basic[reached.basic(row)] = true;
    }
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

  // x and c . x of a dictionary in which the total is nonbasic.
  [[nodiscard]] SimplexLpSolution solution(Dictionary& dictionary) const {
    const std::size_t constant = dictionary.column_of(total());
    SimplexLpSolution result{std::vector<DoubleDouble>(m_), {}};
    const auto unscaled = [](DoubleDouble value, int exponent) {
      return DoubleDouble(std::ldexp(value.hi, exponent), std::ldexp(value.lo, exponent));
    };
    for (std::size_t row = 0; row < objective_row(); ++row) {
      if (const std::size_t variable = dictionary.basic(row); variable < m_) {
        result.x[variable] = unscaled(dictionary.at(row, constant), scale_[variable] + total_scale_);
      }
    }
    result.objective = unscaled(dictionary.at(objective_row(), constant), total_scale_ - objective_scale_);
    return result;
  }

 private:
  std::size_t m_;
  std::size_t k_;
  Dictionary start_;
  std::vector<int> scale_;
  int total_scale_ = 0;
  int objective_scale_ = 0;
};

// Bland: of the violated constraints the first. Returns the objective's row where there is none.
std::size_t leaving_row(Dictionary& dictionary, std::size_t constant, std::size_t objective_row) {
  std::size_t leaving = objective_row;
  for (std::size_t row = 0; row < objective_row; ++row) {
    if (dictionary.at(row, constant) < 0.0 &&
        (leaving == objective_row || dictionary.basic(row) < dictionary.basic(leaving))) {
      leaving = row;
    }
  }
  return leaving;
}

// Of the variables that can restore the row, the one whose objective suffers least, the first among equals.
// Returns the constant's column where there is none.
std::size_t entering_column(Dictionary& dictionary, std::size_t constant, std::size_t objective_row,
                            std::size_t leaving) {
  std::size_t entering = constant;
  DoubleDouble least;
  for (std::size_t column = 0; column < dictionary.columns(); ++column) {
    if (column == constant || !(dictionary.at(leaving, column) > 0.0)) {
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

}  // namespace

std::optional<SimplexLpSolution> maximise(const SimplexLp& lp) {
  const std::size_t m = lp.objective.size();
  const std::size_t k = lp.bounds.size();
  assert(m > 0 && lp.rows.size() == k * m);

  const Tableau tableau(lp);
  Dictionary dictionary = tableau.start();
  const auto best = std::max_element(lp.objective.begin(), lp.objective.end());
  dictionary.pivot(tableau.total_row(), static_cast<std::size_t>(best - lp.objective.begin()));

  // A verdict counts only when it was read off a dictionary that carries no pivoting error.
  bool fresh = true;
  const std::size_t most_pivots = 1000 * (m + k);
  for (std::size_t pivots = 0; pivots < most_pivots;) {
    const std::size_t constant = dictionary.column_of(tableau.total());
    const std::size_t leaving = leaving_row(dictionary, constant, tableau.objective_row());
    const bool optimal = leaving == tableau.objective_row();
    const std::size_t entering =
        optimal ? constant : entering_column(dictionary, constant, tableau.objective_row(), leaving);
    if (entering != constant) {
      dictionary.pivot(leaving, entering);
      fresh = false;
      ++pivots;
    } else if (!fresh) {
      dictionary = tableau.rebuilt(dictionary);
      fresh = true;
    } else if (optimal) {
      return tableau.solution(dictionary);
    } else {
      return std::nullopt;
    }
  }
  throw std::runtime_error("the linear program's pivoting did not end");
}

}  // namespace pair::moo
