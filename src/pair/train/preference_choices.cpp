#include "pair/train/preference_choices.h"

#include <algorithm>
#include <charconv>

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
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const auto* const found = std::ranges::find(preference_choices, number, &PreferenceChoice::number);
  if (error != std::errc() || end != text.data() + text.size() || found == preference_choices.end()) {
    return std::nullopt;
  }
  return found->preference();
}

}  // namespace pair::train
