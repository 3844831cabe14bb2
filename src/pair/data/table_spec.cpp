#include "pair/data/table_spec.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

#include "pair/base/names.h"
#include "pair/data/cell.h"
#include "pair/data/column_lists.h"
#include "pair/data/csv.h"
#include "pair/data/sha256.h"
#include "pair/data/shared_fields.h"
#include "pair/data/table.h"
#include "pair/data/test_envs.h"

namespace pair::data {
namespace {

[[noreturn]] void refuse_absence(const char* expected, const char* option,
                                 const std::vector<std::string>& columns, const std::string& file) {
  throw std::invalid_argument(std::string(expected) + ", got none; '" + option + " COLUMN' names it; " +
                              base::printable(file) + " has " + quoted_names(columns));
}

}  // namespace

char separator_of(const TableSpec& spec) {
  switch (spec.separator) {
    case TableSpec::Separator::found:
      return '\0';
    case TableSpec::Separator::comma:
      return ',';
    case TableSpec::Separator::semicolon:
      return ';';
    case TableSpec::Separator::tab:
      return '\t';
  }
  return '\0';
}

TableReading reading_of(const TableSpec& spec) {
  return {.separator = separator_of(spec),
          .ignore = spec.ignore,
          .environment = spec.environment,
          .label = spec.label,
          .most_categories = static_cast<std::size_t>(spec.max_categories)};
}

std::optional<base::Value> parse_columns(std::string_view typed) {
  if (base::trimmed(typed) == "none" || base::trimmed(typed).empty()) {
    return base::Value(std::string("none"));
  }
  try {
    CsvReader reader(csv_text(typed), "a list", {.separator = ','});
    std::vector<std::string> names;
    if (!reader.next()) {
      return std::nullopt;
    }
    for (const std::string_view name : reader.fields()) {
      names.emplace_back(trimmed_cell(name));
    }
    return reader.next() ? std::nullopt : std::optional<base::Value>(std::move(names));
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

void describe(base::Fields<TableSpec>& field) {
  using S = TableSpec;
  field.text("file", &S::file, "CSV files, gzipped or not", "path of the table")
      .names_file("CSV file", "file_sha256");
  field.text("label", &S::label, "names of columns", "the column to predict");
  add_columns(field, "environment", &S::environment, "columns that say which environment a row is from");
  add_columns(field, "ignore", &S::ignore, "columns that are not used");
  field.choice("task", &S::task,
               {{"auto", TaskChoice::found},
                {"classification", TaskChoice::classification},
                {"regression", TaskChoice::regression}},
               "what the label is; auto: classes if it is text or at most 20 integers");
  describe_test_envs(field, 999);
  describe_holdout(field, "share of an environment's rows that is held out");
  field.whole("max_categories", &S::max_categories, std::int64_t{2}, 100'000,
              "categories that a column may have");
  field.choice("separator", &S::separator,
               {{"auto", S::Separator::found},
                {"comma", S::Separator::comma},
                {"semicolon", S::Separator::semicolon},
                {"tab", S::Separator::tab}},
               "what separates fields; auto: found from the first rows");
  field.text("file_sha256", &S::file_sha256, "nothing, or SHA-256 digests in hexadecimal",
             "digest that the file must have; 'pair train --data' fills it in", is_sha256_or_empty);
}

void validate(const TableSpec& spec) {
  if (spec.file.empty()) {
    throw std::invalid_argument("file: expected a CSV file, got none; '--data FILE' names it");
  }
  const std::vector<std::string> columns = read_column_names(spec.file, separator_of(spec));
  if (spec.label.empty()) {
    refuse_absence("label: expected the column to predict", "--label", columns, spec.file);
  }
  if (spec.environment.empty()) {
    refuse_absence("environment: expected the column that says where a row is from", "--environment", columns,
                   spec.file);
  }
  check_column("label", spec.label, columns, spec.file);
  for (const std::string& name : spec.environment) {
    check_column("environment", name, columns, spec.file);
  }
  for (const std::string& name : spec.ignore) {
    check_column("ignore", name, columns, spec.file);
  }
  const auto refuse_twice = [](const char* what, const std::string& name, const char* also) {
    throw std::invalid_argument(std::string(what) + ": expected columns that are not the " + also +
                                ", got '" + base::printable(name) + "'");
  };
  for (const std::string& name : spec.environment) {
    if (name == spec.label) {
      refuse_twice("environment", name, "label");
    }
    if (std::count(spec.environment.begin(), spec.environment.end(), name) > 1) {
      throw std::invalid_argument("environment: expected columns that differ, got '" + base::printable(name) +
                                  "' twice");
    }
  }
  for (const std::string& name : spec.ignore) {
    if (name == spec.label) {
      refuse_twice("ignore", name, "label");
    }
    if (std::find(spec.environment.begin(), spec.environment.end(), name) != spec.environment.end()) {
      refuse_twice("ignore", name, "environment");
    }
  }
}

}  // namespace pair::data
