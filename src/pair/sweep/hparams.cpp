#include "pair/sweep/hparams.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "pair/algorithms/recipes.h"
#include "pair/base/names.h"
#include "pair/runs/settings.h"

namespace pair::sweep {
namespace {

constexpr const char* by_domainbed = "DomainBed";

// Builds the list. Defaults are the algorithm's own, so that draw 0 equals 'pair train'.
class HparamList {
 public:
  // named: with the names of what DomainBed draws, if it has the algorithm.
  HparamList(const runs::RunSpec& spec, bool named)
      : spec_(spec),
        dataset_(data::entry_of(spec.dataset.name)),
        algorithm_(algorithms::algorithm_named(spec.algorithm)),
        named_(named && !algorithm_.domainbed.empty()) {}

  // domainbed: DomainBed's names; empty: the setting's own name.
  Hparam& add(const std::string& name, base::Distribution distribution, std::string source,
              std::vector<std::string> domainbed = {}) {
    Hparam hparam{name, runs::text_of(spec_, name), std::move(distribution), std::move(source)};
    if (named_) {
      hparam.domainbed = domainbed.empty() ? std::vector{name} : std::move(domainbed);
    }
    return hparams_.emplace_back(std::move(hparam));
  }
  // Adam's learning rate; if Adam also takes PAIR-o's balance steps, those have a separate rate, unless it is a
  // fraction of the first.
  void add_learning_rates(Search search) {
    const bool paper = search == Search::paper;
    const base::Distribution& rate = paper ? dataset_.drawn.paper_lr : dataset_.drawn.lr;
    const char* const source = paper ? "the paper's Appendix G.2" : by_domainbed;
    add("lr", rate, source, {domainbed_name(algorithm_, "lr")});
    if (spec_.settings.scheme == train::Scheme::pair &&
        spec_.settings.balance_optimizer == train::Optimizer::adam &&
        spec_.settings.balance_lr_ratio == 0.0) {
      add("balance_lr", rate, source);
    }
  }
  void add_batch() { add("batch", dataset_.drawn.batch, by_domainbed, {"batch_size"}); }
  void add_weight_decay() {
    if (dataset_.drawn.weight_decay) {
      // Adam's weight decay adds w theta to the gradient, our l2 |theta|^2 adds 2 l2 theta.
      add("l2", *dataset_.drawn.weight_decay, "DomainBed's weight decay, twice l2",
          {domainbed_name(algorithm_, "l2")})
          .scale = 0.5;
    }
  }
  // The settings that the algorithm draws under a protocol.
  void add_of_algorithm(std::string_view protocol, Search search) {
    for (const algorithms::Drawn& drawn : algorithm_.drawn) {
      const bool here = drawn.where == protocol && (drawn.except.empty() || drawn.except != dataset_.variant);
      if (!here || runs::find_setting(spec_, drawn.setting) == nullptr) {
        continue;
      }
      if (search == Search::paper && drawn.paper) {
        add(drawn.setting, *drawn.paper, algorithms::appendix_f1, drawn.domainbed);
      } else {
        add(drawn.setting, drawn.distribution, drawn.source, drawn.domainbed);
      }
    }
  }
  // Adds DomainBed's distributions of the options of its objectives, solver, model and update.
  void add_declared() {
    for (const runs::Setting& setting : runs::settings_of(spec_)) {
      const base::Field& field = *setting.field;
      if (field.domainbed && runs::is_read(spec_, field.name)) {
        add(field.name, field.learning_rate ? dataset_.drawn.lr : *field.domainbed, by_domainbed,
            {field.domainbed_name.empty() ? field.name : field.domainbed_name});
      }
    }
  }
  std::vector<Hparam> take() { return std::move(hparams_); }

 private:
  const runs::RunSpec& spec_;
  const data::DatasetEntry& dataset_;
  const algorithms::AlgorithmEntry& algorithm_;
  bool named_;
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

std::string_view to_string(Draws draws) {
  return draws == Draws::domainbed ? "domainbed" : "pair";
}

Draws draws_named(std::string_view name) {
  constexpr std::array<std::string_view, 2> names = {"domainbed", "pair"};
  if (std::find(names.begin(), names.end(), name) == names.end()) {
    throw std::invalid_argument(base::unknown_name("draws", name, names));
  }
  return name == "pair" ? Draws::pair : Draws::domainbed;
}

std::string domainbed_name(const algorithms::AlgorithmEntry& algorithm, std::string_view setting) {
  for (const auto& [name, domainbed] : algorithm.domainbed_names) {
    if (name == setting) {
      return domainbed;
    }
  }
  return setting == "l2" ? "weight_decay" : std::string(setting);
}

std::vector<Hparam> domainbed_hparams(const runs::RunSpec& spec, Search search) {
  HparamList list(spec, /*named=*/true);
  list.add_learning_rates(search);
  list.add_batch();
  list.add_weight_decay();
  list.add_of_algorithm("domainbed", search);
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
  HparamList list(spec, /*named=*/false);
  // Appendix F.1 fixes the learning rate at 1e-3.
  if (protocol != "cmnist" || search != Search::paper) {
    list.add_learning_rates(search);
  }
  list.add_of_algorithm(protocol, search);
  return list.take();
}

base::Assignments draw_hparams(const std::vector<Hparam>& hparams, std::int64_t hparams_seed,
                               std::uint64_t trial_seed, Draws draws) {
  base::Assignments overrides;
  const std::uint32_t seed = data::domainbed_seed(hparams_seed, static_cast<std::int64_t>(trial_seed));
  for (const Hparam& hparam : hparams) {
    if (hparams_seed != 0 && draws == Draws::domainbed && !hparam.domainbed.empty()) {
      std::vector<data::NumpyRandom> randoms;
      for (const std::string& name : hparam.domainbed) {
        randoms.emplace_back(data::domainbed_seed(seed, name));
      }
      overrides.emplace_back(hparam.key, draw(hparam.distribution, randoms, hparam.scale));
      continue;
    }
    data::Random random(static_cast<std::uint64_t>(hparams_seed),
                        "hparams " + std::to_string(trial_seed) + " " + hparam.key);
    overrides.emplace_back(hparam.key,
                           hparams_seed == 0 ? hparam.default_value : draw(hparam.distribution, random));
  }
  return overrides;
}

}  // namespace pair::sweep
