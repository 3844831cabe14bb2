#include "pair/algorithms/beta.h"

#include <cmath>

namespace pair::algorithms {
namespace {

// Marsaglia and Tsang, "A Simple Method for Generating Gamma Variables", ACM TOMS 2000; a shape below 1 is
// raised by 1 and the draw multiplied by U^(1/shape).
double draw_gamma(double shape, data::Random& random) {
  if (shape < 1.0) {
    const double share = std::pow(1.0 - random.uniform(), 1.0 / shape);
    return share * draw_gamma(shape + 1.0, random);
  }
  const double d = shape - 1.0 / 3.0;
  const double c = 1.0 / std::sqrt(9.0 * d);
  while (true) {
    const double x = random.normal();
    const double v = std::pow(1.0 + c * x, 3.0);
    const double u = 1.0 - random.uniform();
    if (v > 0.0 && std::log(u) < 0.5 * x * x + d - d * v + d * std::log(v)) {
      return d * v;
    }
  }
}

}  // namespace

double draw_beta(double alpha, data::Random& random) {
  const double first = draw_gamma(alpha, random);
  const double second = draw_gamma(alpha, random);
  return first / (first + second);
}

}  // namespace pair::algorithms
