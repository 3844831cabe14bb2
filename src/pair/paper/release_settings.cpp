#include "pair/paper/release_settings.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace pair::paper {

base::Assignments release_settings(std::span<const std::string> objectives) {
  constexpr std::array<std::string_view, 4> summed = {"iga", "sd", "fishr", "clove"};
  const auto has = [&](std::string_view name) {
    return std::find(objectives.begin(), objectives.end(), name) != objectives.end();
  };
  if (objectives.size() < 2) {
    return {};
  }
  std::string sums = "erm";
  for (const std::string_view name : summed) {
    if (has(name)) {
      sums += "," + std::string(name);
    }
  }
  base::Assignments settings = {{"sums", sums}};
  if (has("sd")) {
    settings.emplace_back("annealed_divisor", "500");
  }
  if (has("fishr")) {
    settings.insert(settings.end(), {{"fishr_centred", "false"}, {"fishr_ema", "0"}});
  }
  if (has("clove")) {
    settings.insert(settings.end(), {{"batch", "512"}, {"l2", "0"}});
  }
  return settings;
}

base::Assignments release_step(std::string_view solver) {
  base::Assignments step = {
      {"solver", std::string(solver)}, {"decay", "none"}, {"restart", "false"}, {"backtrack", "false"}};
  if (solver == "epo") {
    step.emplace_back("without_solution", "preference");
  }
  return step;
}

}  // namespace pair::paper
