#include "pair/sweep/hparams.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "pair/algorithms/registry.h"
#include "pair/base/names.h"
#include "pair/runs/settings.h"

namespace pair::sweep {
namespace {

// DomainBed's datasets of pictures have other distributions than its small images.
bool is_of_pictures(const runs::RunSpec& spec) {
  return data::entry_of(spec.dataset.name).variant == "pictures";
}

// The names, in DomainBed's registry, of what it draws for a setting of an algorithm.
std::vector<std::string> domainbed_names(std::string_view algorithm, const std::string& key) {
  const bool adversarial = algorithm == "DANN" || algorithm == "CDANN";
  const bool ib = algorithm == "IB_ERM";
  if (key == "lr") {
    return {adversarial ? "lr_g" : "lr"};
  }
  if (key == "batch") {
    return {"batch_size"};
  }
  if (key == "l2") {
    return {adversarial ? "weight_decay_g" : "weight_decay"};
  }
  if (key == "penalties") {
    return {"irm_lambda", "ib_lambda"};
  }
  if (key == "penalty") {
    return {algorithm == "IRM"                           ? "irm_lambda"
            : algorithm == "VREx"                        ? "vrex_lambda"
            : algorithm == "SD"                          ? "sd_reg"
            : algorithm == "IGA"                         ? "penalty"
            : algorithm == "MMD" || algorithm == "CORAL" ? "mmd_gamma"
            : ib                                         ? "ib_lambda"
                                                         : "lambda"};
  }
  if (key == "pretrain") {
    return {algorithm == "Fishr"  ? "penalty_anneal_iters"
            : algorithm == "VREx" ? "vrex_penalty_anneal_iters"
            : ib                  ? "ib_penalty_anneal_iters"
                                  : "irm_penalty_anneal_iters"};
  }
  if (key == "fishr_ema") {
    return {"ema"};
  }
  if (key == "groupdro_rate") {
    return {"groupdro_eta"};
  }
  return {key};
}

// Builds the list. Defaults are the algorithm's own, so that draw 0 equals 'pair train'.
class HparamList {
 public:
  explicit HparamList(const runs::RunSpec& spec) : spec_(spec) {}

  void add(const std::string& name, base::Distribution distribution, std::string source) {
    hparams_.push_back({name, runs::text_of(spec_, name), std::move(distribution), std::move(source)});
  }
  // On DomainBed's datasets: what it draws for each setting.
  void name_as_domainbed() {
    const std::string& algorithm = algorithms::algorithm_named(spec_.algorithm).domainbed;
    for (Hparam& hparam : hparams_) {
      hparam.domainbed =
          algorithm.empty() ? std::vector<std::string>() : domainbed_names(algorithm, hparam.key);
      // Adam's weight decay adds w theta to the gradient, our l2 |theta|^2 adds 2 l2 theta.
      hparam.scale = hparam.key == "l2" ? 0.5 : 1.0;
    }
  }
  // Adam's learning rate; if Adam also takes PAIR-o's balance steps, those have a separate rate, unless it is a
  // fraction of the first.
  void add_learning_rates(Search search) {
    const base::Distribution rate = is_of_pictures(spec_)
                                        ? base::LogUniform{10, -5, -3.5}
                                        : base::LogUniform{10, -4.5, search == Search::paper ? -3.5 : -2.5};
    const char* const source = search == Search::paper ? "the paper's Appendix G.2" : domainbed;
    add("lr", rate, source);
    if (spec_.settings.scheme == train::Scheme::pair &&
        spec_.settings.balance_optimizer == train::BalanceOptimizer::adam &&
        spec_.settings.balance_lr_ratio == 0.0) {
      add("balance_lr", rate, source);
    }
  }
  // The settings that the algorithm draws under a protocol. as_f1: penalties as in Appendix F.1, also where
  // the algorithm prefers DomainBed's (SD).
  void add_of_algorithm(std::string_view protocol, bool as_f1 = false) {
    const std::string& variant = data::entry_of(spec_.dataset.name).variant;
    for (const algorithms::Drawn& drawn : algorithms::algorithm_named(spec_.algorithm).drawn) {
      const bool here = drawn.where == protocol && (drawn.except.empty() || drawn.except != variant);
      if (!here || runs::find_setting(spec_, drawn.setting) == nullptr) {
        continue;
      }
      if (as_f1 && drawn.setting == "penalty") {
        add("penalty", base::Choice{{"10", "100", "1e3", "1e4", "1e5"}}, "the paper's Appendix F.1");
      } else {
        add(drawn.setting, drawn.distribution, drawn.source);
      }
    }
  }
  // Adds DomainBed's distributions of the options of its objectives, solver, model and update.
  void add_declared() {
    for (const runs::Setting& setting : runs::settings_of(spec_)) {
      if (setting.field->domainbed && runs::is_read(spec_, setting.name())) {
        const bool rate = setting.name() == "lr_d" && is_of_pictures(spec_);
        add(setting.name(), rate ? base::LogUniform{10, -5, -3.5} : *setting.field->domainbed, domainbed);
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

std::vector<Hparam> domainbed_hparams(const runs::RunSpec& spec, Search search) {
  HparamList list(spec);
  list.add_learning_rates(search);
  const bool pictures = is_of_pictures(spec);
  list.add("batch",
           base::LogUniform{2, 3,
                            !pictures                          ? 9
                            : spec.dataset.name == "DomainNet" ? 5
                                                               : 5.5,
                            true},
           "DomainBed");
  if (pictures) {
    list.add("l2", base::LogUniform{10, -6, -2}, "DomainBed's weight decay, twice l2");
  }
  list.add_of_algorithm("domainbed");
  list.add_declared();
  list.name_as_domainbed();
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
  // Appendix F.1 fixes the learning rate at 1e-3.
  const bool as_f1 = protocol == "cmnist" && search == Search::paper;
  if (!as_f1) {
    list.add_learning_rates(search);
  }
  list.add_of_algorithm(protocol, as_f1);
  return list.take();
}

std::vector<runs::Override> draw_hparams(const std::vector<Hparam>& hparams, std::int64_t hparams_seed,
                                         std::uint64_t trial_seed, Draws draws) {
  std::vector<runs::Override> overrides;
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
