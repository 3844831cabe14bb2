#pragma once

// The losses and objectives that kernels know, in a file that nvcc reads too.

namespace pair::device {

enum class Loss { binary_cross_entropy, cross_entropy, squared_error };

// Objectives as functions of the environments' moments, R_e and D_e (train/moments.h): the mean of R_e (ERM),
// the mean of D_e^2 (IRMv1), the unbiased variance of R_e (V-REx; 0 of one environment).
enum class MomentFunction { mean_risk, mean_squared_derivative, risk_variance };

}  // namespace pair::device
