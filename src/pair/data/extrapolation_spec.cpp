#include "pair/data/extrapolation_spec.h"

#include <cmath>
#include <stdexcept>

#include "pair/base/numbers.h"

namespace pair::data {

std::string_view to_string(ExtrapolationSpec::Sampling sampling) {
  return sampling == ExtrapolationSpec::Sampling::uniform ? "uniform" : "gaussian";
}

double extrapolation_label(double x1, double frequency) {
  return std::sin(frequency * x1) + 1.0;
}

void validate(const ExtrapolationSpec& spec) {
  constexpr std::int64_t most = 10'000'000;
  const auto check_count = [](const char* name, std::int64_t count) {
    if (count < 1 || count > most) {
      throw std::invalid_argument(std::string(name) + " is " + std::to_string(count) +
                                  "; accepted are whole numbers from 1 to " + std::to_string(most));
    }
  };
  check_count("points", spec.points);
  check_count("test_points", spec.test_points);
  if (!(spec.frequency >= 0.0 && spec.frequency <= 100.0)) {
    throw std::invalid_argument("frequency is " + base::shown(spec.frequency) +
                                "; accepted are numbers from 0 to 100");
  }
}

}  // namespace pair::data
