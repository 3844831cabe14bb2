#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "pair/data/random.h"

// The two-bit environments (Kamath et al. 2021; Eq. twobit_env of the paper), small enough that every loss is
// a formula. Rad(s) is -1 with probability s and +1 otherwise; an environment (alpha, beta_e) is
//
//   Y = Rad(1/2),   X1 = Y Rad(alpha),   X2 = Y Rad(beta_e).
//
// X1 predicts the label equally well everywhere and X2 does not, so f_IRM uses only X1. All values are exact
// expectations; only sample() draws samples.

namespace pair::data::two_bit {

// Both as functions of the margin z = f(X) Y:
//   square    (f - Y)^2 / 2 = (z - 1)^2 / 2, for Y^2 = 1
//   logistic  log(1 + exp(-z))
enum class Loss { square, logistic };

std::string_view to_string(Loss loss);
// Throws std::invalid_argument that lists the names for an unknown one.
Loss loss_from(std::string_view name);

// The loss of a margin and its first two derivatives; finite for every finite margin.
double loss_of(Loss loss, double margin);
double slope_of(Loss loss, double margin);
double curvature_of(Loss loss, double margin);

struct Spec {
  Loss loss = Loss::square;
  double alpha = 0.1;                       // in (0, 1)
  std::vector<double> betas = {0.11, 0.4};  // one per environment, two or more, in (0, 1), distinct

  bool operator==(const Spec&) const = default;
};

// Throws std::invalid_argument that names the field, the expected range and the value. The functions below
// assume valid arguments.
void validate(const Spec& spec);

// A predictor as its values: f(1,1), f(1,-1), f(-1,1), f(-1,-1).
using Predictor = std::array<double, 4>;
// An odd predictor, f(-x) = -f(x), as two values: f(1,1), f(1,-1). Y and -Y are symmetric, so the optima are
// odd.
using Odd = std::array<double, 2>;

Predictor as_predictor(const Odd& odd);

// Euclidean distance of the two values.
inline double distance(const Odd& a, const Odd& b) {
  return std::hypot(a[0] - b[0], a[1] - b[1]);
}

// For any predictor, in one environment:
//   risk        R_e = E[l(f(X) Y)]
//   derivative  D_e = d/dw R_e(w f) at w = 1 = E[l'(z) z]; IRM_S requires D_e = 0 (Eq. irms)
double risk(Loss loss, double alpha, double beta, const Predictor& f);
double derivative(Loss loss, double alpha, double beta, const Predictor& f);

// A function of an odd predictor and its gradient with respect to f(1,1) and f(1,-1).
struct Valued {
  double value = 0.0;
  Odd gradient = {0.0, 0.0};
};

Valued risk(Loss loss, double alpha, double beta, const Odd& f);
Valued derivative(Loss loss, double alpha, double beta, const Odd& f);
// The contribution of value i of an odd predictor to D_e: term(0, f(1,1)) + term(1, f(1,-1)) is D_e.
double derivative_term(Loss loss, double alpha, double beta, std::size_t i, double value);

// The objectives of IRMX (Eq. irmx_moo), normalised as pair::objectives does:
//   erm    mean of the R_e
//   irmv1  mean of the D_e^2
//   vrex   1/(|E| - 1) sum_e (R_e - mean R)^2, the unbiased variance
struct Objectives {
  std::vector<double> risks;        // R_e, one per environment
  std::vector<double> derivatives;  // D_e
  Valued erm;
  Valued irmv1;
  Valued vrex;
};

Objectives objectives(const Spec& spec, const Odd& f);

// The predictor E[Y | X1]: f = 1 - 2 alpha (square) or log((1 - alpha) / alpha) (logistic), times X1.
Odd f_irm(Loss loss, double alpha);
// The predictor with the smallest risk in the environment (alpha, beta). Risks are linear in beta, so the
// mean of the betas gives the ERM optimum, and any beta between them a point of the Pareto set of the
// environments' risks.
Odd optimum(Loss loss, double alpha, double beta);
double mean_beta(const Spec& spec);

// Draws from an environment.
struct Sample {
  int x1 = 1;
  int x2 = 1;
  int y = 1;
};
std::vector<Sample> sample(double alpha, double beta, std::size_t count, Random& random);

}  // namespace pair::data::two_bit
