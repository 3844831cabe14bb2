#include "pair/select/losses.h"

#include <algorithm>
#include <array>
#include <cctype>

namespace pair::select {
namespace {

using Keys = std::vector<std::string>;

// DomainBed's IB_ERM is our ib-erm.
std::string plain(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0) {
      result.push_back(static_cast<char>(std::tolower(static_cast<unsigned char>(c))));
    }
  }
  return result;
}

bool has_all(const Run& run, const Keys& keys) {
  return std::all_of(keys.begin(), keys.end(),
                     [&run](const std::string& key) { return run.find_loss(key) != nullptr; });
}

// Every objective of one of our records, erm first.
Keys objectives_of(const Run& run) {
  constexpr std::string_view prefix = "losses.";
  Keys names;
  for (const Column& column : run.columns) {
    if (column.key.starts_with(prefix)) {
      names.push_back(column.key.substr(prefix.size()));
    }
  }
  std::sort(names.begin(), names.end(), [](const std::string& a, const std::string& b) {
    return std::pair(a != "erm", a) < std::pair(b != "erm", b);
  });
  return names;
}

}  // namespace

std::vector<std::string> default_losses(std::string_view algorithm, std::span<const Run* const> runs) {
  const std::string name = plain(algorithm);
  if (name == "erm") {
    return {};
  }
  const auto first_that_fits = [runs](const std::vector<Keys>& rules) -> Keys {
    for (const Keys& keys : rules) {
      if (std::any_of(runs.begin(), runs.end(), [&keys](const Run* run) { return has_all(*run, keys); })) {
        return keys;
      }
    }
    return {};
  };
  if (name == "groupdro") {
    return first_that_fits({{"group_dro"}, {"loss"}});
  }
  if (name == "dann" || name == "cdann") {
    return first_that_fits({{"gen_loss"}});
  }
  Keys most;
  for (const Run* run : runs) {
    if (Keys keys = objectives_of(*run); keys.size() > most.size()) {
      most = std::move(keys);
    }
  }
  if (most.size() > 1) {
    return most;
  }
  return first_that_fits(
      {{"nll", "IRM_penalty", "IB_penalty"}, {"nll", "IB_penalty"}, {"nll", "penalty"}, {"loss", "penalty"}});
}

bool has_noisy_losses(std::string_view algorithm) {
  constexpr std::array<std::string_view, 2> noisy{"groupdro", "dann"};
  return std::find(noisy.begin(), noisy.end(), plain(algorithm)) != noisy.end();
}

}  // namespace pair::select
