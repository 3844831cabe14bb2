#include "pair/paper/two_bit_descent.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>
#include <stdexcept>

#include "pair/base/names.h"
#include "pair/train/guard.h"

namespace pair::paper {
namespace {

using data::two_bit::Loss;
using data::two_bit::Objectives;
using data::two_bit::objectives;
using data::two_bit::Odd;
using data::two_bit::Spec;
using data::two_bit::Valued;

// In the order of PairStep.
constexpr std::array<std::string_view, 2> steps = {"decaying", "guarded"};
constexpr std::array<std::string_view, 2> cases = {"failure", "original"};

double dot(const Odd& a, const Odd& b) {
  return a[0] * b[0] + a[1] * b[1];
}

Odd moved(const Odd& f, double length, const Odd& direction) {
  return {f[0] - length * direction[0], f[1] - length * direction[1]};
}

Valued linear(const Spec& spec, Penalty penalty, double weight, const Odd& f) {
  const Objectives at = objectives(spec, f);
  const Valued& term = penalty == Penalty::irmv1 ? at.irmv1 : at.vrex;
  return {at.erm.value + weight * term.value,
          {at.erm.gradient[0] + weight * term.gradient[0], at.erm.gradient[1] + weight * term.gradient[1]}};
}

// One point as the solver sees it.
struct Seen {
  std::vector<double> losses;
  std::vector<double> gradients;
  std::vector<double> gram;

  Seen(const Spec& spec, const Odd& f) {
    const Objectives at = objectives(spec, f);
    for (const Valued& one : {at.erm, at.irmv1, at.vrex}) {
      losses.push_back(one.value);
      gradients.insert(gradients.end(), one.gradient.begin(), one.gradient.end());
    }
    gram = moo::gram_of(gradients, losses.size());
  }

  [[nodiscard]] bool stationary() const {
    return std::all_of(gradients.begin(), gradients.end(), [](double g) { return g == 0.0; });
  }
  [[nodiscard]] Odd direction(std::span<const double> weights) const {
    Odd sum{0.0, 0.0};
    for (std::size_t i = 0; i < weights.size(); ++i) {
      sum[0] += weights[i] * gradients[2 * i];
      sum[1] += weights[i] * gradients[2 * i + 1];
    }
    return sum;
  }
};

Odd descend_decaying(const Spec& spec, const moo::Solver& solver, const PairDescent& descent, Odd f) {
  for (std::size_t t = 0; t < descent.steps; ++t) {
    const Seen seen(spec, f);
    if (seen.stationary()) {
      break;
    }
    const Odd direction = seen.direction(solver.weigh({seen.losses, seen.gram, descent.preference}).weights);
    const double left = 1 - static_cast<double>(t) / static_cast<double>(descent.steps);
    const double norm = std::hypot(direction[0], direction[1]);
    if (norm > 0.0) {
      f = moved(f, descent.first_length * left * left / norm, direction);
    }
  }
  return f;
}

// The rules of train/guard.h, for two numbers instead of a network.
Odd descend_guarded(const Spec& spec, const moo::Solver& solver, const PairDescent& descent, Odd f) {
  constexpr double momentum = 0.9;
  Odd velocity{0.0, 0.0};
  Odd last_good = f;
  train::GuardState guard;
  std::vector<double> weights;
  std::vector<double> losses;
  for (std::size_t t = 0; t < descent.steps; ++t) {
    const Seen seen(spec, f);
    if (seen.stationary()) {
      break;
    }
    if (!weights.empty() && train::GuardState::overshot(descent.preference, weights, losses, seen.losses)) {
      f = last_good;
      velocity = {0.0, 0.0};
      guard.take_back();
      continue;
    }
    guard.hold();
    weights = solver.weigh({seen.losses, seen.gram, descent.preference}).weights;
    losses = seen.losses;
    last_good = f;
    const Odd direction = seen.direction(weights);
    if (train::GuardState::opposed(dot(direction, velocity))) {
      velocity = {0.0, 0.0};
    }
    velocity = {momentum * velocity[0] + direction[0], momentum * velocity[1] + direction[1]};
    const double done = static_cast<double>(t) / static_cast<double>(descent.steps);
    const double rate = descent.learning_rate * (1 + std::cos(std::numbers::pi * done)) / 2;
    f = moved(f, rate * guard.lr_factor(), velocity);
  }
  return f;
}

}  // namespace

std::string_view to_string(PairStep step) {
  return steps.at(static_cast<std::size_t>(step));
}

PairStep pair_step_from(std::string_view name) {
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i] == name) {
      return static_cast<PairStep>(i);
    }
  }
  throw std::invalid_argument(base::unknown_name("step", name, steps));
}

Spec two_bit_case(std::string_view name) {
  if (name == "failure") {
    return {Loss::square, 0.1, {0.11, 0.4}};
  }
  if (name == "original") {
    return {Loss::square, 0.25, {0.1, 0.2}};
  }
  throw std::invalid_argument(base::unknown_name("case", name, cases));
}

Odd pretrained(const Spec& spec, Odd f, std::size_t steps) {
  // l'' is at most 1 (square) or 1/4 (logistic).
  const double rate = spec.loss == Loss::square ? 1.0 : 4.0;
  for (std::size_t t = 0; t < steps; ++t) {
    f = moved(f, rate, objectives(spec, f).erm.gradient);
  }
  return f;
}

Odd descend_linear(const Spec& spec, Penalty penalty, double penalty_weight, Odd f) {
  constexpr std::size_t most_steps = 20'000;
  constexpr double converged = 1e-9;
  constexpr double armijo = 1e-4;
  Valued at = linear(spec, penalty, penalty_weight, f);
  double length = 1 / (1 + penalty_weight);
  for (std::size_t t = 0; t < most_steps; ++t) {
    const double squared = dot(at.gradient, at.gradient);
    if (squared < converged * converged) {
      break;
    }
    Odd next = moved(f, length, at.gradient);
    Valued there = linear(spec, penalty, penalty_weight, next);
    while (!(there.value <= at.value - armijo * length * squared)) {
      length /= 2;
      next = moved(f, length, at.gradient);
      if (next == f) {
        return f;  // nothing lower up to rounding
      }
      there = linear(spec, penalty, penalty_weight, next);
    }
    const Odd step = moved(next, 1, f);
    const Odd change = moved(there.gradient, 1, at.gradient);
    const double curvature = dot(step, change);
    length = curvature > 0.0 ? dot(step, step) / curvature : 2 * length;
    f = next;
    at = there;
  }
  return f;
}

Odd descend_pair(const Spec& spec, const moo::Solver& solver, const PairDescent& descent, Odd f) {
  return descent.step == PairStep::decaying ? descend_decaying(spec, solver, descent, f)
                                            : descend_guarded(spec, solver, descent, f);
}

}  // namespace pair::paper
