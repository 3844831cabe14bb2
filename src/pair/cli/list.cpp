#include "pair/cli/list.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "pair/base/choices.h"
#include "pair/base/names.h"
#include "pair/base/tables.h"
#include "pair/moo/registry.h"

namespace pair::cli {
namespace {

struct ListArguments {
  std::string kind;
  std::string name;  // one entry; empty: all
  bool json = false;
  bool verbose = false;
  ListFilter filter;
  std::optional<std::int64_t> seed;
  std::int64_t trial_seed = 0;
  bool markdown = false;
  std::string out;
  std::vector<ListKind> kinds;
};

std::vector<Listed> entries_of(const ListArguments& arguments) {
  std::vector<Listed> kinds;
  std::vector<std::string_view> names;
  const ListFilter& filter = arguments.filter;
  const std::string option = !filter.search.empty()      ? "--search"
                             : !filter.algorithm.empty() ? "--algorithm"
                             : !filter.dataset.empty()   ? "--dataset"
                                                         : "";
  for (const ListKind& kind : arguments.kinds) {
    if (kind.name == arguments.kind && option.empty()) {
      return kind.entries();
    }
    if (kind.name == arguments.kind && kind.filtered && (option != "--search" || kind.name == "hparams")) {
      return kind.filtered(filter);
    }
    if (kind.name == arguments.kind) {
      throw UsageError(option + " does not apply to " + kind.name);
    }
    kinds.push_back({kind.name, kind.summary});
    names.push_back(kind.name);
  }
  if (arguments.kind.empty()) {
    if (!option.empty()) {
      throw UsageError(option + ": expected a list that it applies to, such as hparams");
    }
    return kinds;
  }
  throw UsageError(base::unknown_name("kind", arguments.kind, names));
}

nlohmann::ordered_json as_json(const std::vector<Listed>& entries) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const Listed& entry : entries) {
    nlohmann::ordered_json object{{"name", entry.name}, {"summary", entry.summary}};
    for (const auto& [key, value] : entry.details) {
      object[key] = value;
    }
    if (!entry.group.empty()) {
      object["group"] = entry.group;
    }
    if (entry.options) {
      object["options"] = as_json(*entry.options);
    }
    array.push_back(std::move(object));
  }
  return array;
}

// The accepted values of entries in groups, and the defaults per extension, make lines long, so they are shown only
// if `verbose`.
void write_entries(const std::vector<Listed>& entries, bool verbose, std::ostream& out,
                   const std::string& indent = "") {
  std::size_t widest = 0;
  for (const Listed& entry : entries) {
    widest = std::max(widest, entry.name.size());
  }
  std::string group;
  for (const Listed& entry : entries) {
    if (entry.group != group) {
      out << (group.empty() ? "" : "\n") << entry.group << ":\n";
      group = entry.group;
    }
    std::string text = entry.summary;
    for (const auto& [key, value] : entry.details) {
      if (!value.empty() && (verbose || group.empty() || (key != "accepted" && key != "defaults"))) {
        text.append(" (").append(key).append(": ").append(value).append(")");
      }
    }
    out << base::aligned({{entry.name, text}},
                         {.indent = group.empty() ? indent : indent + "  ", .least = widest});
    write_entries(entry.options.value_or(std::vector<Listed>()), verbose, out,
                  indent + std::string(widest + 2, ' '));
  }
}

// The entry called `name`. Throws UsageError that suggests others.
Listed entry_named(const std::string& name, const std::string& kind, const std::vector<Listed>& entries) {
  std::vector<std::string_view> names;
  for (const Listed& entry : entries) {
    if (entry.name == name) {
      return entry;
    }
    names.push_back(entry.name);
  }
  // "settings" are called "setting" one by one.
  throw UsageError(
      base::unknown_name(kind.substr(0, kind.size() - 1), name, base::nearest_names(name, names, 3)) +
      "; 'pair list " + kind + "' has all");
}

// Everything about one entry, one line each.
void write_entry(const Listed& entry, std::ostream& out) {
  out << entry.name << ": " << entry.summary << '\n';
  base::Rows rows;
  for (const auto& [key, value] : entry.details) {
    if (!value.empty()) {
      rows.push_back({key, value});
    }
  }
  if (!entry.group.empty()) {
    rows.push_back({"group", entry.group});
  }
  out << base::aligned(rows, {.indent = "  "});
  write_entries(entry.options.value_or(std::vector<Listed>()), /*verbose=*/true, out, "  ");
}

void write_reference(const ListArguments& arguments, std::ostream& out) {
  std::vector<std::string_view> names;
  for (const ListKind& kind : arguments.kinds) {
    if (!kind.reference) {
      continue;
    }
    names.push_back(kind.name);
    if (kind.name != arguments.kind) {
      continue;
    }
    const Reference reference = kind.reference();
    arguments.out.empty() ? write_document(reference, out) : write_pages(reference, arguments.out);
    return;
  }
  throw UsageError("--markdown: expected one of the lists " + base::joined(names) + ", got '" +
                   arguments.kind + "'");
}

void write_draw(const ListArguments& arguments, std::ostream& out) {
  for (const ListKind& kind : arguments.kinds) {
    if (kind.name == arguments.kind && kind.write_draw) {
      if (arguments.filter.dataset.empty() || arguments.filter.algorithm.empty()) {
        throw UsageError("--seed: expected --dataset and --algorithm with it, got " +
                         std::string(arguments.filter.dataset.empty() ? "no --dataset" : "no --algorithm"));
      }
      kind.write_draw(
          {arguments.filter.algorithm, arguments.filter.dataset, *arguments.seed, arguments.trial_seed},
          arguments.json, out);
      return;
    }
  }
  throw UsageError("--seed: expected the list hparams, got '" + arguments.kind + "'");
}

std::vector<Listed> options_in(const moo::SolverEntry& entry) {
  std::vector<Listed> listed;
  const base::Options training = moo::training_options_of(entry.name);
  for (const base::Field& field : entry.options.fields()) {
    const std::string usual = base::as_text(entry.options.get(field));
    const std::string in_training = base::as_text(training.get(field));
    listed.push_back({field.name,
                      field.summary,
                      {{"default", usual},
                       {"training", in_training == usual ? "" : in_training},
                       {"accepted", field.accepted}}});
  }
  return listed;
}

}  // namespace

ListKind solvers() {
  return {"solvers", "methods that weigh objectives: for 'pair solve --solver' and 'pair train --solver'",
          [] {
            std::vector<Listed> entries;
            for (const moo::SolverEntry& entry : moo::solvers()) {
              entries.push_back({entry.name,
                                 entry.summary,
                                 {{"python_class", moo::python_class_of(entry)}},
                                 {},
                                 options_in(entry)});
            }
            return entries;
          }};
}

std::vector<ListKind> training_kinds() {
  return {{"datasets", "datasets: for 'pair train --dataset'", {}},
          {"algorithms", "training algorithms: for 'pair train --algorithm'", {}},
          {"objectives", "objectives to minimise: for 'pair train --objectives'", {}},
          {"models", "models: for 'pair train --model'", {}},
          {"settings",
           "all of a run's settings: for 'pair train --set'; defaults are those of pair on cmnist, or of "
           "--algorithm and --dataset",
           {}},
          {"hparams", "distributions that 'pair sweep' draws settings from, by algorithm and dataset", {}}};
}

void add_list(CLI::App& app, Context& context, std::vector<ListKind> kinds) {
  const auto arguments = std::make_shared<ListArguments>();
  arguments->kinds = std::move(kinds);
  const std::string known =
      base::joined(arguments->kinds, ", ", [](const ListKind& kind) { return kind.name; });
  CLI::App* command = app.add_subcommand("list", "List datasets, algorithms, solvers and other choices");
  command->add_option("KIND", arguments->kind, "One of " + known + " (default: list these kinds)");
  command->add_option("NAME", arguments->name, "Only this one, with everything about it");
  command->add_flag("--verbose", arguments->verbose, "settings: also show the accepted values");
  CLI::Option* const json = command->add_flag("--json", arguments->json, "Write a JSON array of objects");
  CLI::Option* const markdown = command->add_flag("--markdown", arguments->markdown,
                                                  "Write reference pages in Markdown: formulas, options, "
                                                  "advice, citations (objectives, algorithms and solvers)");
  markdown->excludes(json);
  command->add_option("--out", arguments->out, "With --markdown: a folder for one file per page")
      ->type_name("DIR")
      ->needs(markdown);
  if (std::any_of(arguments->kinds.begin(), arguments->kinds.end(),
                  [](const ListKind& kind) { return kind.filtered != nullptr; })) {
    command->add_option(
        "--search", arguments->filter.search,
        "hparams: which distributions to list where they differ, domainbed (default) or paper");
    command->add_option("--algorithm", arguments->filter.algorithm,
                        "settings and hparams: list only those of this algorithm, with its defaults");
    command->add_option("--dataset", arguments->filter.dataset,
                        "settings and hparams: list only those of this dataset, with its defaults");
    command
        ->add_option("--seed", arguments->seed,
                     "hparams: print the draw of this number, 0 for the defaults; DomainBed's --hparams_seed")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}));
    command->add_option("--trial-seed", arguments->trial_seed, "hparams: the trial of --seed (default 0)")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1'000'000'000}));
  }
  command->footer(
      "Example:\n"
      "  pair list solvers\n"
      "  pair list settings --algorithm irmv1 --dataset cmnist\n"
      "  pair list settings balance_lr\n"
      "  pair list hparams --dataset ColoredMNIST --algorithm irmv1 --seed 3 --trial-seed 1 --json\n"
      "  pair list solvers --json | jq -r '.[].name'");
  command->callback([arguments, &context] {
    if (arguments->markdown) {
      write_reference(*arguments, context.out);
      return;
    }
    if (arguments->seed) {
      write_draw(*arguments, context.out);
      return;
    }
    std::vector<Listed> entries = entries_of(*arguments);
    if (!arguments->name.empty()) {
      entries = {entry_named(arguments->name, arguments->kind, entries)};
    }
    if (arguments->json) {
      context.out << as_json(entries).dump(2) << '\n';
    } else if (!arguments->name.empty()) {
      write_entry(entries.front(), context.out);
    } else {
      write_entries(entries, arguments->verbose, context.out);
    }
  });
}

}  // namespace pair::cli
