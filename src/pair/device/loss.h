#pragma once

// The losses and objectives that kernels support; also read by nvcc.

namespace pair::device {

enum class Loss { binary_cross_entropy, cross_entropy, squared_error };

// An objective as a function of the environments' risks R_e and derivatives D_e (train/moments.h).
struct MomentFunction {
  enum class Kind {
    mean_risk,                // mean of R_e: ERM
    mean_squared_derivative,  // mean of D_e^2: IRMv1
    mean_product_of_halves,   // mean of A_e B_e, D over samples at even and at odd places: IRMv1 without bias
    risk_variance,            // unbiased variance of R_e, 0 for one environment: V-REx
  };
  // The handling of a negative mean product p: keep it; use -constant p; or, for every p, max(0, p +
  // constant) with the slopes of p (objectives/irmv1.cpp).
  enum class Negative { keep, scale, shift };

  Kind kind = Kind::mean_risk;
  Negative negative = Negative::keep;
  double constant = 0.0;
};

}  // namespace pair::device
