#include "pair/algorithms/recipes.h"

#include <stdexcept>
#include <utility>

namespace pair::algorithms {

AlgorithmEntry penalised(std::string name, std::string summary, const std::string& objectives,
                         const std::string& penalty, std::int64_t pretrain, bool refresh) {
  AlgorithmEntry entry{.name = std::move(name), .summary = std::move(summary)};
  entry.defaults = {
      {"",
       {{"scheme", "linear"},
        {"objectives", objectives},
        {"penalty", penalty},
        {"pretrain", std::to_string(pretrain)},
        {"refresh", refresh ? "true" : "false"}}},
      // A weighted sum can use the unbiased estimate as it is.
      {"domainbed", {{"irmv1_negative", "keep"}}},
      {"wilds", {{"irmv1_negative", "keep"}}},
  };
  if (objectives == "erm") {
    entry.defaults.push_back({"extrapolation", {{"refresh", "false"}}});
    return entry;
  }
  entry.defaults.push_back({"extrapolation", {{"refresh", "false"}, {"penalty", "1"}, {"pretrain", "750"}}});
  entry.drawn = {
      {"cmnist", "pretrain", base::Choice{{"0", "50", "100", "150", "200", "250"}}, appendix_f1},
      {"cmnist", "penalty", f1_penalty, appendix_f1},
      // The paper says "from 1e-4 to 1e", the last digit lost; up to 1e1 it finds good ones.
      {"extrapolation", "penalty", base::LogUniform{10, -4, 1}, appendix_c3},
  };
  return entry;
}

void on_domainbed(AlgorithmEntry& entry, const std::string& penalty, std::int64_t pretrain,
                  const std::string& pretrain_penalty) {
  entry.defaults.push_back({"domainbed",
                            {{"penalty", penalty},
                             {"pretrain", std::to_string(pretrain)},
                             {"pretrain_penalty", pretrain_penalty},
                             {"refresh", pretrain > 0 ? "true" : "false"}}});
}

void on_minibatches(AlgorithmEntry& entry, const base::Assignment& penalty) {
  entry.defaults.push_back({.where = "cmnist",
                            .settings = {{"steps", "1500"},
                                         {"pretrain", "1000"},
                                         {"pretrain_penalty", "0"},
                                         penalty,
                                         {"lr_end", "0.1"},
                                         {"annealed_lr", "5e-5"},
                                         {"refresh", "true"},
                                         {"track", "10"}},
                            .minibatches = true,
                            .pretrain_thirds = 2});
}

Drawn& draw_on_domainbed(AlgorithmEntry& entry, const std::string& setting, base::Distribution distribution,
                         const std::string& source) {
  return entry.drawn.emplace_back(Drawn{"domainbed", setting, std::move(distribution), source});
}

Drawn& drawn_of(AlgorithmEntry& entry, const std::string& where, const std::string& setting) {
  for (Drawn& drawn : entry.drawn) {
    if (drawn.where == where && drawn.setting == setting) {
      return drawn;
    }
  }
  throw std::logic_error(entry.name + ": expected a draw of " + setting + " on " + where + ", got none");
}

AlgorithmEntry own_update(std::string name, std::string summary, train::OwnUpdate update) {
  AlgorithmEntry entry{.name = std::move(name), .summary = std::move(summary)};
  entry.defaults = {
      {"", {{"scheme", "own"}, {"objectives", "erm"}, {"preference", "auto"}, {"pretrain", "0"}}}};
  update.name = entry.name;
  entry.update = std::move(update);
  return entry;
}

}  // namespace pair::algorithms
