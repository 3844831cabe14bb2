#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "pair/moo/problem.h"

// Random problems for the tests of this folder.

namespace pair::moo::testing {

// A problem that owns its numbers.
struct Case {
  std::vector<double> losses;
  std::vector<double> gram;
  std::vector<double> preference;
  std::vector<double> previous;

  [[nodiscard]] Problem view() const { return {losses, gram, preference, previous}; }
  [[nodiscard]] std::size_t size() const { return losses.size(); }
};

struct Spread {
  double loss_decades = 6;        // losses differ by up to 10^this
  double gradient_decades = 6;    // norms of gradients likewise
  double preference_decades = 6;  // preferences likewise
  double on_the_ray = 0.2;        // share of problems with losses on or near the preferred ray
};

class ProblemSource {
 public:
  explicit ProblemSource(std::uint64_t seed, Spread spread = {}) : engine_(seed), spread_(spread) {}

  Case draw(std::size_t m) {
    Case result;
    const std::size_t n = m + 1 + engine_() % 3;
    std::vector<double> gradients(m * n);
    // A common part makes some problems harmonious and others full of conflict.
    const double common = 2 * uniform();
    for (std::size_t i = 0; i < m; ++i) {
      const double norm = decades(spread_.gradient_decades);
      for (std::size_t k = 0; k < n; ++k) {
        gradients[i * n + k] = norm * (normal() + (k == 0 ? common : 0.0));
      }
    }
    result.gram = gram_of(gradients, m);
    const double near = uniform() < spread_.on_the_ray ? (uniform() < 0.5 ? 0.0 : 1e-3) : -1.0;
    for (std::size_t i = 0; i < m; ++i) {
      result.losses.push_back(decades(spread_.loss_decades));
      result.preference.push_back(near < 0 ? decades(spread_.preference_decades)
                                           : std::exp(near * normal()) / result.losses.back());
    }
    return result;
  }

  double uniform() { return std::uniform_real_distribution<>(0.0, 1.0)(engine_); }
  double normal() { return std::normal_distribution<>()(engine_); }
  // Log-uniform over this many decades, ending at 1.
  double decades(double count) { return std::pow(10.0, -count * uniform()); }

 private:
  std::mt19937_64 engine_;
  Spread spread_;
};

}  // namespace pair::moo::testing
