#include <algorithm>
#include <istream>
#include <stdexcept>
#include <utility>

#include "pair/data/csv.h"
#include "pair/data/input_kinds.h"
#include "pair/data/inputs.h"
#include "pair/data/table.h"
#include "pair/data/table_encoding.h"

// Rows of tables as inputs: CSV files with the columns that the model was trained on, in any order, encoded
// as the training rows were. Columns that the model does not use, such as the label, are ignored. At the end,
// notices warn about columns with categories that the training rows do not have, and about columns without
// any value.

namespace pair::data {
namespace {

CsvSource standard_input(std::istream& in) {
  return [&in](std::span<char> bytes) {
    return static_cast<std::size_t>(
        in.rdbuf()->sgetn(bytes.data(), static_cast<std::streamsize>(bytes.size())));
  };
}

class TableInputs final : public Inputs {
 public:
  TableInputs(std::vector<std::string> inputs, std::istream& in, const ReadingOptions& options)
      : options_(options), files_(std::move(inputs)), standard_input_(&in) {
    if (files_.empty()) {
      throw std::invalid_argument("inputs: expected CSV files or -, got none");
    }
    if (options_.table == nullptr) {
      throw std::invalid_argument("inputs: expected a model that knows its columns, got one that does not");
    }
    width_ = options_.table->width();
  }

  std::optional<InputBatch> next() override {
    std::vector<std::string> names;
    std::vector<float> numbers;
    std::vector<std::vector<std::string>> kept;
    while (std::ssize(names) < options_.batch) {
      if (!reader_ && !open_next()) {
        break;
      }
      if (!reader_->next()) {
        reader_.reset();
        continue;
      }
      numbers.resize(numbers.size() + width_);
      try {
        encoder_->encode(reader_->fields(), std::span(numbers).last(width_), &counts_);
      } catch (const std::invalid_argument& error) {
        reader_->refuse(error.what());
      }
      names.push_back(reader_->name() + ":" + std::to_string(reader_->line()));
      std::vector<std::string>& cells = kept.emplace_back();
      for (const std::size_t place : kept_places_) {
        cells.emplace_back(reader_->fields()[place]);
      }
    }
    if (names.empty()) {
      for (const std::string& warning : warnings_about(std::exchange(counts_, {}), *options_.table)) {
        notices_.push_back("warning: " + warning);
      }
    }
    std::optional<InputBatch> batch = batch_of(std::move(names), numbers, options_.shape);
    if (batch) {
      batch->kept = std::move(kept);
    }
    return batch;
  }

  [[nodiscard]] std::vector<std::string> take_notices() override { return std::exchange(notices_, {}); }

 private:
  bool open_next() {
    if (at_ == files_.size()) {
      return false;
    }
    const std::string& file = files_[at_++];
    if (file == "-") {
      reader_.emplace(standard_input(*standard_input_), "standard input");
    } else {
      reader_.emplace(std::filesystem::path(file), CsvOptions{.pipes = true});
    }
    if (!reader_->next()) {
      throw std::invalid_argument(reader_->name() + ": expected a row of column names, got nothing");
    }
    try {
      encoder_.emplace(*options_.table, reader_->fields());
    } catch (const std::invalid_argument& error) {
      throw std::invalid_argument(reader_->name() + ": " + error.what());
    }
    kept_places_.clear();
    for (const std::string& column : options_.keep) {
      kept_places_.push_back(require_column(reader_->fields(), column, "the cells to keep", reader_->name()));
    }
    return true;
  }

  ReadingOptions options_;
  std::vector<std::string> files_;
  std::istream* standard_input_;
  std::size_t width_ = 0;
  std::size_t at_ = 0;  // the next of files_
  std::optional<CsvReader> reader_;
  std::optional<RowEncoder> encoder_;
  std::vector<std::size_t> kept_places_;  // in the current file
  CellCounts counts_;                     // of all rows
  std::vector<std::string> notices_;
};

std::unique_ptr<Inputs> open_tables(const base::Options& /*form*/, std::vector<std::string> inputs,
                                    std::istream& in, const ReadingOptions& options) {
  return std::make_unique<TableInputs>(std::move(inputs), in, options);
}

}  // namespace

InputKind table_inputs() {
  return {.name = std::string(table_input), .open = open_tables};
}

}  // namespace pair::data
