// two_bit() and two_bit_text() of two_bit_descent.h: every method from every start.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/data/random.h"
#include "pair/moo/registry.h"
#include "pair/paper/invariant_sets.h"
#include "pair/paper/two_bit_descent.h"

namespace pair::paper {
namespace {

using data::two_bit::Loss;
using data::two_bit::Odd;
using data::two_bit::Spec;
using nlohmann::json;

constexpr double within = 0.02;
constexpr double square_box = 2.0;
constexpr double logistic_box = 5.0;

double box_of(Loss loss) {
  return loss == Loss::square ? square_box : logistic_box;
}

void check(const TwoBitOptions& options) {
  if (options.starts < 1 || options.starts > 100'000) {
    throw std::invalid_argument("starts: expected 1 to 100000, got " + std::to_string(options.starts));
  }
  if (options.pretrain > 100'000) {
    throw std::invalid_argument("pretrain: expected 0 to 100000, got " + std::to_string(options.pretrain));
  }
  if (options.pair.preference.size() != 3) {
    throw std::invalid_argument("preference: expected three values, for ERM, IRMv1 and V-REx, got " +
                                std::to_string(options.pair.preference.size()));
  }
  for (const double p : options.pair.preference) {
    if (!(p > 0.0) || !std::isfinite(p)) {
      throw std::invalid_argument("preference: expected positive values, got " + base::shown(p));
    }
  }
  if (!(options.pair.learning_rate > 0.0) || !std::isfinite(options.pair.learning_rate)) {
    throw std::invalid_argument("learning_rate: expected a positive number, got " +
                                base::shown(options.pair.learning_rate));
  }
}

// The number of starts that end at each of the points, and the positions of the others.
class Ends {
 public:
  Ends(const Spec& spec, const std::vector<Invariant>& points) : points_(points) {
    irm_ = data::two_bit::f_irm(spec.loss, spec.alpha);
  }

  void add(const Odd& f) { predictors_.push_back(f); }

  [[nodiscard]] std::size_t at_irm() const { return count("f_IRM"); }

  [[nodiscard]] json as_json(const char* method) const {
    json ends;
    std::size_t known = 0;
    for (const char* name : {"f_IRM", "f_1", "f_2", "f_0"}) {
      ends[name] = count(name);
      known += count(name);
    }
    ends["elsewhere"] = predictors_.size() - known;
    std::vector<double> distances;
    for (const Odd& f : predictors_) {
      distances.push_back(std::hypot(f[0] - irm_[0], f[1] - irm_[1]));
    }
    std::nth_element(distances.begin(), distances.begin() + std::ssize(distances) / 2, distances.end());
    return {{"method", method},
            {"ends", std::move(ends)},
            {"median_distance", distances[distances.size() / 2]},
            {"predictors", predictors_}};
  }

 private:
  [[nodiscard]] std::size_t count(std::string_view name) const {
    const auto point = std::find_if(points_.begin(), points_.end(),
                                    [name](const Invariant& one) { return one.name == name; });
    if (point == points_.end()) {
      return 0;
    }
    return static_cast<std::size_t>(std::count_if(predictors_.begin(), predictors_.end(), [&](const Odd& f) {
      return std::hypot(f[0] - point->f[0], f[1] - point->f[1]) < within;
    }));
  }

  const std::vector<Invariant>& points_;
  Odd irm_{};
  std::vector<Odd> predictors_;
};

json linear_method(const Spec& spec, Penalty penalty, const std::vector<Odd>& starts,
                   const std::vector<Invariant>& points, const std::vector<double>& weights) {
  json best;
  json every = json::array();
  std::pair<std::size_t, std::size_t> most;  // ends at f_IRM, ends at any of the points
  for (const double weight : weights) {
    Ends ends(spec, points);
    for (const Odd& start : starts) {
      ends.add(descend_linear(spec, penalty, weight, start));
    }
    json one = ends.as_json(penalty == Penalty::irmv1 ? "irmv1" : "vrex");
    one["penalty_weight"] = weight;
    every.push_back({{"penalty_weight", weight}, {"ends", one["ends"]}});
    const std::pair rank{ends.at_irm(), starts.size() - one["ends"]["elsewhere"].get<std::size_t>()};
    if (best.is_null() || rank > most) {
      most = rank;
      best = std::move(one);
    }
  }
  best["penalty_weights"] = std::move(every);
  return best;
}

json pair_method(const Spec& spec, const TwoBitOptions& options, std::string_view solver_name,
                 const char* method, const std::vector<Odd>& starts, const std::vector<Invariant>& points) {
  PairDescent descent = options.pair;
  descent.first_length *= box_of(spec.loss) / square_box;
  const auto solver = moo::make_solver(
      solver_name, moo::options_of(solver_name, {{"epsilon", base::shown(options.epsilon)}}));
  Ends ends(spec, points);
  for (const Odd& start : starts) {
    ends.add(descend_pair(spec, *solver, descent, start));
  }
  return ends.as_json(method);
}

}  // namespace

json two_bit(const TwoBitOptions& options, const std::function<void(double)>& progress) {
  check(options);
  std::vector<Spec> specs;
  std::vector<std::string> names;
  for (const std::string& name : options.cases) {
    for (const Loss loss : options.losses) {
      specs.push_back(two_bit_case(name));
      specs.back().loss = loss;
      names.push_back(name);
    }
  }
  json result{{"name", "two-bit"},          {"starts", options.starts},
              {"seed", options.seed},       {"pretrain", options.pretrain},
              {"within", within},           {"preference", options.pair.preference},
              {"epsilon", options.epsilon}, {"step", to_string(options.pair.step)},
              {"cases", json::array()}};
  double done = 0;
  const auto report = [&] {
    done += 1;
    if (progress) {
      progress(done / (4.0 * static_cast<double>(specs.size())));
    }
  };
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const Spec& spec = specs[i];
    const std::vector<Invariant> points = irms_invariants(spec);
    // The same starts, up to scale, in every case.
    data::Random random(options.seed, "two-bit");
    std::vector<Odd> starts;
    const double box = box_of(spec.loss);
    for (std::size_t k = 0; k < options.starts; ++k) {
      const double u = random.uniform(-box, box);
      starts.push_back(pretrained(spec, {u, random.uniform(-box, box)}, options.pretrain));
    }
    json methods = json::array();
    for (const Penalty penalty : {Penalty::irmv1, Penalty::vrex}) {
      methods.push_back(linear_method(spec, penalty, starts, points, options.penalty_weights));
      report();
    }
    methods.push_back(pair_method(spec, options, "epo", "pair_epo", starts, points));
    report();
    methods.push_back(pair_method(spec, options, "epo_worst", "pair_epo_worst", starts, points));
    report();
    json found;
    for (const Invariant& point : points) {
      found[point.name] = point.f;
    }
    result["cases"].push_back({{"case", names[i]},
                               {"loss", data::two_bit::to_string(spec.loss)},
                               {"alpha", spec.alpha},
                               {"betas", spec.betas},
                               {"points", std::move(found)},
                               {"methods", std::move(methods)}});
  }
  return result;
}

std::string two_bit_text(const json& result) {
  std::ostringstream out;
  out << "Out of " << result["starts"].get<std::size_t>() << " random starts (seed "
      << result["seed"].get<std::uint64_t>() << ", " << result["pretrain"].get<std::size_t>()
      << " steps of ERM first), how many end within " << result["within"].get<double>()
      << " of each predictor\n";
  for (const json& one : result["cases"]) {
    out << '\n'
        << one["case"].get<std::string>() << ", " << one["loss"].get<std::string>() << " loss: alpha "
        << one["alpha"].get<double>() << ", beta " << one["betas"][0].get<double>() << " and "
        << one["betas"][1].get<double>() << '\n';
    base::Rows rows{{"", "f_IRM", "f_1", "f_2", "f_0", "elsewhere", "median distance from f_IRM"}};
    for (const json& method : one["methods"]) {
      const std::string key = method["method"];
      std::ostringstream label;
      if (key == "irmv1" || key == "vrex") {
        label << "ERM + " << method["penalty_weight"].get<double>() << (key == "irmv1" ? " IRMv1" : " V-REx");
      } else {
        label << (key == "pair_epo" ? "PAIR-o, epo" : "PAIR-o, epo_worst");
      }
      std::vector<std::string> row{label.str()};
      for (const std::string end : {"f_IRM", "f_1", "f_2", "f_0", "elsewhere"}) {
        const bool exists = end == "elsewhere" || one["points"].contains(end);
        row.push_back(exists ? std::to_string(method["ends"][end].get<std::size_t>()) : "-");
      }
      row.push_back(base::with_exponent(method["median_distance"], 1));
      rows.push_back(std::move(row));
    }
    out << base::aligned(rows, {.indent = "  ", .gap = 3, .left = 1});
  }
  out << "\n-: no such predictor. ERM + penalty: the weight that brings the most starts to f_IRM,\nthen "
         "to any of the predictors, then the smallest.\n";
  return out.str();
}

}  // namespace pair::paper
