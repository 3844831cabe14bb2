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
// Where its program and ours do not mean the same by a number.
constexpr std::string_view as_vrex =
    "DomainBed, whose variance is biased: with n training environments the penalty here is n/(n-1) of its, "
    "twice with 2";
constexpr std::string_view as_iga =
    "DomainBed, which adds environments up where here is their mean: with n to train on the penalty here is "
    "1/n of its, half with 2";
constexpr std::string_view as_ib_irm_penalties = "DomainBed's irm_lambda and ib_lambda";
constexpr std::string_view as_ib_irm_pretrain =
    "DomainBed's irm_penalty_anneal_iters, here for both penalties, which weigh 1 until then; its "
    "ib_penalty_anneal_iters is another draw, and its IB weighs 0 until then";
constexpr std::string_view table_g2 = "the paper's Appendix G.2";
constexpr std::string_view appendix_c3 = "the paper's Appendix C.3";
constexpr std::string_view appendix_f1 = "the paper's Appendix F.1";

// What an algorithm draws beyond what all draw.
struct Row {
  std::string_view algorithm;
  std::string_view key;
  Distribution distribution;
  std::string_view source;
};

// domainbed/hparams_registry.py, in our names: lambda, mmd_gamma, sd_reg and the like are the penalty, the
// iterations of annealing are pretrain, groupdro_eta is groupdro_rate. IRMX and CLOvE are not DomainBed's;
// the paper searches IRMX as it does IRMv1.
std::vector<Row> domainbed_rows() {
  const Distribution penalty = LogUniform{10, -1, 5};
  const Distribution annealing = LogUniform{10, 0, 4, true};
  std::vector<Row> rows = {
      {"irmv1", "penalty", penalty, domainbed},
      {"irmv1", "pretrain", annealing, domainbed},
      {"vrex", "penalty", penalty, as_vrex},
      {"vrex", "pretrain", annealing, domainbed},
      {"irmx", "penalty", penalty, as_irm},
      {"irmx", "pretrain", annealing, as_irm},
      {"fishr", "penalty", LogUniform{10, 1, 4}, domainbed},
      {"fishr", "pretrain", Uniform{0, 5000, true}, domainbed},
      {"fishr", "fishr_ema", Uniform{0.90, 0.99}, domainbed},
      {"ib-erm", "penalty", penalty, domainbed},
      {"ib-erm", "pretrain", annealing, domainbed},
      {"ib-irm", "penalties", LogUniforms{{{10, -1, 5}, {10, -1, 5}}}, as_ib_irm_penalties},
      {"ib-irm", "pretrain", annealing, as_ib_irm_pretrain},
      {"clove", "penalty", penalty, as_irm},
      {"clove", "pretrain", annealing, as_irm},
      {"iga", "penalty", LogUniform{10, 1, 5}, as_iga},
      {"sd", "penalty", LogUniform{10, -5, -1}, domainbed},
      {"groupdro", "groupdro_rate", LogUniform{10, -3, -1}, domainbed},
      {"coral", "penalty", LogUniform{10, -1, 1}, domainbed},
      {"mmd", "penalty", LogUniform{10, -1, 1}, domainbed},
      {"mixup", "mixup_alpha", LogUniform{10, -1, 1}, domainbed},
      {"pair", "pretrain", annealing, as_irm},
  };
  for (const std::string_view algorithm : {"dann", "cdann"}) {
    const std::vector<Row> adversary = {
        {algorithm, "penalty", LogUniform{10, -2, 2}, domainbed},
        {algorithm, "lr_d", LogUniform{10, -4.5, -2.5}, domainbed},
        {algorithm, "weight_decay_d", LogUniform{10, -6, -2}, domainbed},
        {algorithm, "d_steps_per_g_step", LogUniform{2, 0, 3, true}, domainbed},
        {algorithm, "grad_penalty", LogUniform{10, -2, 1}, domainbed},
        {algorithm, "beta1", Choice{{"0", "0.5"}}, domainbed},
        {algorithm, "mlp_width", LogUniform{2, 6, 10, true}, domainbed},
        {algorithm, "mlp_depth", Choice{{"3", "4", "5"}}, domainbed},
        {algorithm, "mlp_dropout", Choice{{"0", "0.1", "0.5"}}, domainbed},
    };
    rows.insert(rows.end(), adversary.begin(), adversary.end());
  }
  return rows;
}

// Builds the list: defaults are the algorithm's own, so that draw 0 is what 'pair train' runs.
class List {
 public:
  explicit List(const runs::RunSpec& spec) : spec_(spec) {}

  void add(std::string_view key, Distribution distribution, std::string_view source) {
    hparams_.push_back(
        {key, runs::as_text(runs::key_named(key).get(spec_)), std::move(distribution), source});
  }
  // Adam's; where it takes PAIR-o's later steps as well, these have a rate of their own.
  void add_learning_rates(Search search) {
    const Distribution rate = LogUniform{10, -4.5, search == Search::paper ? -3.5 : -2.5};
    const std::string_view source = search == Search::paper ? table_g2 : domainbed;
    add("lr", rate, source);
    if (spec_.settings.scheme == train::Scheme::pair &&
        spec_.settings.balance_optimizer == train::BalanceOptimizer::adam) {
      add("balance_lr", rate, source);
    }
  }
  std::vector<Hparam> take() { return std::move(hparams_); }

 private:
  const runs::RunSpec& spec_;
  std::vector<Hparam> hparams_;
};

// What the paper searches on its own datasets, and where it does not say, DomainBed.
std::vector<Hparam> of_paper(const runs::RunSpec& spec, Search search) {
  List list(spec);
  list.add_learning_rates(search);
  const std::vector<std::string>& objectives = spec.settings.objectives;
  const bool pair = spec.settings.scheme == train::Scheme::pair;
  if (objectives.size() < 2) {
    return list.take();
  }
  // Of group_dro the penalty only says that the mean risk hardly counts.
  if (std::find(objectives.begin(), objectives.end(), "group_dro") != objectives.end()) {
    list.add("groupdro_rate", LogUniform{10, -3, -1}, domainbed);
    return list.take();
  }
  if (std::holds_alternative<data::ExtrapolationSpec>(spec.dataset)) {
    if (pair) {
      list.add("preference",
               Choice{{"1,1e4,1e16", "1,1e4,1e12", "1,1e6,1e8", "1,1e8,1e4", "1,1e4,1e4", "1,1e8,1e8"}},
               appendix_c3);
    } else {
      // The paper says "from 1e-4 to 1e", the last digit lost; up to 1e1 it finds good ones.
      list.add("penalty", LogUniform{10, -4, 1}, appendix_c3);
    }
    return list.take();
  }
  list.add("pretrain", Choice{{"0", "50", "100", "150", "200", "250"}}, appendix_f1);
  if (pair) {
    list.add("balance_lr", Choice{{"0.01", "0.1"}}, appendix_f1);
  } else if (spec.algorithm == "sd") {
    list.add("penalty", LogUniform{10, -5, -1}, domainbed);
  } else {
    list.add("penalty", Choice{{"10", "100", "1e3", "1e4", "1e5"}}, appendix_f1);
  }
  return list.take();
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

std::vector<Hparam> domainbed_hparams(const runs::RunSpec& spec, Search search) {
  List list(spec);
  list.add_learning_rates(search);
  list.add("batch", LogUniform{2, 3, 9, true}, domainbed);
  for (const Row& row : domainbed_rows()) {
    if (row.algorithm == spec.algorithm) {
      list.add(row.key, row.distribution, row.source);
    }
  }
  return list.take();
}

std::vector<Hparam> hparams_of(std::string_view dataset, std::string_view algorithm, Search search) {
  const runs::RunSpec spec = runs::resolve(dataset, algorithm);
  return key_of_test_envs(spec) != nullptr ? domainbed_hparams(spec, search) : of_paper(spec, search);
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
