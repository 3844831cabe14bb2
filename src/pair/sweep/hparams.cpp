#include "pair/sweep/hparams.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "pair/algorithms/registry.h"
#include "pair/base/names.h"
#include "pair/runs/settings.h"

namespace pair::sweep {
namespace {

// Builds the list. Defaults are the algorithm's own, so that draw 0 equals 'pair train'.
class HparamList {
 public:
  explicit HparamList(const runs::RunSpec& spec) : spec_(spec) {}

  void add(const std::string& name, base::Distribution distribution, std::string source) {
    hparams_.push_back({name, runs::text_of(spec_, name), std::move(distribution), std::move(source)});
  }
  // Adam's learning rate; if Adam also takes PAIR-o's balance steps, those have a separate rate.
  void add_learning_rates(Search search) {
    const base::Distribution rate = base::LogUniform{10, -4.5, search == Search::paper ? -3.5 : -2.5};
    const char* const source = search == Search::paper ? "the paper's Appendix G.2" : domainbed;
    add("lr", rate, source);
    if (spec_.settings.scheme == train::Scheme::pair &&
        spec_.settings.balance_optimizer == train::BalanceOptimizer::adam) {
      add("balance_lr", rate, source);
    }
  }
  // The settings that the algorithm draws under a protocol.
  void add_of_algorithm(std::string_view protocol) {
    for (const algorithms::Drawn& drawn : algorithms::algorithm_named(spec_.algorithm).drawn) {
      if (drawn.where == protocol) {
        add(drawn.setting, drawn.distribution, drawn.source);
      }
    }
  }
  // The settings for which the options of objectives, model and update declare DomainBed's distribution.
  void add_declared() {
    for (const runs::Setting& setting : runs::settings_of(spec_)) {
      if (setting.field->domainbed) {
        add(setting.name(), *setting.field->domainbed, domainbed);
      }
    }
  }
  std::vector<Hparam> take() { return std::move(hparams_); }

 private:
  static constexpr const char* domainbed = "DomainBed";
  const runs::RunSpec& spec_;
  std::vector<Hparam> hparams_;
};

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
  HparamList list(spec);
  list.add_learning_rates(search);
  list.add("batch", base::LogUniform{2, 3, 9, true}, "DomainBed");
  list.add_of_algorithm("domainbed");
  list.add_declared();
  return list.take();
}

std::vector<Hparam> hparams_of(std::string_view dataset, std::string_view algorithm, Search search) {
  return hparams_of(runs::resolve(dataset, algorithm), search);
}

std::vector<Hparam> hparams_of(const runs::RunSpec& spec, Search search) {
  const std::string& protocol = data::entry_of(spec.dataset.name).protocol;
  if (protocol == "domainbed") {
    return domainbed_hparams(spec, search);
  }
  HparamList list(spec);
  list.add_learning_rates(search);
  list.add_of_algorithm(protocol);
  return list.take();
}

std::vector<runs::Override> draw_hparams(const std::vector<Hparam>& hparams, std::int64_t hparams_seed,
                                         std::uint64_t trial_seed) {
  std::vector<runs::Override> overrides;
  for (const Hparam& hparam : hparams) {
    data::Random random(static_cast<std::uint64_t>(hparams_seed),
                        "hparams " + std::to_string(trial_seed) + " " + hparam.key);
    overrides.emplace_back(hparam.key,
                           hparams_seed == 0 ? hparam.default_value : draw(hparam.distribution, random));
  }
  return overrides;
}

}  // namespace pair::sweep
