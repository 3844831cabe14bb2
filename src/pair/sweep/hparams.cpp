#include "pair/sweep/hparams.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "pair/base/names.h"
#include "pair/runs/keys.h"
#include "pair/sweep/test_envs.h"

namespace pair::sweep {
namespace {

constexpr std::string_view domainbed = "DomainBed";
constexpr std::string_view as_irm = "as DomainBed's IRM";
constexpr std::string_view table_f2 = "the paper's Appendix F.2";
constexpr std::string_view appendix_c3 = "the paper's Appendix C.3";
constexpr std::string_view appendix_e = "the paper's Appendix E";

const Distribution penalty_of_irm = LogUniform{10, -1, 5};
const Distribution annealing_of_irm = LogUniform{10, 0, 4, true};

Hparam learning_rate(Search search, std::string default_value) {
  return {"lr", std::move(default_value), LogUniform{10, -4.5, search == Search::paper ? -3.5 : -2.5},
          search == Search::paper ? table_f2 : domainbed};
}

// A row of DomainBed's register: an algorithm's setting beyond those that all have.
struct Row {
  std::string_view algorithm;
  Hparam hparam;
};

// DomainBed anneals some penalties only; the others' stand from the first step. Its IB-IRM has a weight for
// each of its penalties, ours one for both. IRMX, CLOvE and PAIR-o are not DomainBed's: the paper searches
// IRMX as it does IRMv1, and PAIR-o's learning rate over these five.
const std::vector<Row>& domainbed_rows() {
  static const std::vector<Row> rows = {
      {"irmv1", {"penalty", "100", penalty_of_irm, domainbed}},
      {"irmv1", {"pretrain", "500", annealing_of_irm, domainbed}},
      {"vrex", {"penalty", "10", LogUniform{10, -1, 5}, domainbed}},
      {"vrex", {"pretrain", "500", LogUniform{10, 0, 4, true}, domainbed}},
      {"irmx", {"penalty", "100", penalty_of_irm, as_irm}},
      {"irmx", {"pretrain", "500", annealing_of_irm, as_irm}},
      {"fishr", {"penalty", "1000", LogUniform{10, 1, 4}, domainbed}},
      {"fishr", {"pretrain", "1500", Uniform{0, 5000, true}, domainbed}},
      {"fishr", {"fishr_ema", "0.95", Uniform{0.90, 0.99}, domainbed}},
      {"ib-erm", {"penalty", "100", LogUniform{10, -1, 5}, domainbed}},
      {"ib-erm", {"pretrain", "500", LogUniform{10, 0, 4, true}, domainbed}},
      {"ib-irm", {"penalty", "100", LogUniform{10, -1, 5}, domainbed}},
      {"ib-irm", {"pretrain", "500", LogUniform{10, 0, 4, true}, domainbed}},
      {"clove", {"penalty", "100", penalty_of_irm, as_irm}},
      {"clove", {"pretrain", "500", annealing_of_irm, as_irm}},
      {"iga", {"penalty", "1000", LogUniform{10, 1, 5}, domainbed}},
      {"iga", {"pretrain", "0", Fixed{"0"}, domainbed}},
      {"sd", {"penalty", "0.1", LogUniform{10, -5, -1}, domainbed}},
      {"sd", {"pretrain", "0", Fixed{"0"}, domainbed}},
      {"groupdro", {"groupdro_rate", "0.01", LogUniform{10, -3, -1}, domainbed}},
      {"pair", {"pretrain", "500", annealing_of_irm, as_irm}},
      {"pair", {"balance_lr", "0.1", Choice{{"0.01", "0.02", "0.04", "0.1", "0.2"}}, appendix_e}},
  };
  return rows;
}

// What the paper searches on its own datasets; the defaults are the algorithm's.
std::vector<Hparam> of_paper(const runs::RunSpec& spec, Search search) {
  const auto own = [&spec](std::string_view key) { return runs::as_text(runs::key_named(key).get(spec)); };
  const bool extrapolation = std::holds_alternative<data::ExtrapolationSpec>(spec.dataset);
  std::vector<Hparam> hparams = {learning_rate(search, own("lr"))};
  const auto add = [&](std::string_view key, Distribution distribution, std::string_view source) {
    hparams.push_back({key, own(key), std::move(distribution), source});
  };
  const bool pair = spec.settings.scheme == train::Scheme::pair;
  // Of group_dro the penalty only says that the mean risk hardly counts.
  const auto& objectives = spec.settings.objectives;
  if (std::find(objectives.begin(), objectives.end(), "group_dro") != objectives.end()) {
    add("groupdro_rate", LogUniform{10, -3, -1}, domainbed);
    return hparams;
  }
  if (objectives.size() < 2) {
    return hparams;
  }
  if (extrapolation) {
    if (pair) {
      add("preference",
          Choice{{"1,1e4,1e16", "1,1e4,1e12", "1,1e6,1e8", "1,1e8,1e4", "1,1e4,1e4", "1,1e8,1e8"}},
          appendix_c3);
    } else {
      // The paper says "from 1e-4 to 1e", the last digit lost; up to 1e1 it finds good ones.
      add("penalty", LogUniform{10, -4, 1}, appendix_c3);
    }
    return hparams;
  }
  add("pretrain", Choice{{"0", "50", "100", "150", "200", "250"}}, appendix_e);
  if (pair) {
    add("balance_lr", Choice{{"0.01", "0.1"}}, appendix_e);
  } else if (spec.algorithm == "sd") {
    add("penalty", LogUniform{10, -5, -1}, domainbed);
  } else {
    add("penalty", Choice{{"10", "100", "1e3", "1e4", "1e5"}}, appendix_e);
  }
  return hparams;
}

}  // namespace

std::string_view to_string(Search search) {
  return search == Search::paper ? "paper" : "domainbed";
}

Search search_named(std::string_view name) {
  constexpr std::array<std::string_view, 2> names = {"domainbed", "paper"};
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw std::invalid_argument(base::unknown_name("search", name, names));
  }
  return name == "paper" ? Search::paper : Search::domainbed;
}

std::vector<Hparam> domainbed_hparams(std::string_view algorithm, Search search) {
  std::vector<Hparam> hparams = {
      learning_rate(search, "0.001"),
      {"batch", "64", LogUniform{2, 3, 9, true}, domainbed},
      {"l2", "0", Fixed{"0"}, domainbed},
  };
  for (const Row& row : domainbed_rows()) {
    if (row.algorithm == algorithm) {
      hparams.push_back(row.hparam);
    }
  }
  return hparams;
}

std::vector<Hparam> hparams_of(std::string_view dataset, std::string_view algorithm, Search search) {
  const runs::RunSpec spec = runs::resolve(dataset, algorithm);
  return key_of_test_envs(spec) != nullptr ? domainbed_hparams(algorithm, search) : of_paper(spec, search);
}

std::vector<runs::Override> draw_hparams(const std::vector<Hparam>& hparams, std::int64_t hparams_seed,
                                         std::uint64_t trial_seed) {
  std::vector<runs::Override> overrides;
  for (const Hparam& hparam : hparams) {
    data::Random random(static_cast<std::uint64_t>(hparams_seed),
                        "hparams " + std::to_string(trial_seed) + " " + std::string(hparam.key));
    overrides.emplace_back(hparam.key,
                           hparams_seed == 0 ? hparam.default_value : draw(hparam.distribution, random));
  }
  return overrides;
}

}  // namespace pair::sweep
