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

// All objectives in the run's records (ours), in the run's own order, that of its preference and penalties.
// Those that its settings do not list come last.
Keys objectives_of(const Run& run) {
  constexpr std::string_view prefix = "losses.";
  Keys names;
  for (const Column& column : run.columns) {
    if (column.key.starts_with(prefix)) {
      names.push_back(column.key.substr(prefix.size()));
    }
  }
  const Keys order = texts_in(run.setting("objectives"));
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

// The first list that fits some run or, of mixed runs, all of them if there is such a list.
Keys first_that_fits(const std::vector<Keys>& lists, std::span<const Run* const> runs, bool mixed) {
  for (const bool all : {true, false}) {
    for (const Keys& keys : lists) {
      const auto fitting =
          std::count_if(runs.begin(), runs.end(), [&keys](const Run* run) { return has_all(*run, keys); });
      if (all ? mixed && std::cmp_equal(fitting, runs.size()) : fitting > 0) {
        return keys;
      }
    }
  }
  return {};
}

// The lists that runs declare; of several runs, those of the one with the most losses. Null if no run
// declares any.
const std::vector<Keys>* declared_by(std::span<const Run* const> runs) {
  const std::vector<Keys>* lists = nullptr;
  const auto most = [](const std::vector<Keys>& of) { return of.empty() ? 0 : of.front().size(); };
  for (const Run* run : runs) {
    const auto& declared = run->declared.losses;
    if (declared && (lists == nullptr || most(*declared) > most(*lists))) {
      lists = &*declared;
    }
  }
  return lists;
}

// For records that declare nothing: DomainBed's own, and those of our older runs. Algorithms that are new
// since then declare their losses and have no place here.
std::vector<Keys> lists_by_name(std::string_view algorithm, std::span<const Run* const> runs) {
  const std::string name = base::plain_name(algorithm);
  if (name == "erm") {
    return {{}};
  }
  if (name == "groupdro") {
    return {{"worst_risk"}, {"group_dro"}, {"loss"}};
  }
  if (name == "dann" || name == "cdann") {
    return {{"gen_loss"}};
  }
  Keys most;
  for (const Run* run : runs) {
    if (Keys keys = objectives_of(*run); keys.size() > most.size()) {
      most = std::move(keys);
    }
  }
  std::vector<Keys> lists{
      {"nll", "IRM_penalty", "IB_penalty"}, {"nll", "IB_penalty"}, {"nll", "penalty"}, {"loss", "penalty"}};
  if (most.size() > 1) {
    // Some run has them all, which decides unless all runs must agree.
    lists.insert(lists.begin(), std::move(most));
  }
  return lists;
}

// The same for the other thing that records may not say.
bool noisy_by_name(std::string_view algorithm) {
  constexpr std::array<std::string_view, 2> noisy{"groupdro", "dann"};
  return std::find(noisy.begin(), noisy.end(), base::plain_name(algorithm)) != noisy.end();
}

}  // namespace

std::vector<std::string> default_losses(std::string_view algorithm, std::span<const Run* const> runs) {
  const std::vector<Keys>* const declared = declared_by(runs);
  const bool all_declare =
      std::all_of(runs.begin(), runs.end(), [](const Run* run) { return run->declared.losses.has_value(); });
  if (declared != nullptr && all_declare) {
    return first_that_fits(*declared, runs, /*mixed=*/false);
  }
  const bool mixed = are_mixed(runs) || declared != nullptr;
  std::vector<Keys> lists = declared == nullptr ? std::vector<Keys>() : *declared;
  for (Keys& keys : lists_by_name(algorithm, runs)) {
    lists.push_back(std::move(keys));
  }
  return first_that_fits(lists, runs, mixed);
}

std::set<std::string> loss_names(const History& history) {
  constexpr std::string_view prefix = "losses.";
  std::set<std::string> names;
  for (const Run& run : history) {
    for (const Column& column : run.columns) {
      const bool objective = column.key.starts_with(prefix);
      if (!column.key.ends_with("_acc") && (objective || column.key.find('.') == std::string::npos)) {
        names.insert(objective ? column.key.substr(prefix.size()) : column.key);
      }
    }
  }
  return names;
}

bool has_noisy_losses(std::string_view algorithm, std::span<const Run* const> runs) {
  const auto found = std::find_if(runs.begin(), runs.end(),
                                  [](const Run* run) { return run->declared.noisy_losses.has_value(); });
  return found == runs.end() ? noisy_by_name(algorithm) : *(*found)->declared.noisy_losses;
}

}  // namespace pair::select
