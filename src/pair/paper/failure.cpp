#include "pair/paper/failure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>
#include <vector>

#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/paper/invariant_sets.h"

namespace pair::paper {
namespace {

using data::two_bit::Loss;
using data::two_bit::Objectives;
using data::two_bit::objectives;
using data::two_bit::Odd;
using data::two_bit::Spec;
using nlohmann::json;

struct Window {
  Odd low = {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
  Odd high = {-std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};

  void include(const Odd& f) {
    for (std::size_t i = 0; i < 2; ++i) {
      low[i] = std::min(low[i], f[i]);
      high[i] = std::max(high[i], f[i]);
    }
  }
  void widen(double share) {
    for (std::size_t i = 0; i < 2; ++i) {
      const double margin = share * (high[i] - low[i]);
      low[i] -= margin;
      high[i] += margin;
    }
  }
  [[nodiscard]] double at(std::size_t axis, std::size_t i, std::size_t count) const {
    return std::lerp(low[axis], high[axis], static_cast<double>(i) / static_cast<double>(count - 1));
  }
};

json point(const std::string& name, const Spec& spec, const Odd& f, bool irm_s) {
  const Objectives at = objectives(spec, f);
  // Risks are of order 1, so a spread of this size is rounding.
  constexpr double rounding = 1e-9;
  return {{"name", name},
          {"f", f},
          {"risks", at.risks},
          {"derivatives", at.derivatives},
          {"erm", at.erm.value},
          {"irmv1", at.irmv1.value},
          {"vrex", at.vrex.value},
          {"irm_s", irm_s},
          {"zero_variance", risk_spread(spec, f) < rounding}};
}

// The part of u + v = sum (falling) or u = v (rising) inside the window.
json line_within(const Window& window, bool rising, double sum) {
  const auto v_of = [&](double u) { return rising ? u : sum - u; };
  const double first = std::max(window.low[0], rising ? window.low[1] : sum - window.high[1]);
  const double last = std::min(window.high[0], rising ? window.high[1] : sum - window.low[1]);
  return first < last ? json::array({Odd{first, v_of(first)}, Odd{last, v_of(last)}}) : json();
}

// R_1 - R_2 is (beta_2 - beta_1) (g(u) - g(v)) with g(z) = (1 - alpha) l(z) - alpha l(-z). Under the logistic
// loss, g is decreasing, which leaves u = v. Under the square loss it is a parabola, and u + v = 2 / (1 - 2
// alpha) has equal risks, too; the paper's figures leave it out.
json zero_variance_lines(const Spec& spec, const Window& window) {
  json lines = json::array({line_within(window, true, 0.0)});
  if (spec.loss == Loss::square && spec.alpha != 0.5) {
    if (json line = line_within(window, false, 2 / (1 - 2 * spec.alpha)); !line.is_null()) {
      lines.push_back(std::move(line));
    }
  }
  return lines;
}

json landscape(const Spec& spec, const Window& window, std::size_t count) {
  json result{{"u", json::array()}, {"v", json::array()}};
  for (std::size_t i = 0; i < count; ++i) {
    result["u"].push_back(window.at(0, i, count));
    result["v"].push_back(window.at(1, i, count));
  }
  std::vector<std::vector<double>> erm(count), irmv1(count), vrex(count);
  for (std::size_t row = 0; row < count; ++row) {
    for (std::size_t column = 0; column < count; ++column) {
      const Objectives at = objectives(spec, {window.at(0, column, count), window.at(1, row, count)});
      erm[row].push_back(at.erm.value);
      irmv1[row].push_back(at.irmv1.value);
      vrex[row].push_back(at.vrex.value);
    }
  }
  result["erm"] = std::move(erm);
  result["irmv1"] = std::move(irmv1);
  result["vrex"] = std::move(vrex);
  return result;
}

// Risks are convex and linear in beta: the front consists of the minimisers of w R_1 + (1 - w) R_2, the risk
// at a beta in between.
json pareto(const Spec& spec, std::size_t count) {
  json front = json::array();
  double highest = 0.0;
  for (std::size_t i = 0; i < count; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(count - 1);
    const double beta = std::lerp(spec.betas[0], spec.betas[1], share);
    const Odd f = data::two_bit::optimum(spec.loss, spec.alpha, beta);
    const std::vector<double> risks = objectives(spec, f).risks;
    highest = std::max({highest, risks[0], risks[1]});
    front.push_back({{"beta", beta}, {"f", f}, {"risks", {risks[0], risks[1]}}});
  }
  const double least = objectives(spec, data::two_bit::f_irm(spec.loss, spec.alpha)).erm.value;
  highest = std::max(highest, objectives(spec, {0, 0}).erm.value);
  return {{"front", std::move(front)}, {"zero_variance", {{least, least}, {highest, highest}}}};
}

// Avoids "-0.000000" for the root finder's residual.
double unsigned_zero(const json& value, double digits) {
  return std::abs(value.get<double>()) < digits / 2 ? 0.0 : value.get<double>();
}

}  // namespace

json failure(const Spec& spec, const FailureOptions& options) {
  data::two_bit::validate(spec);
  base::require_integer("grid", static_cast<std::int64_t>(options.grid), 2, 2000);
  base::require_integer("curve_points", static_cast<std::int64_t>(options.curve_points), 8, 100'000);
  base::require_integer("front_points", static_cast<std::int64_t>(options.front_points), 2, 100'000);

  Window window;
  json points = json::array();
  for (const Invariant& invariant : irms_invariants(spec)) {
    points.push_back(point(invariant.name, spec, invariant.f, true));
    window.include(invariant.f);
  }
  const Odd erm = data::two_bit::optimum(spec.loss, spec.alpha, data::two_bit::mean_beta(spec));
  points.push_back(point("f_ERM", spec, erm, false));
  window.include(erm);
  json constraints = json::array();
  for (const double beta : spec.betas) {
    const std::vector<Odd> curve = irms_curve(spec.loss, spec.alpha, beta, options.curve_points);
    std::for_each(curve.begin(), curve.end(), [&window](const Odd& f) { window.include(f); });
    constraints.push_back({{"beta", beta}, {"curve", curve}});
  }
  window.widen(0.1);

  return {{"name", "fig-failure"},
          {"loss", data::two_bit::to_string(spec.loss)},
          {"alpha", spec.alpha},
          {"betas", spec.betas},
          {"window", {{"low", window.low}, {"high", window.high}}},
          {"points", std::move(points)},
          {"constraints", std::move(constraints)},
          {"zero_variance", zero_variance_lines(spec, window)},
          {"landscape", landscape(spec, window, options.grid)},
          {"pareto", pareto(spec, options.front_points)}};
}

std::string failure_text(const json& failure) {
  std::ostringstream out;
  out << "Two-bit environments, " << failure["loss"].get<std::string>() << " loss, alpha "
      << failure["alpha"].get<double>() << ", beta";
  for (const json& beta : failure["betas"]) {
    out << ' ' << beta.get<double>();
  }
  out << "\n\n";
  base::Rows rows{{"", "satisfies", "f(1,1)", "f(1,-1)", "ERM", "IRMv1", "V-REx"}};
  std::string least = "f_IRM";
  double least_erm = std::numeric_limits<double>::infinity();
  for (const json& point : failure["points"]) {
    std::vector<std::string> satisfied;
    if (point["irm_s"].get<bool>()) {
      satisfied.emplace_back("IRM_S");
    }
    if (point["zero_variance"].get<bool>()) {
      satisfied.emplace_back("zero variance");
    }
    rows.push_back(
        {point["name"], base::joined(satisfied), base::with_decimals(unsigned_zero(point["f"][0], 1e-6), 6),
         base::with_decimals(unsigned_zero(point["f"][1], 1e-6), 6), base::with_decimals(point["erm"], 6),
         base::with_exponent(point["irmv1"], 2), base::with_exponent(point["vrex"], 2)});
    if (point["irm_s"].get<bool>() && point["erm"].get<double>() < least_erm) {
      least = point["name"].get<std::string>();
      least_erm = point["erm"].get<double>();
    }
  }
  out << base::aligned(rows, {.left = 2}) << "\n"
      << least << " has the smallest ERM loss among the predictors that satisfy IRM_S"
      << (least == "f_IRM" ? ".\n" : ": IRM_S and IRMv1 prefer it to f_IRM.\n");
  return out.str();
}

}  // namespace pair::paper
