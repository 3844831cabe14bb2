#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pair/cli/command.h"

namespace pair::cli {

struct Listed {
  std::string name;
  std::string summary;  // one line
  // More to tell, such as {"default", "0.5"}; empty values are not shown.
  std::vector<std::pair<std::string, std::string>> details = {};
  // What can be set about it, listed below it; nothing where the kind has no such list.
  std::optional<std::vector<Listed>> options = {};
};

// Something that 'pair list' knows: a new one is an entry more where main.cpp calls add_list.
struct ListKind {
  std::string name;  // what the user types: "solvers"
  std::string summary;
  std::function<std::vector<Listed>()> entries;
  // For kinds that --search makes a difference to, in place of entries: by its value. Throws
  // std::invalid_argument for one that is not known.
  std::function<std::vector<Listed>(const std::string&)> searched = {};
};

ListKind solvers();

// What there is to list about training: names and summaries alone, without entries.
std::vector<ListKind> training_kinds();

// pair list [KIND] [--json] [--search NAME]: what there is to choose from; without a kind, the kinds.
void add_list(CLI::App& app, Context& context, std::vector<ListKind> kinds);

}  // namespace pair::cli
