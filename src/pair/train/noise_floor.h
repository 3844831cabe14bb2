#pragma once

#include <torch/types.h>

#include <memory>
#include <span>
#include <vector>

#include "pair/objectives/objective.h"
#include "pair/train/moments.h"

// The noise floor of an objective: its expected value if it were 0 for the distribution of the data, because
// risks R_e and derivatives D_e are estimates. For independent estimates, the floor of a square of moments is
// a weighted sum of the means of their variances Var[R_e] and Var[D_e]; the objective states the weights
// (Objective::noise_floor). ERM is not a square and has no floor.
//
// A value that is not clearly above its floor only shows that the objective is small: values below it
// cannot be compared.

namespace pair::train {

// One floor per objective, [m] doubles; NaN for objectives without one. variances: those of the estimates, by
// environment; 0 if they are not known, which leaves their objectives without a floor. Does not wait for the
// device.
torch::Tensor noise_floors(std::span<const std::unique_ptr<objectives::Objective>> objectives,
                           const Moments& variances);

// The same from variances on the host, which takes no operation of the device; one of each per environment.
std::vector<double> noise_floors(std::span<const std::unique_ptr<objectives::Objective>> objectives,
                                 std::span<const double> risk_variances,
                                 std::span<const double> derivative_variances);

}  // namespace pair::train
