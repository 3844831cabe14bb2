#include "pair/cli/list.h"

#include <algorithm>
#include <iomanip>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>

#include "pair/base/names.h"
#include "pair/base/tables.h"
#include "pair/moo/solver.h"

namespace pair::cli {
namespace {

struct ListArguments {
  std::string kind;
  bool json = false;
  std::string search;
  bool markdown = false;
  std::string out;
  std::vector<ListKind> kinds;
};

std::vector<Listed> entries_of(const ListArguments& arguments) {
  std::vector<Listed> kinds;
  std::vector<std::string_view> names;
  for (const ListKind& kind : arguments.kinds) {
    if (kind.name == arguments.kind && arguments.search.empty()) {
      return kind.entries();
    }
    if (kind.name == arguments.kind && kind.searched) {
      return kind.searched(arguments.search);
    }
    if (kind.name == arguments.kind) {
      throw UsageError("--search does not apply to " + kind.name);
    }
    kinds.push_back({kind.name, kind.summary});
    names.push_back(kind.name);
  }
  if (arguments.kind.empty()) {
    if (!arguments.search.empty()) {
      throw UsageError("--search: expected a list that it applies to, such as hparams");
    }
    return kinds;
  }
  throw UsageError(base::unknown_name("kind", arguments.kind, names));
}

void write_json(const std::vector<Listed>& entries, std::ostream& out) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const Listed& entry : entries) {
    nlohmann::ordered_json object{{"name", entry.name}, {"summary", entry.summary}};
    for (const auto& [key, value] : entry.details) {
      object[key] = value;
    }
    array.push_back(std::move(object));
  }
  out << array.dump(2) << '\n';
}

void write_text(const std::vector<Listed>& entries, std::ostream& out) {
  std::size_t widest = 0;
  for (const Listed& entry : entries) {
    widest = std::max(widest, entry.name.size());
  }
  for (const Listed& entry : entries) {
    out << std::left << std::setw(static_cast<int>(widest) + 2) << entry.name << entry.summary;
    for (const auto& [key, value] : entry.details) {
      if (!value.empty()) {
        out << " (" << key << ": " << value << ")";
      }
    }
    out << '\n';
  }
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

}  // namespace

ListKind solvers() {
  return {
      "solvers", "methods that compute the objectives' weights: for 'pair solve --solver'", [] {
        std::vector<Listed> entries;
        for (const moo::SolverInfo& info : moo::solvers()) {
          entries.push_back(
              {std::string(info.name), std::string(info.summary), {{"options", std::string(info.options)}}});
        }
        return entries;
      }};
}

std::vector<ListKind> training_kinds() {
  return {{"datasets", "datasets: for 'pair train --dataset'", {}},
          {"algorithms", "training algorithms: for 'pair train --algorithm'", {}},
          {"objectives", "objectives to minimise: for 'pair train --objectives'", {}},
          {"models", "models: for 'pair train --set model=...'", {}},
          {"settings",
           "all of a run's settings: for 'pair train --set'; defaults are those of pair on cmnist",
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
  CLI::Option* const json = command->add_flag("--json", arguments->json, "Write a JSON array of objects");
  CLI::Option* const markdown = command->add_flag("--markdown", arguments->markdown,
                                                  "Write reference pages in Markdown: formulas, options, "
                                                  "advice, citations (objectives, algorithms and solvers)");
  markdown->excludes(json);
  command->add_option("--out", arguments->out, "With --markdown: a folder for one file per page")
      ->type_name("DIR")
      ->needs(markdown);
  if (std::any_of(arguments->kinds.begin(), arguments->kinds.end(),
                  [](const ListKind& kind) { return kind.searched != nullptr; })) {
    command->add_option(
        "--search", arguments->search,
        "hparams: which distributions to list where they differ, domainbed (default) or paper");
  }
  command->footer(
      "Example:\n"
      "  pair list solvers\n"
      "  pair list solvers --json | jq -r '.[].name'");
  command->callback([arguments, &context] {
    if (arguments->markdown) {
      write_reference(*arguments, context.out);
      return;
    }
    std::vector<Listed> entries;
    try {
      entries = entries_of(*arguments);
    } catch (const std::invalid_argument& error) {
      throw UsageError(error.what());
    }
    arguments->json ? write_json(entries, context.out) : write_text(entries, context.out);
  });
}

}  // namespace pair::cli
