#include "pair/data/extrapolation_spec.h"

#include <cmath>

#include "pair/base/registry.h"

namespace pair::data {

std::string_view to_string(ExtrapolationSpec::Sampling sampling) {
  return sampling == ExtrapolationSpec::Sampling::uniform ? "uniform" : "gaussian";
}

double extrapolation_label(double x1, double frequency) {
  return std::sin(frequency * x1) + 1.0;
}

void describe(base::Fields<ExtrapolationSpec>& field) {
  using S = ExtrapolationSpec;
  constexpr std::int64_t most = 10'000'000;
  field.choice("sampling", &S::sampling,
               {{"uniform", ExtrapolationSpec::Sampling::uniform},
                {"gaussian", ExtrapolationSpec::Sampling::gaussian}},
               "regions of the training environments");
  field.whole("points", &S::points, std::int64_t{1}, most, "points per training environment");
  field.whole("test_points", &S::test_points, std::int64_t{1}, most,
              "points for validation, and as many again for testing");
  field.number("frequency", &S::frequency, {.low = 0, .high = 100},
               "frequency of the sine; the paper's notebook has 2");
}

void validate(const ExtrapolationSpec& spec) {
  base::check(base::Options::of(spec));
}

}  // namespace pair::data
