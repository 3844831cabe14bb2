#include "pair/moo/problem.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pair/base/numbers.h"

namespace pair::moo {
namespace {

using base::shown;

// What float32 training leaves of symmetry and definiteness when its Gram matrix is widened to double.
constexpr double rounding = 1e-6;
constexpr double max_spread = 1e50;
// Norms of gradients beyond these could take products of a few of them out of double's range.
constexpr double smallest_norm = 1e-100;
constexpr double largest_norm = 1e100;

std::string at(std::string_view field, std::size_t i) {
  return std::string(field) + "[" + std::to_string(i) + "]";
}

std::string at(std::string_view field, std::size_t i, std::size_t j) {
  return at(field, i) + "[" + std::to_string(j) + "]";
}

void require_length(std::string_view field, std::size_t length, std::size_t expected) {
  if (length != expected) {
    throw InvalidProblem(std::string(field) + " has " + std::to_string(length) +
                         (length == 1 ? " value; " : " values; ") + std::to_string(expected) +
                         " are needed, one an objective");
  }
}

void validate_losses(std::span<const double> losses) {
  const std::size_t m = losses.size();
  if (m < min_objectives || m > max_objectives) {
    throw InvalidProblem("losses has " + std::to_string(m) + (m == 1 ? " value" : " values") + "; from " +
                         std::to_string(min_objectives) + " to " + std::to_string(max_objectives) +
                         " objectives are accepted");
  }
  bool any_positive = false;
  for (std::size_t i = 0; i < m; ++i) {
    if (!std::isfinite(losses[i]) || losses[i] < 0.0) {
      throw InvalidProblem(at("losses", i) + " is " + shown(losses[i]) +
                           "; losses must be finite and not negative");
    }
    any_positive = any_positive || losses[i] > 0.0;
  }
  if (!any_positive) {
    throw InvalidProblem("losses are all 0; at least one must be positive, or nothing is left to minimise");
  }
}

void validate_preference(std::span<const double> preference, std::size_t m) {
  require_length("preference", preference.size(), m);
  for (std::size_t i = 0; i < m; ++i) {
    if (!std::isfinite(preference[i]) || preference[i] <= 0.0) {
      throw InvalidProblem(at("preference", i) + " is " + shown(preference[i]) +
                           "; preferences must be finite and positive");
    }
  }
  const auto [low, high] = std::minmax_element(preference.begin(), preference.end());
  if (*high / max_spread > *low) {
    throw InvalidProblem("preference reaches from " + shown(*low) + " to " + shown(*high) +
                         "; its values may be at most 1e50 apart");
  }
}

void validate_previous(std::span<const double> previous, std::size_t m) {
  if (previous.empty()) {
    return;
  }
  require_length("previous", previous.size(), m);
  double sum = 0.0;
  for (std::size_t i = 0; i < m; ++i) {
    if (!(previous[i] >= 0.0 && previous[i] <= 1.0 + rounding)) {
      throw InvalidProblem(at("previous", i) + " is " + shown(previous[i]) +
                           "; the last step's weights must lie in [0, 1]");
    }
    sum += previous[i];
  }
  if (std::abs(sum - 1.0) > rounding) {
    throw InvalidProblem("previous sums to " + shown(sum) + "; the last step's weights must sum to 1");
  }
}

// Cholesky factorisation of the matrix of cosines: scale-free, and a negative pivot beyond rounding is a
// direction of negative squared length.
bool positive_semidefinite(const Problem& problem, std::span<const double> norms) {
  const std::size_t m = problem.size();
  std::vector<double> work(m * m);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      const double scale = norms[i] * norms[j];
      work[i * m + j] = scale > 0.0 ? problem.gram_at(i, j) / norms[i] / norms[j] : 0.0;
    }
  }
  const double tolerance = rounding * static_cast<double>(m);
  std::vector<bool> done(m, false);
  for (std::size_t step = 0; step < m; ++step) {
    std::size_t pivot = m;
    for (std::size_t i = 0; i < m; ++i) {
      if (!done[i] && (pivot == m || work[i * m + i] > work[pivot * m + pivot])) {
        pivot = i;
      }
    }
    const double diagonal = work[pivot * m + pivot];
    if (diagonal <= tolerance) {
      // What remains must be zero up to rounding: with a vanishing diagonal, an entry off it beyond the
      // geometric mean of its diagonals would make the form negative.
      for (std::size_t i = 0; i < m; ++i) {
        for (std::size_t j = 0; j < m; ++j) {
          if (!done[i] && !done[j] && std::abs(work[i * m + j]) > tolerance) {
            return false;
          }
        }
      }
      return true;
    }
    done[pivot] = true;
    for (std::size_t i = 0; i < m; ++i) {
      if (done[i]) {
        continue;
      }
      const double factor = work[i * m + pivot] / diagonal;
      for (std::size_t j = 0; j < m; ++j) {
        if (!done[j]) {
          work[i * m + j] -= factor * work[pivot * m + j];
        }
      }
    }
  }
  return true;
}

void validate_gram(const Problem& problem) {
  const std::size_t m = problem.size();
  if (problem.gram.size() != m * m) {
    throw InvalidProblem("gram has " + std::to_string(problem.gram.size()) + " values; " + std::to_string(m) +
                         " x " + std::to_string(m) + " are needed");
  }
  std::vector<double> norms(m);
  double longest = 0.0;
  double shortest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      if (!std::isfinite(problem.gram_at(i, j))) {
        throw InvalidProblem(at("gram", i, j) + " is " + shown(problem.gram_at(i, j)) +
                             "; it must be finite");
      }
    }
    const double square = problem.gram_at(i, i);
    if (square < 0.0) {
      throw InvalidProblem(at("gram", i, i) + " is " + shown(square) +
                           "; a squared norm must not be negative");
    }
    norms[i] = std::sqrt(square);
    if (square > 0.0 && (norms[i] < smallest_norm || norms[i] > largest_norm)) {
      throw InvalidProblem(at("gram", i, i) + " is " + shown(square) +
                           "; a squared norm must be 0 or lie in [1e-200, 1e200]");
    }
    longest = std::max(longest, norms[i]);
    if (norms[i] > 0.0) {
      shortest = std::min(shortest, norms[i]);
    }
  }
  if (longest > 0.0 && longest / max_spread > shortest) {
    throw InvalidProblem("gram has gradients with norms from " + shown(shortest) + " to " + shown(longest) +
                         "; they may be at most 1e50 apart, or exactly 0");
  }
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double upper = problem.gram_at(j, i);
      const double lower = problem.gram_at(i, j);
      if (std::abs(lower / 2 - upper / 2) > rounding * norms[i] * norms[j] / 2) {
        throw InvalidProblem(at("gram", i, j) + " is " + shown(lower) + " but " + at("gram", j, i) + " is " +
                             shown(upper) + "; a Gram matrix is symmetric");
      }
      if (std::abs(lower) > (1.0 + rounding) * norms[i] * norms[j]) {
        throw InvalidProblem(at("gram", i, j) + " is " + shown(lower) + ", larger than the norms " +
                             shown(norms[i]) + " and " + shown(norms[j]) +
                             " allow; a Gram matrix is positive semidefinite");
      }
    }
  }
  if (m > 2 && !positive_semidefinite(problem, norms)) {
    throw InvalidProblem("gram has a negative eigenvalue; a Gram matrix is positive semidefinite");
  }
}

}  // namespace

std::string_view to_string(Phase phase) {
  return phase == Phase::balance ? "balance" : "descent";
}

std::string_view to_string(Status status) {
  return status == Status::optimal ? "optimal" : "infeasible";
}

void validate(const Problem& problem) {
  validate_losses(problem.losses);
  validate_preference(problem.preference, problem.size());
  validate_gram(problem);
  validate_previous(problem.previous, problem.size());
}

std::vector<double> gram_of(std::span<const double> gradients, std::size_t m) {
  if (m == 0 || gradients.size() % m != 0) {
    throw InvalidProblem("gradients has " + std::to_string(gradients.size()) + " values in " +
                         std::to_string(m) + " rows; rows must have the same length");
  }
  const std::size_t n = gradients.size() / m;
  std::vector<double> gram(m * m);
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (std::size_t k = 0; k < n; ++k) {
        sum += gradients[i * n + k] * gradients[j * n + k];
      }
      gram[i * m + j] = sum;
      gram[j * m + i] = sum;
    }
  }
  return gram;
}

}  // namespace pair::moo
