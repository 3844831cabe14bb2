#include <algorithm>
#include <optional>

#include "pair/algorithms/recipes.h"
#include "pair/algorithms/registry.h"
#include "pair/base/tables.h"
#include "pair/cli/reference.h"
#include "pair/data/protocols.h"
#include "pair/objectives/registry.h"
#include "pair/train/settings.h"

namespace pair::cli {
namespace {

using algorithms::AlgorithmEntry;
using objectives::ObjectiveEntry;

std::string code(std::string_view text) {
  return "`" + std::string(text) + "`";
}

std::string link(std::string_view kind, std::string_view name) {
  return "[`" + std::string(name) + "`](../" + std::string(kind) + "/" + std::string(name) + ".md)";
}

// The algorithm's own default of a setting, on all datasets.
std::optional<std::string> default_of(const AlgorithmEntry& algorithm, std::string_view setting) {
  std::optional<std::string> value;
  for (const algorithms::Defaults& defaults : algorithm.defaults) {
    for (const auto& [name, assigned] : defaults.settings) {
      if (defaults.where.empty() && name == setting) {
        value = assigned;
      }
    }
  }
  return value;
}

std::vector<std::string> objectives_of(const AlgorithmEntry& algorithm) {
  if (algorithm.update.defined()) {
    return {};
  }
  const std::optional<std::string> named = default_of(algorithm, "objectives");
  return named ? base::comma_separated(*named) : train::Settings().objectives;
}

// A dataset's protocol or variant, in words.
std::string place(const std::string& where) {
  if (where.empty()) {
    return "everywhere";
  }
  const auto* const known = std::ranges::find(data::protocols, where, &data::Protocol::name);
  return known != data::protocols.end() ? std::string(known->summary) : code(where);
}

std::string properties_part(const ObjectiveEntry& entry) {
  const objectives::ObjectiveTraits traits = objectives::traits_of(entry);
  std::string text;
  const auto add = [&text](bool holds, const char* sentence) {
    text += holds ? "- " + std::string(sentence) + "\n" : "";
  };
  add(entry.compares, "It compares environments: with a single training environment it is 0.");
  add(traits.needs_network, "It needs gradients of the whole network, not only of the head.");
  add(traits.of_features,
      "It is a function of the features and has no gradient at the head: under PAIR-o, use it with the "
      "gradients of all parameters (`--set gradients=f`), so that the solver sees it.");
  add(traits.remembers_environments,
      "It keeps state for each environment, so every step must contain all environments in the same order.");
  add(!traits.replayable,
      "Values of two steps cannot be compared: it draws samples or learns between them. On a GPU its steps "
      "are not recorded as CUDA graphs.");
  std::vector<std::string> users;
  for (const AlgorithmEntry& algorithm : algorithms::algorithms()) {
    const std::vector<std::string> used = objectives_of(algorithm);
    if (std::find(used.begin(), used.end(), entry.name) != used.end()) {
      users.push_back(link("algorithms", algorithm.name));
    }
  }
  if (!users.empty()) {
    text += "- Algorithms that use it: " + base::joined(users) + ".\n";
  }
  return text.empty() ? "" : "## Properties\n\n" + text + "\n";
}

std::string objective_page(const ObjectiveEntry& entry) {
  std::string page = page_head(entry.name, entry.summary) + formula_part(entry.manual.formula) +
                     advice_part(entry.manual.advice) + options_part(entry.options) + properties_part(entry) +
                     "## Example\n\n    pair train --objectives " +
                     (entry.name == "erm" ? "erm,irmv1" : "erm," + entry.name) +
                     (objectives::traits_of(entry).of_features ? " --set gradients=f" : "") + "\n\n" +
                     cited_part(entry.manual.cited);
  page.pop_back();  // one line feed at the end
  return page;
}

// The formula of a sum under one penalty: most algorithms.
std::string penalised_sum(const AlgorithmEntry& algorithm) {
  if (default_of(algorithm, "scheme") != "linear") {
    return "";
  }
  const std::vector<std::string> names = objectives_of(algorithm);
  if (names.size() == 1) {
    return names.front() + " + l2 |theta|^2";
  }
  std::string others = names[1];
  for (std::size_t i = 2; i < names.size(); ++i) {
    others += " + " + names[i];
  }
  if (names.size() > 2) {
    others = "(" + others + ")";
  }
  return names.front() + " + penalty " + others +
         " + l2 |theta|^2,   all divided by penalty if that is above 1";
}

// Its own, then those of its objectives.
std::vector<std::string> cited_by(const AlgorithmEntry& algorithm) {
  std::vector<std::string> cited = algorithm.manual.cited;
  const std::vector<std::string> names = objectives_of(algorithm);
  for (const std::string& name : names) {
    if (name == "erm" && names.size() > 1) {
      continue;
    }
    for (const std::string& work : objectives::objective_named(name).manual.cited) {
      if (std::find(cited.begin(), cited.end(), work) == cited.end()) {
        cited.push_back(work);
      }
    }
  }
  return cited;
}

std::string defaults_part(const AlgorithmEntry& algorithm) {
  base::Rows rows{{"setting", "value", "on"}};
  for (const algorithms::Defaults& defaults : algorithm.defaults) {
    for (const auto& [name, value] : defaults.settings) {
      // The formula and the objectives are above.
      if (name != "scheme" && name != "objectives") {
        rows.push_back({code(name), code(value),
                        place(defaults.where) + (defaults.minibatches ? ", with a `batch`" : "")});
      }
    }
  }
  if (rows.size() == 1) {
    return "";
  }
  return "## Defaults\n\nSettings that differ from the general defaults (`pair list settings`). Later rows "
         "override earlier ones; options of objectives that a run does not have are ignored.\n\n" +
         base::markdown(rows) + "\n";
}

std::string drawn_part(const AlgorithmEntry& algorithm) {
  base::Rows rows{{"setting", "drawn from", "on", "source"}};
  for (const algorithms::Drawn& drawn : algorithm.drawn) {
    const std::string where =
        place(drawn.where) + (drawn.except.empty() ? "" : ", except " + place(drawn.except));
    rows.push_back({code(drawn.setting), base::as_text(drawn.distribution), where, drawn.source});
    if (drawn.paper) {
      rows.push_back({code(drawn.setting), base::as_text(*drawn.paper), where + ", with `--search paper`",
                      std::string(algorithms::appendix_f1)});
    }
  }
  const auto add_options = [&rows](const base::Options& options, const std::string& source) {
    for (const base::Field& field : options.fields()) {
      if (field.domainbed) {
        rows.push_back({code(field.name),
                        field.learning_rate ? "as " + code("lr") : base::as_text(*field.domainbed),
                        place("domainbed"), source});
      }
    }
  };
  for (const std::string& name : objectives_of(algorithm)) {
    add_options(objectives::objective_named(name).options, link("objectives", name));
  }
  add_options(algorithm.update.options, algorithms::domainbed);
  return "## Sweeps\n\n" +
         (rows.size() == 1 ? "Only the settings that every algorithm has"
                           : base::markdown(rows) + "\nIn addition, the settings that every algorithm has") +
         ", such as the learning rate: `pair list hparams`.\n\n";
}

std::string properties_part(const AlgorithmEntry& algorithm) {
  std::string text;
  const std::vector<std::string> names = objectives_of(algorithm);
  if (!names.empty()) {
    text += "- Objectives: " +
            base::joined(names, ", ", [](const std::string& name) { return link("objectives", name); }) +
            ".\n";
  }
  if (!algorithm.domainbed.empty()) {
    text += "- Name in DomainBed: " + algorithm.domainbed + ".\n";
  }
  if (algorithm.update.compares) {
    text += "- It compares environments: with a single training environment it is ERM.\n";
  }
  const bool one_loss = algorithm.losses.size() == 1 && algorithm.losses.front().empty();
  if (one_loss) {
    text += "- PAIR-s does not apply: one loss, nothing to trade off.\n";
  } else if (!algorithm.losses.empty()) {
    text += "- PAIR-s reads the losses " +
            base::joined(algorithm.losses, " or else ",
                         [](const std::vector<std::string>& keys) {
                           return base::joined(keys, ", ", [](const std::string& key) { return code(key); });
                         }) +
            ".\n";
  }
  if (algorithm.noisy_losses) {
    text += "- Its losses are noisy, so PAIR-s compares runs by validation accuracy.\n";
  }
  return text.empty() ? "" : "## Properties\n\n" + text + "\n";
}

std::string algorithm_page(const AlgorithmEntry& entry) {
  std::string page =
      page_head(entry.name, entry.summary) +
      formula_part(entry.manual.formula.empty() ? penalised_sum(entry) : entry.manual.formula) +
      advice_part(entry.manual.advice) + properties_part(entry) + defaults_part(entry) +
      options_part(entry.update.options) + drawn_part(entry) +
      "## Example\n\n    pair train --dataset cmnist --algorithm " + entry.name + "\n\n" +
      cited_part(cited_by(entry));
  page.pop_back();
  return page;
}

}  // namespace

Reference objectives_reference() {
  Reference reference{
      "Objectives",
      "An objective is a function that training minimises. `pair train --objectives erm,irmv1,vrex` names "
      "the objectives of a run, and `--set NAME=VALUE` sets their options. Notation: E is the set of "
      "training "
      "environments; R_e is the risk of environment e, the mean loss of its samples; phi are the features "
      "and z the logits. These pages are generated from the declarations in `src/pair/objectives` by "
      "`scripts/reference`.",
      {}};
  for (const ObjectiveEntry& entry : objectives::objectives()) {
    reference.pages.push_back({entry.name, entry.summary, objective_page(entry)});
  }
  return reference;
}

Reference algorithms_reference() {
  Reference reference{
      "Algorithms",
      "An algorithm is a method of training: objectives under fixed penalties, objectives under a solver "
      "(`pair`), or an update of its own. `pair train --algorithm NAME` selects one. If an algorithm has "
      "a "
      "`penalty`, the first `pretrain` steps use `pretrain_penalty` instead. These pages are generated from "
      "the declarations in `src/pair/algorithms` by `scripts/reference`.",
      {}};
  for (const AlgorithmEntry& entry : algorithms::algorithms()) {
    reference.pages.push_back({entry.name, entry.summary, algorithm_page(entry)});
  }
  return reference;
}

}  // namespace pair::cli
