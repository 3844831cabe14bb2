#include "pair/paper/stall.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/moo/epo.h"
#include "pair/moo/pareto.h"
#include "pair/moo/preference.h"
#include "pair/moo/weights.h"

namespace pair::paper {
namespace {

using data::two_bit::Objectives;
using data::two_bit::objectives;
using data::two_bit::Odd;
using data::two_bit::Spec;
using data::two_bit::Valued;
using nlohmann::json;

constexpr std::array<const char*, 3> names = {"erm", "irmv1", "vrex"};

json cosine(const std::vector<double>& gram, std::size_t i, std::size_t j) {
  // Smaller gradients are rounding errors of zero, without a meaningful direction.
  constexpr double vanished = 1e-14;
  const double norms = std::sqrt(gram[i * 3 + i]) * std::sqrt(gram[j * 3 + j]);
  return std::sqrt(gram[i * 3 + i]) > vanished && std::sqrt(gram[j * 3 + j]) > vanished
             ? json(gram[i * 3 + j] / norms)
             : json();
}

json point(const Spec& spec, double beta, const std::vector<double>& preference, double epsilon) {
  const Odd f = data::two_bit::optimum(spec.loss, spec.alpha, beta);
  const Objectives at = objectives(spec, f);
  const std::vector<double> losses{at.erm.value, at.irmv1.value, at.vrex.value};
  std::vector<double> gradients;
  for (const Valued& one : {at.erm, at.irmv1, at.vrex}) {
    gradients.insert(gradients.end(), one.gradient.begin(), one.gradient.end());
  }
  const std::vector<double> gram = moo::gram_of(gradients, 3);
  const moo::Problem problem{losses, gram, preference};
  const moo::Solution solution = moo::Epo(epsilon).weigh(problem);
  const moo::Stance stance = moo::stance_of(problem);
  const auto worst = static_cast<std::size_t>(
      std::max_element(stance.weighted.begin(), stance.weighted.end()) - stance.weighted.begin());

  Odd balance{0.0, 0.0};  // g_b
  for (std::size_t i = 0; i < 3; ++i) {
    balance[0] += stance.adjustment[i] * gradients[2 * i];
    balance[1] += stance.adjustment[i] * gradients[2 * i + 1];
  }
  const double worst_norm = std::sqrt(gram[worst * 3 + worst]);
  const double pull = (balance[0] * gradients[2 * worst] + balance[1] * gradients[2 * worst + 1]) /
                      (std::hypot(balance[0], balance[1]) * worst_norm);
  return {{"beta", beta},
          {"f", f},
          {"losses", losses},
          {"norms", {std::sqrt(gram[0]), std::sqrt(gram[4]), std::sqrt(gram[8])}},
          {"cosine_erm_vrex", cosine(gram, 0, 2)},
          {"cosine_irmv1_vrex", cosine(gram, 1, 2)},
          {"pareto_stationarity", moo::pareto_stationarity(gram, 3) / worst_norm},
          {"adjustment", stance.adjustment},
          {"worst", names[worst]},
          {"pull", pull},
          {"weights", solution.weights},
          {"speed", moo::improvements(problem, solution.weights)[worst] / (worst_norm * worst_norm)},
          {"stalls", pull <= 0.0}};
}

}  // namespace

json stall(const Spec& spec, const std::vector<double>& preference, double epsilon) {
  data::two_bit::validate(spec);
  json result{{"name", "stall"},          {"loss", data::two_bit::to_string(spec.loss)},
              {"alpha", spec.alpha},      {"betas", spec.betas},
              {"preference", preference}, {"epsilon", epsilon},
              {"points", json::array()}};
  const double first = data::two_bit::mean_beta(spec);
  for (const double share : {0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99}) {
    result["points"].push_back(point(spec, std::lerp(first, 0.5, share), preference, epsilon));
  }
  return result;
}

std::string stall_text(const json& result) {
  std::ostringstream out;
  out << "From the ERM optimum to f_IRM, " << result["loss"].get<std::string>() << " loss, alpha "
      << result["alpha"].get<double>() << ", beta " << result["betas"][0].get<double>() << " and "
      << result["betas"][1].get<double>() << ", preference (" << result["preference"][0].get<double>() << ", "
      << result["preference"][1].get<double>() << ", " << result["preference"][2].get<double>() << ")\n\n";
  base::Rows rows{{"f(1,1)", "f(1,-1)", "ERM", "IRMv1", "V-REx", "cos ERM,V-REx", "cos IRMv1,V-REx", "worst",
                   "pull", "w ERM", "w IRMv1", "w V-REx", "speed", ""}};
  for (const json& point : result["points"]) {
    const auto decimals = [](const json& value, int count) {
      return value.is_null() ? "-" : base::with_decimals(value, count);
    };
    const auto power = [](const json& value) {
      return value.is_null() ? "-" : base::with_exponent(value, 1);
    };
    rows.push_back({decimals(point["f"][0], 4), decimals(point["f"][1], 4), decimals(point["losses"][0], 4),
                    power(point["losses"][1]), power(point["losses"][2]),
                    decimals(point["cosine_erm_vrex"], 3), decimals(point["cosine_irmv1_vrex"], 3),
                    point["worst"], decimals(point["pull"], 3), power(point["weights"][0]),
                    power(point["weights"][1]), power(point["weights"][2]), power(point["speed"]),
                    point["stalls"].get<bool>() ? "stalls" : ""});
  }
  out << base::aligned(rows, {.indent = "  ", .left = 0});
  out << "\nw: EPO's weights. pull: the cosine of EPO's balance direction with the gradient of the most "
         "violated objective; "
         "below 0"
      << "\nEPO has no weights that lower it. speed: how fast EPO lowers it, 1 for its own gradient alone.\n";
  return out.str();
}

}  // namespace pair::paper
