#include "pair/data/prepared_table.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/data/random.h"
#include "pair/data/sha256.h"
#include "pair/data/table_environments.h"
#include "pair/data/table_fit.h"
#include "pair/data/test_envs.h"

namespace pair::data {
namespace {

constexpr std::size_t shown_in_notices = 5;

void divide(PreparedTable::Part& part, std::vector<std::size_t> rows, double share, std::uint64_t seed) {
  Random random(seed, "table/split/" + part.name);
  const std::vector<std::int64_t> order = random.permutation(rows.size());
  if (rows.size() < 2) {
    throw std::invalid_argument("environment '" + base::printable(part.name) +
                                "': expected at least 2 rows, got 1; merge it with another one or remove it");
  }
  const auto held = static_cast<std::size_t>(share * static_cast<double>(rows.size()));
  if (held == 0 || held == rows.size()) {
    throw std::invalid_argument("holdout: expected a share that leaves and holds out at least one row of '" +
                                base::printable(part.name) + "', which has " + std::to_string(rows.size()) +
                                ", got " + base::shown(share));
  }
  for (std::size_t i = 0; i < order.size(); ++i) {
    (i < held ? part.out : part.in).push_back(rows[static_cast<std::size_t>(order[i])]);
  }
  std::sort(part.in.begin(), part.in.end());
  std::sort(part.out.begin(), part.out.end());
}

std::vector<PreparedTable::Part> parts_of(const RowEnvironments& environments, const TableSpec& spec,
                                          std::uint64_t seed) {
  std::vector<std::vector<std::size_t>> rows(environments.names.size());
  for (std::size_t row = 0; row < environments.of_row.size(); ++row) {
    rows[environments.of_row[row]].push_back(row);
  }
  std::vector<PreparedTable::Part> parts(rows.size());
  for (std::size_t e = 0; e < parts.size(); ++e) {
    parts[e].name = environments.names[e];
    parts[e].test = std::find(spec.test_envs.begin(), spec.test_envs.end(), static_cast<std::int64_t>(e)) !=
                    spec.test_envs.end();
    divide(parts[e], std::move(rows[e]), spec.holdout, seed);
  }
  return parts;
}

std::vector<std::size_t> training_rows(const std::vector<PreparedTable::Part>& parts) {
  std::vector<std::size_t> rows;
  for (const PreparedTable::Part& part : parts) {
    if (!part.test) {
      rows.insert(rows.end(), part.in.begin(), part.in.end());
    }
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

// Rows per environment and class.
std::vector<std::vector<std::size_t>> class_counts(const PreparedTable& prepared) {
  std::vector<std::vector<std::size_t>> counts;
  for (const PreparedTable::Part& part : prepared.environments) {
    std::vector<std::size_t> count(prepared.encoding.label.classes.size(), 0);
    for (const auto* rows : {&part.in, &part.out}) {
      for (const std::size_t row : *rows) {
        ++count[static_cast<std::size_t>(prepared.labels[row])];
      }
    }
    counts.push_back(std::move(count));
  }
  return counts;
}

void check_classes(PreparedTable& prepared) {
  const std::vector<std::string>& classes = prepared.encoding.label.classes;
  const std::vector<std::vector<std::size_t>> counts = class_counts(prepared);
  std::vector<std::string> learned;
  std::vector<std::string> unlearned;
  std::vector<std::string> lacking;
  for (std::size_t c = 0; c < classes.size(); ++c) {
    std::size_t training = 0;
    for (std::size_t e = 0; e < counts.size(); ++e) {
      training += prepared.environments[e].test ? 0 : counts[e][c];
      if (counts[e][c] == 0) {
        lacking.push_back(prepared.environments[e].name + "' without '" + classes[c]);
      }
    }
    (training > 0 ? learned : unlearned).push_back(classes[c]);
  }
  const std::string label =
      base::printable(prepared.table.name) + ": " + named_label(prepared.encoding.label.name) + ": ";
  if (learned.size() < 2) {
    throw std::invalid_argument(label + "expected at least 2 classes in the training environments, got " +
                                quoted_names(learned) + " in every row");
  }
  if (!unlearned.empty()) {
    prepared.notices.push_back(label + "classes that only test environments have cannot be learned: " +
                               quoted_names(unlearned, shown_in_notices));
  }
  if (!lacking.empty()) {
    prepared.notices.push_back(label + "environments that lack a class: " + std::to_string(lacking.size()) +
                               ", " + (lacking.size() == 1 ? "" : "for example ") + "'" +
                               base::printable(lacking.front()) + "'");
  }
}

// Row numbers: 1, 2, 3, ... or similar.
bool counts_rows(const Column& column) {
  if (column.kind != ColumnKind::number || column.missing > 0 || column.numbers.size() < 3) {
    return false;
  }
  for (std::size_t row = 1; row < column.numbers.size(); ++row) {
    if (column.numbers[row] - column.numbers[row - 1] != 1.0) {
      return false;
    }
  }
  return true;
}

// Categories of the column that the encoding does not have.
std::size_t unseen_categories(const Column& column, const ColumnEncoding& encoding) {
  return column.categories.size() - encoding.categories.size();
}

// All columns at once, so that one option leaves them out.
void check_features(const PreparedTable& prepared, const std::vector<std::size_t>& rows,
                    const TableSpec& spec) {
  std::vector<ColumnFault> faults;
  for (const Column& column : prepared.table.columns) {
    if (auto fault = fault_of(column, rows, static_cast<std::size_t>(spec.max_categories))) {
      faults.push_back(std::move(*fault));
    }
  }
  if (!faults.empty()) {
    throw std::invalid_argument(base::printable(prepared.table.name) + ": " +
                                sentence_of(faults, spec.ignore));
  }
}

void add_warning(PreparedTable& prepared, const std::string& warning) {
  if (!warning.empty()) {
    prepared.notices.push_back("warning: " + base::printable(prepared.table.name) + ": " + warning);
  }
}

// One notice for all columns, so that one option leaves them out.
void add_row_numbers(PreparedTable& prepared, const TableSpec& spec) {
  std::vector<std::string> names;
  for (const Column& column : prepared.table.columns) {
    if (counts_rows(column)) {
      names.push_back(column.name);
    }
  }
  if (names.empty()) {
    return;
  }
  std::vector<std::string> ignored = spec.ignore;
  ignored.insert(ignored.end(), names.begin(), names.end());
  const bool one = names.size() == 1;
  prepared.notices.push_back(base::printable(prepared.table.name) + (one ? ": column " : ": columns ") +
                             quoted_names(names, shown_in_notices) +
                             (one ? " numbers the rows; " : " number the rows; ") + ignore_option(ignored) +
                             (one ? " leaves it out" : " leaves them out"));
}

void fit_features(PreparedTable& prepared, const std::vector<std::size_t>& rows, const TableSpec& spec) {
  const std::string file = base::printable(prepared.table.name);
  check_features(prepared, rows, spec);
  add_row_numbers(prepared, spec);
  for (const Column& column : prepared.table.columns) {
    add_warning(prepared, numbers_warning(column));
    const std::string named = file + ": " + named_column(column.name);
    prepared.encoding.columns.push_back(fit_column(column, rows));
    if (const std::size_t unseen = unseen_categories(column, prepared.encoding.columns.back()); unseen > 0) {
      prepared.notices.push_back(
          named + ": categories that no training row has, which become zeros: " + std::to_string(unseen));
    }
  }
  if (!prepared.table.unnamed.empty()) {
    prepared.notices.push_back(file + ": " + unnamed_note(prepared.table));
  }
}

std::string rounded_text(double value) {
  return base::shown(base::rounded(value));
}

std::string column_detail(const ColumnEncoding& column) {
  if (column.kind == ColumnKind::number) {
    return "mean " + rounded_text(column.mean) + ", deviation " + rounded_text(column.deviation);
  }
  return std::to_string(column.categories.size()) + ": " + quoted_names(column.categories, shown_in_notices);
}

std::string description_of(const PreparedTable& prepared, const std::vector<std::size_t>& missing) {
  const TableEncoding& encoding = prepared.encoding;
  const LabelEncoding& label = encoding.label;
  std::string text = base::printable(prepared.table.name) + ": " + std::to_string(prepared.table.rows) +
                     " rows, " + std::to_string(encoding.columns.size()) + " columns, " +
                     std::to_string(encoding.width()) + " inputs\n";
  text += "Label '" + base::printable(label.name) + "': " +
          (label.task == TableTask::regression ? "a regression, mean " + rounded_text(label.mean) +
                                                     ", deviation " + rounded_text(label.deviation)
                                               : std::to_string(label.classes.size()) + " classes, " +
                                                     quoted_names(label.classes, shown_in_notices)) +
          "\n";
  std::vector<std::string> train;
  std::vector<std::string> test;
  for (const PreparedTable::Part& part : prepared.environments) {
    (part.test ? test : train).push_back(part.name);
  }
  text += "Environments by " + quoted_names(encoding.environment) + ": trained on " +
          quoted_names(train, 10) + "; tested on " + quoted_names(test, 10) + "\n";
  base::Rows rows{{"column", "type", "missing", "in the training rows"}};
  for (std::size_t i = 0; i < encoding.columns.size(); ++i) {
    const ColumnEncoding& column = encoding.columns[i];
    rows.push_back({base::printable(column.name), column.kind == ColumnKind::number ? "number" : "category",
                    std::to_string(missing[i]), column_detail(column)});
  }
  return text + base::aligned(rows, {.indent = "  "});
}

// Divides the rows and fits their labels.
void prepare_rows(PreparedTable& prepared, const TableSpec& spec, std::uint64_t seed) {
  const RowEnvironments environments = environments_of_rows(prepared.table, spec.environment);
  check_test_envs(spec.test_envs, static_cast<std::int64_t>(environments.names.size()));
  prepared.environments = parts_of(environments, spec, seed);
  Labels labels = fit_labels(*prepared.table.find(spec.label), spec.task,
                             training_rows(prepared.environments), spec.file);
  prepared.encoding.label = std::move(labels.encoding);
  prepared.encoding.environment = spec.environment;
  prepared.labels = std::move(labels.values);
  if (prepared.encoding.label.task == TableTask::classification) {
    check_classes(prepared);
  }
  for (const std::string& warning : labels.warnings) {
    add_warning(prepared, warning);
  }
}

void check_digest(const TableSpec& spec) {
  if (!spec.file_sha256.empty() && sha256_of_file(spec.file) != spec.file_sha256) {
    throw std::invalid_argument("file_sha256: expected " + spec.file_sha256 +
                                ", got another digest: " + base::printable(spec.file) + " has changed");
  }
}

}  // namespace

PreparedTable prepare_labels(const TableSpec& spec, std::uint64_t seed) {
  validate(spec);
  check_digest(spec);
  TableReading reading = reading_of(spec);
  reading.ignore.clear();
  reading.only = spec.environment;
  reading.only.push_back(spec.label);
  PreparedTable prepared{.table = read_table(spec.file, reading)};
  prepare_rows(prepared, spec, seed);
  prepared.table.columns.clear();
  return prepared;
}

PreparedTable prepare_table(const TableSpec& spec, std::uint64_t seed) {
  validate(spec);
  check_digest(spec);
  PreparedTable prepared{.table = read_table(spec.file, reading_of(spec))};
  Table& table = prepared.table;
  prepare_rows(prepared, spec, seed);
  const std::vector<std::size_t> rows = training_rows(prepared.environments);
  std::erase_if(table.columns, [&spec](const Column& column) {
    return column.name == spec.label ||
           std::find(spec.environment.begin(), spec.environment.end(), column.name) != spec.environment.end();
  });
  if (table.columns.empty()) {
    throw std::invalid_argument(base::printable(spec.file) +
                                ": expected columns besides label and environment, got none");
  }
  fit_features(prepared, rows, spec);
  std::vector<std::size_t> missing;
  for (const Column& column : table.columns) {
    missing.push_back(column.missing);
  }
  prepared.description = description_of(prepared, missing);
  return prepared;
}

}  // namespace pair::data
