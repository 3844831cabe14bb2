#include "pair/data/two_bit.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <string>

#include "pair/base/names.h"
#include "pair/base/numbers.h"

namespace pair::data::two_bit {
namespace {

// In the order of Loss.
constexpr std::array<std::string_view, 2> names = {"square", "logistic"};

double sigmoid(double z) {
  const double small = std::exp(-std::abs(z));
  return z >= 0.0 ? 1.0 / (1.0 + small) : small / (1.0 + small);
}

// An odd predictor's margin is f(Rad(alpha), Rad(beta)): one of its two values, or its negative.
struct Share {
  double right;  // probability of +f
  double wrong;  // probability of -f
};

std::array<Share, 2> shares(double alpha, double beta) {
  return {Share{(1 - alpha) * (1 - beta), alpha * beta}, Share{(1 - alpha) * beta, alpha * (1 - beta)}};
}

void require_inside(const char* field, double value) {
  if (!(value > 0.0 && value < 1.0)) {
    throw std::invalid_argument(std::string(field) + ": expected a number above 0 and below 1, got " +
                                base::shown(value));
  }
}

// The expectation over the joint distribution of the two bits and Y of a function of the margin.
template <class Function>
double expectation(double alpha, double beta, const Predictor& f, Function function) {
  double sum = 0.0;
  for (const int y : {1, -1}) {
    for (std::size_t i = 0; i < f.size(); ++i) {
      const int x1 = i < 2 ? 1 : -1;
      const int x2 = i % 2 == 0 ? 1 : -1;
      const double probability = 0.5 * (x1 == y ? 1 - alpha : alpha) * (x2 == y ? 1 - beta : beta);
      sum += probability * function(f[i] * y);
    }
  }
  return sum;
}

}  // namespace

std::string_view to_string(Loss loss) {
  return names.at(static_cast<std::size_t>(loss));
}

Loss loss_from(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) {
      return static_cast<Loss>(i);
    }
  }
  throw std::invalid_argument(base::unknown_name("loss", name, names));
}

double loss_of(Loss loss, double margin) {
  return loss == Loss::square ? (margin - 1) * (margin - 1) / 2
                              : std::max(-margin, 0.0) + std::log1p(std::exp(-std::abs(margin)));
}

double slope_of(Loss loss, double margin) {
  return loss == Loss::square ? margin - 1 : -sigmoid(-margin);
}

double curvature_of(Loss loss, double margin) {
  return loss == Loss::square ? 1.0 : sigmoid(margin) * sigmoid(-margin);
}

void validate(const Spec& spec) {
  require_inside("alpha", spec.alpha);
  if (spec.betas.size() < 2) {
    throw std::invalid_argument("betas: expected two or more values, one per environment, got " +
                                std::to_string(spec.betas.size()));
  }
  for (auto beta = spec.betas.begin(); beta != spec.betas.end(); ++beta) {
    require_inside("beta", *beta);
    if (std::find(spec.betas.begin(), beta, *beta) != beta) {
      throw std::invalid_argument("betas: expected distinct values, got " + base::shown(*beta) + " twice");
    }
  }
}

Predictor as_predictor(const Odd& odd) {
  return {odd[0], odd[1], -odd[1], -odd[0]};
}

double risk(Loss loss, double alpha, double beta, const Predictor& f) {
  return expectation(alpha, beta, f, [loss](double z) { return loss_of(loss, z); });
}

double derivative(Loss loss, double alpha, double beta, const Predictor& f) {
  return expectation(alpha, beta, f, [loss](double z) { return z * slope_of(loss, z); });
}

Valued risk(Loss loss, double alpha, double beta, const Odd& f) {
  Valued result;
  const std::array<Share, 2> all = shares(alpha, beta);
  for (std::size_t i = 0; i < f.size(); ++i) {
    const auto [right, wrong] = all[i];
    result.value += right * loss_of(loss, f[i]) + wrong * loss_of(loss, -f[i]);
    result.gradient[i] = right * slope_of(loss, f[i]) - wrong * slope_of(loss, -f[i]);
  }
  return result;
}

Valued derivative(Loss loss, double alpha, double beta, const Odd& f) {
  Valued result;
  const Odd slope = risk(loss, alpha, beta, f).gradient;
  const std::array<Share, 2> all = shares(alpha, beta);
  for (std::size_t i = 0; i < f.size(); ++i) {
    const auto [right, wrong] = all[i];
    const double curvature = right * curvature_of(loss, f[i]) + wrong * curvature_of(loss, -f[i]);
    result.value += f[i] * slope[i];
    result.gradient[i] = slope[i] + f[i] * curvature;
  }
  return result;
}

double derivative_term(Loss loss, double alpha, double beta, std::size_t i, double value) {
  const auto [right, wrong] = shares(alpha, beta).at(i);
  return value * (right * slope_of(loss, value) - wrong * slope_of(loss, -value));
}

Objectives objectives(const Spec& spec, const Odd& f) {
  const auto count = static_cast<double>(spec.betas.size());
  Objectives result;
  std::vector<Valued> risks;
  for (const double beta : spec.betas) {
    risks.push_back(risk(spec.loss, spec.alpha, beta, f));
    const Valued d = derivative(spec.loss, spec.alpha, beta, f);
    result.risks.push_back(risks.back().value);
    result.derivatives.push_back(d.value);
    result.erm.value += risks.back().value / count;
    result.irmv1.value += d.value * d.value / count;
    for (std::size_t i = 0; i < f.size(); ++i) {
      result.erm.gradient[i] += risks.back().gradient[i] / count;
      result.irmv1.gradient[i] += 2 * d.value * d.gradient[i] / count;
    }
  }
  for (const Valued& one : risks) {
    const double apart = one.value - result.erm.value;
    result.vrex.value += apart * apart / (count - 1);
    for (std::size_t i = 0; i < f.size(); ++i) {
      result.vrex.gradient[i] += 2 * apart * (one.gradient[i] - result.erm.gradient[i]) / (count - 1);
    }
  }
  return result;
}

Odd f_irm(Loss loss, double alpha) {
  const double value = loss == Loss::square ? 1 - 2 * alpha : std::log((1 - alpha) / alpha);
  return {value, value};
}

Odd optimum(Loss loss, double alpha, double beta) {
  Odd f;
  const std::array<Share, 2> all = shares(alpha, beta);
  for (std::size_t i = 0; i < f.size(); ++i) {
    const auto [right, wrong] = all[i];
    f[i] = loss == Loss::square ? (right - wrong) / (right + wrong) : std::log(right / wrong);
  }
  return f;
}

double mean_beta(const Spec& spec) {
  return std::accumulate(spec.betas.begin(), spec.betas.end(), 0.0) / static_cast<double>(spec.betas.size());
}

std::vector<Sample> sample(double alpha, double beta, std::size_t count, Random& random) {
  std::vector<Sample> samples(count);
  for (Sample& one : samples) {
    one.y = random.bernoulli(0.5) ? -1 : 1;
    one.x1 = random.bernoulli(alpha) ? -one.y : one.y;
    one.x2 = random.bernoulli(beta) ? -one.y : one.y;
  }
  return samples;
}

}  // namespace pair::data::two_bit
