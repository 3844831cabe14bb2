#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pair/base/options.h"
#include "pair/data/sha256.h"
#include "pair/data/table_spec.h"

// A user's own texts as a dataset: a CSV file with a column of texts, a column with the label, and one or
// more that name the environment. text_data.cpp makes tensors of it.

namespace pair::data {

struct TextSpec {
  std::string file = {};                      // a CSV file, gzipped or not. It has no default
  std::string text = {};                      // the column with the texts
  std::string label = {};                     // the column to predict, a class
  std::vector<std::string> environment = {};  // as in TableSpec
  std::string vocab = {};                     // the tokenizer's vocab.txt (wordpiece.h). It has no default
  std::int64_t max_tokens = 300;              // tokens per text, [CLS] and [SEP] included. 2 to 65,536
  std::vector<std::int64_t> test_envs = {0};  // as in TableSpec
  double holdout = 0.2;                       // share of each environment's rows that is held out
  std::int64_t workers = 2;                   // threads that divide texts into tokens
  TableSpec::Separator separator = TableSpec::Separator::found;
  // Where not empty, the SHA-256 of the two files: a run is not continued on other data.
  std::string file_sha256 = {};
  std::string vocab_sha256 = {};

  bool operator==(const TextSpec&) const = default;
};

void describe(base::Fields<TextSpec>& field);

// The options vocab, vocab_sha256 and max_tokens of a dataset of texts, which O has under these names.
template <class O>
void describe_vocabulary(base::Fields<O>& field) {
  field.text("vocab", &O::vocab, "files with one token per line", "BERT's vocabulary, vocab.txt")
      .names_file("file with one token per line", "vocab_sha256");
  field.text("vocab_sha256", &O::vocab_sha256, "nothing, or SHA-256 digests in hexadecimal",
             "digest that the vocabulary must have; 'pair train --vocab' fills it in", is_sha256_or_empty);
  field.whole("max_tokens", &O::max_tokens, std::int64_t{2}, 65'536,
              "tokens per text, [CLS] and [SEP] included; longer texts are cut");
}

// Throws std::invalid_argument for an empty path.
void require_vocabulary(const std::string& path);

// The part of it that says how rows are divided and labelled.
TableSpec rows_of(const TextSpec& spec);

// Checks that the first row of the file has the columns, that each is used once, and that a vocabulary is
// named. Throws std::invalid_argument.
void validate(const TextSpec& spec);

// The column's cells, row by row, unchanged. Throws std::invalid_argument as read_table does, and if the file
// has another number of rows than `rows`.
std::vector<std::string> read_texts(const TextSpec& spec, std::size_t rows);

}  // namespace pair::data
