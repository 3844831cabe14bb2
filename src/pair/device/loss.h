#pragma once

// The losses and objectives that kernels know, in a file that nvcc reads too.

namespace pair::device {

enum class Loss { binary_cross_entropy, cross_entropy, squared_error };

// An objective as a function of the environments' risks R_e and derivatives D_e (train/moments.h).
struct MomentFunction {
  enum class Kind {
    mean_risk,                // of R_e: ERM
    mean_squared_derivative,  // of D_e^2: IRMv1
    mean_product_of_halves,   // of A_e B_e, D over samples at even and at odd places: IRMv1 without bias
    risk_variance,            // of R_e, unbiased, 0 of one environment: V-REx
  };
  // What becomes of a mean product p below 0: nothing; -constant p; or, of every p, max(0, p + constant) with
  // p's slopes (objectives/irmv1.h).
  enum class Negative { keep, scale, shift };

  Kind kind = Kind::mean_risk;
  Negative negative = Negative::keep;
  double constant = 0.0;
};

}  // namespace pair::device
