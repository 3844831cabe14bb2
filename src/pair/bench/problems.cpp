#include "pair/bench/problems.h"

#include <cmath>
#include <initializer_list>
#include <numbers>

#include "pair/base/splitmix64.h"

namespace pair::bench {
namespace {

// SplitMix64. The standard library's distributions differ between
// implementations, so the draws are written out.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}

  double uniform(double low, double high) {
    return low + (high - low) * static_cast<double>(next() >> 11) * 0x1p-53;
  }
  double normal() {
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform(0.0, 1.0)));
    return radius * std::cos(2.0 * std::numbers::pi * uniform(0.0, 1.0));
  }
  std::size_t below(std::size_t count) { return static_cast<std::size_t>(next() % count); }
  double one_of(std::initializer_list<double> values) { return values.begin()[below(values.size())]; }
  // A log-uniform value over this many decades, centred at 1.
  double spread_over(double decades) { return std::pow(10.0, uniform(-decades / 2, decades / 2)); }

 private:
  std::uint64_t next() { return base::splitmix64::mixed(state_ += base::splitmix64::increment); }

  std::uint64_t state_;
};

std::vector<double> draw_gram(std::size_t m, Draws& draws) {
  // Fewer coordinates than objectives make the gradients linearly dependent.
  const std::size_t n = draws.below(5) == 0 && m > 2 ? m - 1 : m + draws.below(3 * m);
  const double decades = draws.one_of({0.0, 4.0, 12.0});
  // The share of a common direction in each gradient: positive values align them, mixed signs oppose them.
  const double shared = draws.one_of({0.0, 1.0, 4.0});
  const bool opposed = draws.below(2) == 0;

  std::vector<double> gradients(m * n);
  for (std::size_t i = 0; i < m; ++i) {
    const double norm = draws.spread_over(decades);
    const double share = opposed && draws.below(2) == 0 ? -shared : shared;
    for (std::size_t k = 0; k < n; ++k) {
      gradients[i * n + k] = norm * (draws.normal() + share);
    }
  }
  return moo::gram_of(gradients, m);
}

std::vector<double> draw_losses(std::size_t m, const std::vector<double>& preference, Draws& draws) {
  enum Place { anywhere, near_the_ray, on_the_ray };
  const auto place = static_cast<Place>(draws.below(3));
  std::vector<double> losses(m);
  for (std::size_t i = 0; i < m; ++i) {
    switch (place) {
      case anywhere:
        losses[i] = draws.spread_over(8.0);
        break;
      case near_the_ray:
        losses[i] = std::exp(draws.normal()) / preference[i];
        break;
      case on_the_ray:
        losses[i] = std::exp(1e-3 * draws.normal()) / preference[i];
        break;
    }
  }
  return losses;
}

}  // namespace

std::vector<BenchProblem> bench_problems(std::size_t m, std::size_t count, std::uint64_t seed) {
  Draws draws(seed);
  std::vector<BenchProblem> problems(count);
  for (BenchProblem& problem : problems) {
    problem.gram = draw_gram(m, draws);
    const double decades = draws.one_of({0.0, 6.0, 12.0});
    for (std::size_t i = 0; i < m; ++i) {
      problem.preference.push_back(draws.spread_over(decades));
    }
    problem.losses = draw_losses(m, problem.preference, draws);
  }
  return problems;
}

}  // namespace pair::bench
