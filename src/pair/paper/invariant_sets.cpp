#include "pair/paper/invariant_sets.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>
#include <span>

namespace pair::paper {
namespace {

using data::two_bit::derivative;
using data::two_bit::f_irm;
using data::two_bit::Loss;
using data::two_bit::objectives;
using data::two_bit::Odd;
using data::two_bit::Spec;
using data::two_bit::Valued;

constexpr double same_point = 1e-6;

// The zero, to the last bit, of a continuous function that is negative at `low` and positive at `high`.
template <class Function>
double bisect(double low, double high, Function function) {
  for (;;) {
    const double middle = std::midpoint(low, high);
    if (middle == low || middle == high) {
      return middle;
    }
    (function(middle) < 0.0 ? low : high) = middle;
  }
}

// D_e as the sum of two functions of one variable, each with one minimum.
class Separated {
 public:
  Separated(Loss loss, double alpha, double beta, double radius) : loss_(loss), alpha_(alpha), beta_(beta) {
    for (std::size_t i = 0; i < 2; ++i) {
      bottom_[i] = bisect(-radius, radius, [&](double z) { return slope(i, z); });
    }
  }

  [[nodiscard]] const Odd& bottom() const { return bottom_; }
  [[nodiscard]] Valued at(const Odd& f) const { return derivative(loss_, alpha_, beta_, f); }

  // Whether D_e has a zero in [low, high]; false positives only by rounding.
  [[nodiscard]] bool may_vanish(const Odd& low, const Odd& high) const {
    double least = 0.0;
    double most = 0.0;
    for (std::size_t i = 0; i < 2; ++i) {
      const double at_low = part(i, low[i]);
      const double at_high = part(i, high[i]);
      const bool holds_bottom = low[i] <= bottom_[i] && bottom_[i] <= high[i];
      least += holds_bottom ? part(i, bottom_[i]) : std::min(at_low, at_high);
      most += std::max(at_low, at_high);
    }
    constexpr double rounding = 1e-14;
    return least <= rounding && most >= -rounding;
  }

 private:
  [[nodiscard]] double part(std::size_t i, double z) const {
    return data::two_bit::derivative_term(loss_, alpha_, beta_, i, z);
  }
  [[nodiscard]] double slope(std::size_t i, double z) const {
    Odd f{0.0, 0.0};
    f[i] = z;
    return at(f).gradient[i];
  }

  Loss loss_;
  double alpha_;
  double beta_;
  Odd bottom_{};
};

// Half the side of a square around zero that contains the curve of D_e. Outside of [0, f*], with f* the
// environment's optimum, each of the two parts increases away from zero; once one exceeds the magnitude of
// the other's minimum, no zeros remain.
double radius_of(Loss loss, double alpha, double beta) {
  const Odd best = data::two_bit::optimum(loss, alpha, beta);
  double radius = std::abs(best[0]) + std::abs(best[1]) + 1;
  // z l'(z) is at least -1/4 (square) or -W(1/e) = -0.2785 (logistic).
  constexpr double lowest = -0.28;
  const auto passed = [&](const Odd& f) { return derivative(loss, alpha, beta, f).value + lowest > 0.0; };
  while (!(passed({radius, 0}) && passed({-radius, 0}) && passed({0, radius}) && passed({0, -radius}))) {
    radius *= 2;
  }
  return radius;
}

std::optional<Odd> polished(std::span<const Separated> environments, Odd f) {
  for (int iteration = 0; iteration < 100; ++iteration) {
    const Valued a = environments[0].at(f);
    const Valued b = environments[1].at(f);
    const double determinant = a.gradient[0] * b.gradient[1] - a.gradient[1] * b.gradient[0];
    const Odd step{(a.value * b.gradient[1] - b.value * a.gradient[1]) / determinant,
                   (b.value * a.gradient[0] - a.value * b.gradient[0]) / determinant};
    if (!std::isfinite(step[0]) || !std::isfinite(step[1])) {
      // A vanishing determinant is only acceptable at an exact zero.
      return a.value == 0.0 && b.value == 0.0 ? std::optional(f) : std::nullopt;
    }
    f = {f[0] - step[0], f[1] - step[1]};
    if (std::hypot(step[0], step[1]) <= 1e-15 * (1 + std::hypot(f[0], f[1]))) {
      return f;
    }
  }
  // Rounding may keep it oscillating in the last digits.
  return std::hypot(environments[0].at(f).value, environments[1].at(f).value) < 1e-14 ? std::optional(f)
                                                                                      : std::nullopt;
}

std::vector<Odd> common_zeros(const Spec& spec) {
  double radius = 0.0;
  for (const double beta : spec.betas) {
    radius = std::max(radius, radius_of(spec.loss, spec.alpha, beta));
  }
  std::vector<Separated> environments;
  for (const double beta : spec.betas) {
    environments.emplace_back(spec.loss, spec.alpha, beta, radius);
  }
  struct Box {
    Odd low;
    double side;
  };
  std::vector<Odd> zeros;
  std::vector<Box> boxes{{{-radius, -radius}, 2 * radius}};
  while (!boxes.empty()) {
    const Box box = boxes.back();
    boxes.pop_back();
    const Odd high{box.low[0] + box.side, box.low[1] + box.side};
    if (!std::all_of(environments.begin(), environments.end(),
                     [&](const Separated& one) { return one.may_vanish(box.low, high); })) {
      continue;
    }
    const double half = box.side / 2;
    if (box.side > 1e-4 * radius) {
      for (const double right : {0.0, half}) {
        for (const double up : {0.0, half}) {
          boxes.push_back({{box.low[0] + right, box.low[1] + up}, half});
        }
      }
      continue;
    }
    const std::optional<Odd> zero = polished(environments, {box.low[0] + half, box.low[1] + half});
    if (zero && std::none_of(zeros.begin(), zeros.end(), [&](const Odd& known) {
          return data::two_bit::distance(known, *zero) < same_point;
        })) {
      zeros.push_back(*zero);
    }
  }
  return zeros;
}

}  // namespace

std::vector<Invariant> irms_invariants(const Spec& spec) {
  data::two_bit::validate(spec);
  std::vector<Odd> zeros = common_zeros(spec);
  std::vector<Invariant> named;
  const auto take = [&](const std::string& name, auto belongs) {
    const auto found = std::find_if(zeros.begin(), zeros.end(), belongs);
    if (found != zeros.end()) {
      named.push_back({name, *found});
      zeros.erase(found);
    }
  };
  const Odd invariant = f_irm(spec.loss, spec.alpha);
  take("f_0", [](const Odd& f) { return data::two_bit::distance(f, {0, 0}) < same_point; });
  if (!named.empty() && data::two_bit::distance(named.front().f, invariant) < same_point) {
    named.push_back({"f_IRM", named.front().f});
  } else {
    take("f_IRM", [&](const Odd& f) { return data::two_bit::distance(f, invariant) < same_point; });
  }
  take("f_1", [](const Odd& f) { return f[0] > f[1]; });
  take("f_2", [](const Odd& f) { return f[0] < f[1]; });
  for (std::size_t i = 3; !zeros.empty(); ++i) {
    take("f_" + std::to_string(i), [](const Odd&) { return true; });
  }
  return named;
}

double risk_spread(const Spec& spec, const Odd& f) {
  const std::vector<double> risks = objectives(spec, f).risks;
  const auto [least, most] = std::minmax_element(risks.begin(), risks.end());
  return *most - *least;
}

std::vector<Odd> irms_curve(Loss loss, double alpha, double beta, std::size_t count) {
  const double radius = radius_of(loss, alpha, beta);
  const Separated environment(loss, alpha, beta, radius);
  const Odd middle = environment.bottom();
  std::vector<Odd> curve;
  for (std::size_t i = 0; i < count; ++i) {
    const double angle = 2 * std::numbers::pi * static_cast<double>(i) / static_cast<double>(count);
    const auto along = [&](double length) -> Odd {
      return {middle[0] + length * std::cos(angle), middle[1] + length * std::sin(angle)};
    };
    // From the middle, which is inside the square, the far side is at most two diagonals away.
    curve.push_back(
        along(bisect(0.0, 4 * radius, [&](double length) { return environment.at(along(length)).value; })));
  }
  return curve;
}

}  // namespace pair::paper
