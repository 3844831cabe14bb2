#include "pair/moo/problem.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pair/base/numbers.h"

namespace pair::moo {
namespace {

using base::shown;

// Deviations from symmetry and definiteness of a float32 Gram matrix, widened to double.
constexpr double rounding = 1e-6;
constexpr double max_spread = 1e50;
// Beyond these norms of gradients, products of a few of them could leave the range of doubles.
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
    throw InvalidProblem(std::string(field) + ": expected " + std::to_string(expected) +
                         " values, one per objective, got " + std::to_string(length));
  }
}

void validate_losses(std::span<const double> losses) {
  const std::size_t m = losses.size();
  if (m < min_objectives || m > max_objectives) {
    throw InvalidProblem("losses: expected " + std::to_string(min_objectives) + " to " +
                         std::to_string(max_objectives) + " values, one per objective, got " +
                         std::to_string(m));
  }
  bool any_positive = false;
  for (std::size_t i = 0; i < m; ++i) {
    if (!std::isfinite(losses[i]) || losses[i] < 0.0) {
      throw InvalidProblem(at("losses", i) + ": expected a finite number that is not negative, got " +
                           shown(losses[i]));
    }
    any_positive = any_positive || losses[i] > 0.0;
  }
  if (!any_positive) {
    throw InvalidProblem("losses: expected at least one above 0, got only zeros");
  }
}

void validate_preference(std::span<const double> preference, std::size_t m) {
  require_length("preference", preference.size(), m);
  for (std::size_t i = 0; i < m; ++i) {
    if (!std::isfinite(preference[i]) || preference[i] <= 0.0) {
      throw InvalidProblem(at("preference", i) + ": expected a finite positive number, got " +
                           shown(preference[i]));
    }
  }
  const auto [low, high] = std::minmax_element(preference.begin(), preference.end());
  if (*high / max_spread > *low) {
    throw InvalidProblem("preference: expected values that differ by a factor of at most 1e50, got " +
                         shown(*low) + " to " + shown(*high));
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
      throw InvalidProblem(at("previous", i) + ": expected a weight in [0, 1], got " + shown(previous[i]));
    }
    sum += previous[i];
  }
  if (std::abs(sum - 1.0) > rounding) {
    throw InvalidProblem("previous: expected weights that sum to 1, got the sum " + shown(sum));
  }
}

// Cholesky factorisation of the matrix of cosines: scale-free; a negative pivot beyond rounding is a
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
      // The rest must be zero up to rounding: with a vanishing diagonal, an off-diagonal entry beyond the
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
    throw InvalidProblem("gram: expected " + std::to_string(m) + " x " + std::to_string(m) + " values, got " +
                         std::to_string(problem.gram.size()));
  }
  std::vector<double> norms(m);
  double longest = 0.0;
  double shortest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < m; ++j) {
      if (!std::isfinite(problem.gram_at(i, j))) {
        throw InvalidProblem(at("gram", i, j) + ": expected a finite number, got " +
                             shown(problem.gram_at(i, j)));
      }
    }
    const double square = problem.gram_at(i, i);
    if (square < 0.0) {
      throw InvalidProblem(at("gram", i, i) + ": expected a squared norm, not negative, got " +
                           shown(square));
    }
    norms[i] = std::sqrt(square);
    if (square > 0.0 && (norms[i] < smallest_norm || norms[i] > largest_norm)) {
      throw InvalidProblem(at("gram", i, i) + ": expected a squared norm of 0 or in [1e-200, 1e200], got " +
                           shown(square));
    }
    longest = std::max(longest, norms[i]);
    if (norms[i] > 0.0) {
      shortest = std::min(shortest, norms[i]);
    }
  }
  if (longest > 0.0 && longest / max_spread > shortest) {
    throw InvalidProblem(
        "gram: expected gradients whose norms differ by a factor of at most 1e50 or are 0, got " +
        shown(shortest) + " to " + shown(longest));
  }
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const double upper = problem.gram_at(j, i);
      const double lower = problem.gram_at(i, j);
      if (std::abs(lower / 2 - upper / 2) > rounding * norms[i] * norms[j] / 2) {
        throw InvalidProblem("gram: expected a symmetric matrix, got " + at("gram", i, j) + " = " +
                             shown(lower) + " and " + at("gram", j, i) + " = " + shown(upper));
      }
      if (std::abs(lower) > (1.0 + rounding) * norms[i] * norms[j]) {
        throw InvalidProblem("gram: expected a positive semidefinite matrix, got " + at("gram", i, j) +
                             " = " + shown(lower) + ", beyond the product of the norms " + shown(norms[i]) +
                             " and " + shown(norms[j]));
      }
    }
  }
  if (m > 2 && !positive_semidefinite(problem, norms)) {
    throw InvalidProblem("gram: expected a positive semidefinite matrix, got one with a negative eigenvalue");
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
    throw InvalidProblem("gradients: expected " + std::to_string(m) + " rows of the same length, got " +
                         std::to_string(gradients.size()) + " values");
  }
  const std::size_t n = gradients.size() / m;
  std::vector<double> gram(m * m);
  for (std::size_t i = 0; i < m; ++i) {
    const auto gradient = gradients.subspan(i * n, n);
    const auto wrong =
        std::find_if(gradient.begin(), gradient.end(), [](double value) { return !std::isfinite(value); });
    if (wrong != gradient.end()) {
      throw InvalidProblem(at("gradients", i) + ": expected finite numbers, got " + shown(*wrong));
    }
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = 0.0;
      for (std::size_t k = 0; k < n; ++k) {
        sum += gradients[i * n + k] * gradients[j * n + k];
      }
      if (!std::isfinite(sum)) {
        throw InvalidProblem(
            at("gradients", i) + " and " + at("gradients", j) +
            ": their inner product is beyond the range of a double; expected smaller gradients");
      }
      gram[i * m + j] = sum;
      gram[j * m + i] = sum;
    }
    if (gram[i * m + i] < smallest_norm * smallest_norm &&
        std::any_of(gradient.begin(), gradient.end(), [](double value) { return value != 0.0; })) {
      throw InvalidProblem(at("gradients", i) +
                           ": expected a norm of 0 or in [1e-100, 1e100], got one below 1e-100");
    }
  }
  return gram;
}

}  // namespace pair::moo
