#include "pair/paper/prop1.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <limits>
#include <nlohmann/json.hpp>
#include <numbers>
#include <numeric>
#include <sstream>

#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/paper/invariant_sets.h"

namespace pair::paper {
namespace {

using data::two_bit::f_irm;
using data::two_bit::Loss;
using data::two_bit::objectives;
using data::two_bit::Odd;
using data::two_bit::Predictor;
using data::two_bit::Spec;
using nlohmann::json;

// Differences of equal risks by rounding; at other points of I_S, risks differ by orders of magnitude more.
constexpr double equal_risks = 1e-9;
constexpr double located = 1e-8;

// From P = Q = 0, D_e = (1 - beta) P + beta Q, off the diagonal: both values sum to 1 / (1 - 2 alpha), and
// their squares to 1.
Odd square_loss_f_1(double alpha) {
  const double sum = 1 / (1 - 2 * alpha);
  const double apart = std::sqrt(2 - sum * sum);
  return {(sum + apart) / 2, (sum - apart) / 2};
}

struct Tally {
  std::size_t cases = 0;
  std::size_t holds = 0;
  std::size_t more = 0;
  std::size_t lower = 0;
  std::size_t misjudged = 0;
  double location_error = 0.0;
  double f_1_error = 0.0;
  double spread = 0.0;
  double nearest_other = std::numeric_limits<double>::infinity();
};

void count(const Spec& spec, Tally& tally) {
  const double erm_of_irm = objectives(spec, f_irm(spec.loss, spec.alpha)).erm.value;
  bool zero = false;
  bool irm = false;
  bool others_apart = true;
  bool more = false;
  bool lower = false;
  for (const Invariant& found : irms_invariants(spec)) {
    const double spread = risk_spread(spec, found.f);
    if (found.name == "f_0" || found.name == "f_IRM") {
      const double error =
          data::two_bit::distance(found.f, found.name == "f_0" ? Odd{0, 0} : f_irm(spec.loss, spec.alpha));
      (found.name == "f_0" ? zero : irm) = error < located && spread < equal_risks;
      tally.location_error = std::max(tally.location_error, error);
      tally.spread = std::max(tally.spread, spread);
      continue;
    }
    more = true;
    others_apart = others_apart && spread > equal_risks;
    tally.nearest_other = std::min(tally.nearest_other, spread / std::abs(spec.betas[1] - spec.betas[0]));
    lower = lower || objectives(spec, found.f).erm.value < erm_of_irm;
    if (spec.loss == Loss::square) {
      const Odd f_1 = square_loss_f_1(spec.alpha);
      const Odd f_2{f_1[1], f_1[0]};
      tally.f_1_error =
          std::max(tally.f_1_error, data::two_bit::distance(found.f, found.name == "f_1" ? f_1 : f_2));
    }
  }
  ++tally.cases;
  tally.holds += zero && irm && others_apart ? 1 : 0;
  tally.more += more ? 1 : 0;
  tally.lower += lower ? 1 : 0;
  tally.misjudged += more != square_loss_has_more(spec.alpha) ||
                             lower != square_loss_fails(spec.alpha, data::two_bit::mean_beta(spec))
                         ? 1
                         : 0;
}

double threshold_formula(Loss loss) {
  if (loss == Loss::square) {
    return (1 - std::numbers::sqrt2 / 2) / 2;
  }
  // The alpha where the Jacobian of (D_1, D_2) is singular at f_IRM: (1 - 2 alpha) log((1 - alpha) / alpha) =
  // 2.
  double low = 0.01;
  double high = 0.5;
  for (int i = 0; i < 100; ++i) {
    const double middle = std::midpoint(low, high);
    ((1 - 2 * middle) * f_irm(loss, middle)[0] > 2 ? low : high) = middle;
  }
  return low;
}

json as_json(Loss loss, const Tally& tally) {
  json result{{"loss", data::two_bit::to_string(loss)},
              {"cases", tally.cases},
              {"holds", tally.holds},
              {"location_error", tally.location_error},
              {"spread", tally.spread},
              {"nearest_other", tally.more > 0 ? json(tally.nearest_other) : json()},
              {"more_than_irm", tally.more},
              {"lower_erm", tally.lower},
              {"threshold", failure_threshold(loss)},
              {"threshold_formula", threshold_formula(loss)}};
  if (loss == Loss::square) {
    result["f_1_error"] = tally.f_1_error;
    result["misjudged"] = tally.misjudged;
  }
  return result;
}

// The circle of the proof, f(1,1)^2 + f(-1,-1)^2 = (1 - 2 alpha) (f(1,1) - f(-1,-1)), scaled about its
// centre. E[f^2] and E[f Y] do not depend on beta if f(1,-1), f(-1,1) are f(1,1), f(-1,-1), or -f(-1,-1),
// -f(1,1).
Predictor on_circle(double alpha, double angle, bool mirrored, double scale = 1.0) {
  const double middle = (1 - 2 * alpha) / 2;
  const double radius = scale * middle * std::numbers::sqrt2;
  const double a = middle + radius * std::cos(angle);
  const double b = -middle + radius * std::sin(angle);
  return mirrored ? Predictor{a, -b, -a, b} : Predictor{a, a, b, b};
}

json circle(const Prop1Grid& grid) {
  constexpr int angles = 64;
  std::size_t cases = 0;
  double derivative = 0.0;
  double spread = 0.0;
  double distance = 0.0;
  double off_circle = std::numeric_limits<double>::infinity();
  for (const double alpha : grid.alphas) {
    const double irm = 1 - 2 * alpha;
    for (const double f : {0.0, irm}) {
      distance = std::max(
          distance, std::abs(std::hypot(f - irm / 2, -f + irm / 2) - std::abs(irm) / std::numbers::sqrt2));
    }
    for (int i = 0; i < 2 * angles; ++i) {
      const double angle = 2 * std::numbers::pi * i / angles;
      const Predictor f = on_circle(alpha, angle, i >= angles);
      double least = std::numeric_limits<double>::infinity();
      double most = 0.0;
      for (const double beta : grid.betas) {
        const double risk = data::two_bit::risk(Loss::square, alpha, beta, f);
        least = std::min(least, risk);
        most = std::max(most, risk);
        derivative = std::max(derivative, std::abs(data::two_bit::derivative(Loss::square, alpha, beta, f)));
        for (const double scale : {0.9, 1.1}) {
          const double off = data::two_bit::derivative(Loss::square, alpha, beta,
                                                       on_circle(alpha, angle, i >= angles, scale));
          off_circle = irm == 0.0 ? off_circle : std::min(off_circle, std::abs(off) / (irm * irm / 2));
        }
        ++cases;
      }
      spread = std::max(spread, most - least);
    }
  }
  return {{"cases", cases},
          {"derivative", derivative},
          {"spread", spread},
          {"distance", distance},
          {"off_circle", off_circle}};
}

}  // namespace

Prop1Grid Prop1Grid::standard() {
  Prop1Grid grid;
  for (int i = 1; i < 100; ++i) {
    grid.alphas.push_back(i / 100.0);
  }
  for (int i = 1; i < 10; ++i) {
    grid.betas.push_back(i / 10.0);
  }
  return grid;
}

bool square_loss_has_more(double alpha) {
  return (1 - 2 * alpha) * (1 - 2 * alpha) > 0.5;
}

bool square_loss_fails(double alpha, double mean_beta) {
  const double t = (1 - 2 * alpha) * (1 - 2 * alpha);
  return square_loss_has_more(alpha) && (1 - 2 * mean_beta) * (1 - 2 * mean_beta) > t * (2 * t - 1);
}

double failure_threshold(Loss loss) {
  double with = 0.05;
  double without = 0.5;
  while (without - with > 1e-9) {
    const double middle = std::midpoint(with, without);
    (irms_invariants({loss, middle, {0.25, 0.75}}).size() > 2 ? with : without) = middle;
  }
  return with;
}

json prop1(const Prop1Grid& grid, const std::function<void(double)>& progress) {
  json result{{"name", "prop1"},
              {"holds", true},
              {"alphas", grid.alphas},
              {"betas", grid.betas},
              {"losses", json::array()}};
  std::size_t done = 0;
  for (const Loss loss : {Loss::square, Loss::logistic}) {
    Tally tally;
    for (const double alpha : grid.alphas) {
      for (auto second = grid.betas.begin(); second != grid.betas.end(); ++second) {
        for (auto first = grid.betas.begin(); first != second; ++first) {
          count({loss, alpha, {*first, *second}}, tally);
        }
      }
      if (progress) {
        progress(static_cast<double>(++done) / static_cast<double>(2 * grid.alphas.size()));
      }
    }
    result["losses"].push_back(as_json(loss, tally));
    result["holds"] = result["holds"].get<bool>() && tally.holds == tally.cases;
  }
  result["circle"] = circle(grid);
  result["holds"] = result["holds"].get<bool>() && result["circle"]["derivative"].get<double>() < located &&
                    result["circle"]["spread"].get<double>() < located;
  return result;
}

std::string prop1_text(const json& result) {
  std::ostringstream out;
  out << "I_S and I_X together leave only f_0 and f_IRM (Proposition 1), " << result["alphas"].size()
      << " values of alpha, every pair of " << result["betas"].size() << " of beta\n\n";
  base::Rows rows{{"loss", "cases", "holds", "location error", "risks apart", "others, at least",
                   "I_S larger", "lower ERM", "f_1 below alpha"}};
  for (const json& loss : result["losses"]) {
    const json& other = loss["nearest_other"];
    rows.push_back({loss["loss"], loss["cases"].dump(), loss["holds"].dump(),
                    base::with_exponent(loss["location_error"], 1), base::with_exponent(loss["spread"], 1),
                    other.is_null() ? "-" : base::with_exponent(other, 1), loss["more_than_irm"].dump(),
                    loss["lower_erm"].dump(), base::with_decimals(loss["threshold"], 6)});
  }
  out << base::aligned(rows, {.left = 1});
  const json& square = result["losses"][0];
  const json& circle = result["circle"];
  out << std::scientific << std::setprecision(1)
      << "\nlocation error: largest distance of f_0 and f_IRM from "
      << "their formulas; risks apart: largest difference\nof the risks there; others: smallest difference "
         "of "
      << "the risks at other points of I_S, per unit of beta.\nlower ERM: cases where one of those has a "
      << "lower ERM loss than f_IRM, so IRMv1 prefers it.\n\n"
      << "Square loss: f_1 and f_2 are within " << square["f_1_error"].get<double>()
      << " of their formulas; (1 - 2 mean beta)^2 > t (2 t - 1) > 0 with\nt = (1 - 2 alpha)^2 predicts the "
      << "failure in all but " << square["misjudged"].get<std::size_t>() << " cases.\n"
      << "The circle of predictors that are not odd: |D_e| at most " << circle["derivative"].get<double>()
      << ", risks at most " << circle["spread"].get<double>() << " apart,\nf_0 and f_IRM at most "
      << circle["distance"].get<double>() << " from it; a tenth of its radius away |D_e| is at least "
      << circle["off_circle"].get<double>() << " of the radius squared.\n\n"
      << (result["holds"].get<bool>() ? "The proposition holds on the whole grid.\n"
                                      : "The proposition FAILS on part of the grid.\n");
  return out.str();
}

}  // namespace pair::paper
