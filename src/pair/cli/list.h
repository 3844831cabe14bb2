#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pair/cli/command.h"
#include "pair/cli/reference.h"

namespace pair::cli {

struct Listed {
  std::string name;
  std::string summary;  // one line
  // Further details, such as {"default", "0.5"}; empty values are not shown.
  std::vector<std::pair<std::string, std::string>> details = {};
  // The heading that it is listed under; empty: none. Entries of a group follow one another.
  std::string group = {};
  // Its options, listed below it; none if the kind has no options.
  std::optional<std::vector<Listed>> options = {};
};

// Selects entries; empty: all.
struct ListFilter {
  std::string search = {};     // hparams: domainbed or paper
  std::string algorithm = {};  // settings and hparams: those of its runs, with its defaults
  std::string dataset = {};    // likewise
};

// A draw of hyperparameters; see write_draw in ListKind.
struct DrawRequest {
  std::string algorithm;
  std::string dataset;
  std::int64_t seed = 0;  // 0: the defaults
  std::int64_t trial_seed = 0;
};

// A kind of list of 'pair list', added where program.cpp calls add_list.
struct ListKind {
  std::string name;  // on the command line: "solvers"
  std::string summary;
  std::function<std::vector<Listed>()> entries;
  // For kinds that depend on a filter, in place of entries. Throws std::invalid_argument for an unknown name.
  std::function<std::vector<Listed>(const ListFilter&)> filtered = {};
  // For kinds that have reference pages: --markdown.
  std::function<Reference()> reference = {};
  // For hparams: writes one draw, as JSON or as text. Throws std::invalid_argument for an unknown name.
  std::function<void(const DrawRequest&, bool json, std::ostream&)> write_draw = {};
};

ListKind solvers();

// The kinds about training: names and summaries only, without entries.
std::vector<ListKind> training_kinds();

// pair list [KIND [NAME]] [--verbose] [--json] [--search NAME] [--algorithm NAME] [--dataset NAME]
// [--markdown [--out DIR]]: lists the choices of a kind, or one of them with everything about it; without KIND,
// the kinds.
void add_list(CLI::App& app, Context& context, std::vector<ListKind> kinds);

}  // namespace pair::cli
