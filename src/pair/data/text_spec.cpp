#include "pair/data/text_spec.h"

#include <algorithm>
#include <stdexcept>

#include "pair/base/names.h"
#include "pair/data/column_lists.h"
#include "pair/data/csv.h"
#include "pair/data/sha256.h"
#include "pair/data/shared_fields.h"
#include "pair/data/test_envs.h"

namespace pair::data {

void describe(base::Fields<TextSpec>& field) {
  using S = TextSpec;
  // The same as a table's where both have it.
  std::vector<base::Field> rows = base::fields_of<TableSpec>();
  const auto of_table = [&rows](const char* name) -> const base::Field& {
    return *std::ranges::find(rows, name, &base::Field::name);
  };
  field.text("file", &S::file, "CSV files, gzipped or not", "path of the file with the texts")
      .names_file("CSV file", "file_sha256");
  field.text("text", &S::text, "names of columns", "the column with the texts");
  field.text("label", &S::label, "names of columns", "the column to predict");
  add_columns(field, "environment", &S::environment, "columns that say which environment a row is from");
  describe_vocabulary(field);
  describe_test_envs(field, 999);
  describe_holdout(field, "share of an environment's rows that is held out");
  describe_workers(field, 1, "threads that tokenize texts");
  field.choice("separator", &S::separator,
               {{"auto", TableSpec::Separator::found},
                {"comma", TableSpec::Separator::comma},
                {"semicolon", TableSpec::Separator::semicolon},
                {"tab", TableSpec::Separator::tab}},
               of_table("separator").summary);
  field.text("file_sha256", &S::file_sha256, "nothing, or SHA-256 digests in hexadecimal",
             of_table("file_sha256").summary, is_sha256_or_empty);
}

void require_vocabulary(const std::string& path) {
  if (path.empty()) {
    throw std::invalid_argument("vocab: expected BERT's vocabulary, got none; '--vocab vocab.txt' names it");
  }
}

TableSpec rows_of(const TextSpec& spec) {
  return {.file = spec.file,
          .label = spec.label,
          .environment = spec.environment,
          .task = TaskChoice::classes_only,
          .test_envs = spec.test_envs,
          .holdout = spec.holdout,
          .separator = spec.separator,
          .file_sha256 = spec.file_sha256};
}

void validate(const TextSpec& spec) {
  const TableSpec rows = rows_of(spec);
  validate(rows);
  if (spec.text.empty()) {
    throw std::invalid_argument(
        "text: expected the column with the texts, got none; '--text COLUMN' names it");
  }
  require_vocabulary(spec.vocab);
  check_column("text", spec.text, read_column_names(spec.file, separator_of(rows)), spec.file);
  if (spec.text == spec.label) {
    throw std::invalid_argument("text: expected a column that is not the label, got '" +
                                base::printable(spec.text) + "'");
  }
  if (std::ranges::find(spec.environment, spec.text) != spec.environment.end()) {
    throw std::invalid_argument("text: expected a column that is not the environment, got '" +
                                base::printable(spec.text) + "'");
  }
}

std::vector<std::string> read_texts(const TextSpec& spec, std::size_t rows) {
  CsvReader reader(spec.file, {.separator = separator_of(rows_of(spec))});
  if (!reader.next()) {
    throw std::invalid_argument(base::printable(spec.file) + ": expected a row of column names, got nothing");
  }
  std::size_t place = 0;
  while (place < reader.fields().size() && base::trimmed(reader.fields()[place]) != spec.text) {
    ++place;
  }
  std::vector<std::string> texts;
  texts.reserve(rows);
  while (place < reader.fields().size() && reader.next()) {
    texts.emplace_back(reader.fields()[place]);
  }
  if (texts.size() != rows) {
    throw std::invalid_argument(base::printable(spec.file) + ": expected " + std::to_string(rows) +
                                " rows, got " + std::to_string(texts.size()) + ": the file is being changed");
  }
  return texts;
}

}  // namespace pair::data
