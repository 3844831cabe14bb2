#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "pair/base/options.h"

// The parameters of the paper's extrapolation example (Sec. 3.3, Appendix C.3); extrapolation.h makes the
// data.

namespace pair::data {

// Y = sin(frequency X1) + 1 on [-4, 4]^2. X1 is the invariant feature. X2 is uninformative, but the two
// training environments are in different parts of the plane, so X2 identifies them.
struct ExtrapolationSpec {
  // The regions of the training environments:
  //   uniform   the rectangles [-3, 1] x [-3, -2] and [-1, 3] x [2, 3]
  //             (the first is printed as {(-3, -3), (-2, 1)}; its last corner is read as (1, -2): otherwise
  //             no x1 would be in both environments, which the example requires)
  //   gaussian  centre (-0.9, -2.2), covariance {(0.9, 0.11), (0.11, 0.1)}; and
  //             centre (1, 2), covariance {(1, -0.3), (-0.3, 0.1)}
  enum class Sampling { uniform, gaussian };

  std::string name = "extrapolation-uniform";
  Sampling sampling = Sampling::uniform;
  std::int64_t points = 2'500;       // per training environment
  std::int64_t test_points = 1'000;  // uniform over the whole square, for validation and again for testing
  double frequency = 1.0;            // the paper prints 1; its notebook computes with 2

  bool operator==(const ExtrapolationSpec&) const = default;
};

// Half the side of the square.
inline constexpr double extrapolation_extent = 4.0;
// The range where the invariant features of the environments overlap: X1 in [-2, 2].
inline constexpr double extrapolation_overlap = 2.0;

std::string_view to_string(ExtrapolationSpec::Sampling sampling);

// The label of a point.
double extrapolation_label(double x1, double frequency);

// The options of a dataset of this family.
void describe(base::Fields<ExtrapolationSpec>& field);

// Throws std::invalid_argument that names the option, the expected range and the value.
void validate(const ExtrapolationSpec& spec);

}  // namespace pair::data
