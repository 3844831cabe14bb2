#include "pair/select/losses.h"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "pair/base/algorithm_names.h"

namespace pair::select {
namespace {

using Keys = std::vector<std::string>;

bool has_all(const Run& run, const Keys& keys) {
  return std::all_of(keys.begin(), keys.end(),
                     [&run](const std::string& key) { return run.find_loss(key) != nullptr; });
}

// The run's objectives in its own order, that of its preference and penalties; empty if its hyperparameters
// do not list them.
Keys order_of(const Run& run) {
  for (const auto& [name, value] : run.hparams) {
    if (name == "objectives") {
      return names_in(value);
    }
  }
  return {};
}

// All objectives in the run's records (ours).
Keys objectives_of(const Run& run) {
  constexpr std::string_view prefix = "losses.";
  Keys names;
  for (const Column& column : run.columns) {
    if (column.key.starts_with(prefix)) {
      names.push_back(column.key.substr(prefix.size()));
    }
  }
  const Keys order = order_of(run);
  const auto place = [&order](const std::string& name) {
    return std::tuple(std::find(order.begin(), order.end(), name) - order.begin(), name != "erm", name);
  };
  std::sort(names.begin(), names.end(),
            [&place](const std::string& a, const std::string& b) { return place(a) < place(b); });
  return names;
}

bool has_objectives(const Run& run) {
  return std::any_of(run.columns.begin(), run.columns.end(),
                     [](const Column& column) { return column.key.starts_with("losses."); });
}

// Whether some runs have our objectives and others only DomainBed's keys.
bool are_mixed(std::span<const Run* const> runs) {
  const auto ours =
      std::count_if(runs.begin(), runs.end(), [](const Run* run) { return has_objectives(*run); });
  return ours > 0 && std::cmp_less(ours, runs.size());
}

}  // namespace

std::vector<std::string> names_in(std::string_view list) {
  Keys names;
  for (std::size_t open = list.find('"'); open != std::string_view::npos;) {
    const std::size_t close = list.find('"', open + 1);
    if (close == std::string_view::npos) {
      break;
    }
    names.emplace_back(list.substr(open + 1, close - open - 1));
    open = list.find('"', close + 1);
  }
  return names;
}

std::vector<std::string> default_losses(std::string_view algorithm, std::span<const Run* const> runs) {
  const std::string name = base::plain_name(algorithm);
  if (name == "erm") {
    return {};
  }
  const bool mixed = are_mixed(runs);
  const auto first_that_fits = [runs, mixed](const std::vector<Keys>& rules) -> Keys {
    for (const bool all : {true, false}) {
      for (const Keys& keys : rules) {
        const auto fitting =
            std::count_if(runs.begin(), runs.end(), [&keys](const Run* run) { return has_all(*run, keys); });
        if (all ? mixed && std::cmp_equal(fitting, runs.size()) : fitting > 0) {
          return keys;
        }
      }
    }
    return {};
  };
  if (name == "groupdro") {
    return first_that_fits({{"worst_risk"}, {"group_dro"}, {"loss"}});
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
  if (most.size() > 1 && !mixed) {
    return most;
  }
  std::vector<Keys> rules{
      {"nll", "IRM_penalty", "IB_penalty"}, {"nll", "IB_penalty"}, {"nll", "penalty"}, {"loss", "penalty"}};
  if (most.size() > 1) {
    rules.insert(rules.begin(), std::move(most));
  }
  return first_that_fits(rules);
}

bool has_noisy_losses(std::string_view algorithm) {
  constexpr std::array<std::string_view, 2> noisy{"groupdro", "dann"};
  return std::find(noisy.begin(), noisy.end(), base::plain_name(algorithm)) != noisy.end();
}

}  // namespace pair::select
