#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

// Preferences that users do not write out: those of the paper's code by number, and one estimated from losses.

namespace pair::train {

// A preference for ERM, IRMv1 and V-REx by its number in the paper's published code (WILDS/src, the option
// --preference_choice): r, the share of ERM, and the factor by which IRMv1's, or V-REx's, exceeds it; the
// third has the rest.
struct PreferenceChoice {
  enum class Rest { vrex, irmv1, halves };  // halves: IRMv1 and V-REx have half of the rest each

  std::int64_t number;
  double erm;
  double factor;
  Rest rest;

  // Positive, and 1 in sum.
  [[nodiscard]] std::vector<double> preference() const;
};

// All of them. In the code, every other number means 0.
inline constexpr std::array<PreferenceChoice, 9> preference_choices{{
    {0, 1e-12, 1e10, PreferenceChoice::Rest::vrex},
    {1, 1e-12, 0.0, PreferenceChoice::Rest::halves},
    {2, 1e-12, 1e10, PreferenceChoice::Rest::irmv1},
    {3, 1e-12, 1e8, PreferenceChoice::Rest::vrex},
    {4, 1e-12, 1e6, PreferenceChoice::Rest::vrex},
    {11, 1e-6, 1e4, PreferenceChoice::Rest::vrex},
    {22, 1e-6, 1e4, PreferenceChoice::Rest::irmv1},
    {111, 1e-3, 1e2, PreferenceChoice::Rest::vrex},
    {222, 1e-3, 1e2, PreferenceChoice::Rest::irmv1},
}};

// The preference that "choice:3" stands for; none for other text and other numbers.
std::optional<std::vector<double>> preference_of_choice(std::string_view text);

// Factor by which the paper's second heuristic raises the OOD preferences above the estimated ratios.
inline constexpr double auto_preference_raise = 1e2;

// Appendix D.3, heuristic ii: p = (1, 1e2 L_erm / L_2, ...) from the current losses (a loss of 0 counts as
// the smallest positive one).
std::vector<double> estimate_preference(const std::vector<double>& losses);

}  // namespace pair::train
