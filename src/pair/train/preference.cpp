#include "pair/train/preference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "pair/base/numbers.h"

namespace pair::train {

std::vector<double> PreferenceChoice::preference() const {
  // The arithmetic of the code, so that the numbers are the same to the last bit.
  if (rest == Rest::halves) {
    return {erm, (1.0 - erm) / 2.0, (1.0 - erm) / 2.0};
  }
  const double raised = erm * factor;
  const double remaining = 1.0 - erm - raised;
  return rest == Rest::vrex ? std::vector{erm, raised, remaining} : std::vector{erm, remaining, raised};
}

std::optional<std::vector<double>> preference_of_choice(std::string_view text) {
  constexpr std::string_view before = "choice:";
  if (!text.starts_with(before)) {
    return std::nullopt;
  }
  text.remove_prefix(before.size());
  const auto number = base::number_from<std::int64_t>(text);
  if (!number) {
    return std::nullopt;
  }
  const auto* const found = std::ranges::find(preference_choices, *number, &PreferenceChoice::number);
  return found == preference_choices.end() ? std::nullopt : std::optional(found->preference());
}

std::vector<double> estimate_preference(const std::vector<double>& losses) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const double loss : losses) {
    if (loss > 0.0) {
      smallest = std::min(smallest, loss);
    }
  }
  if (!std::isfinite(smallest)) {
    throw std::invalid_argument(
        "losses: expected at least one above 0 to estimate a preference, got only zeros");
  }
  std::vector<double> preference(losses.size(), 1.0);
  const double erm = std::max(losses.front(), smallest);
  for (std::size_t i = 1; i < losses.size(); ++i) {
    preference[i] = auto_preference_raise * erm / std::max(losses[i], smallest);
  }
  return preference;
}

}  // namespace pair::train
