#include <istream>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "pair/data/csv.h"
#include "pair/data/inputs.h"
#include "pair/data/table_encoding.h"
#include "pair/data/table_input.h"

// Rows of CSV files as inputs, encoded as the rows that the model was trained on. Columns are found by their
// names, in any order; others, the label among them, are passed over.

namespace pair::data {
namespace {

class TableInputs final : public Inputs {
 public:
  TableInputs(const TableInput& form, std::vector<std::string> inputs, std::istream& in,
              const ReadingOptions& options)
      : encoding_(encoding_of(form)), options_(options), files_(std::move(inputs)), standard_input_(&in) {
    if (files_.empty()) {
      throw std::invalid_argument("inputs: expected CSV files or -, got none");
    }
    const auto width = static_cast<std::int64_t>(encoding_.width());
    if (options.shape != std::vector{width}) {
      throw std::invalid_argument("encoding: expected as many inputs as the model has, got " +
                                  std::to_string(width));
    }
  }

  std::optional<InputBatch> next() override {
    InputBatch batch;
    std::vector<float> numbers;
    std::vector<float> row(encoding_.width());
    while (std::ssize(batch.names) < options_.batch) {
      if (!reader_ && !open_next()) {
        break;
      }
      if (!reader_->next()) {
        reader_.reset();
        continue;
      }
      try {
        encoder_->encode(reader_->fields(), row);
      } catch (const std::invalid_argument& error) {
        reader_->refuse(error.what());
      }
      numbers.insert(numbers.end(), row.begin(), row.end());
      batch.names.push_back(reader_->name() + ":" + std::to_string(reader_->line()));
    }
    if (batch.names.empty()) {
      return std::nullopt;
    }
    batch.inputs = torch::tensor(numbers, torch::kFloat)
                       .view({std::ssize(batch.names), static_cast<std::int64_t>(row.size())});
    return batch;
  }

 private:
  // False after the last file.
  bool open_next() {
    if (at_ == files_.size()) {
      return false;
    }
    const std::string& file = files_[at_++];
    if (file == "-") {
      reader_.emplace(
          [in = standard_input_](std::span<char> bytes) {
            in->read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
            return static_cast<std::size_t>(in->gcount());
          },
          "standard input");
    } else {
      reader_.emplace(std::filesystem::path(file));
    }
    if (!reader_->next()) {
      throw std::invalid_argument(reader_->name() + ": expected a row of column names, got nothing");
    }
    try {
      encoder_.emplace(encoding_, reader_->fields());
    } catch (const std::invalid_argument& error) {
      reader_->refuse(error.what());
    }
    return true;
  }

  TableEncoding encoding_;
  ReadingOptions options_;
  std::vector<std::string> files_;
  std::istream* standard_input_;
  std::size_t at_ = 0;  // the next of files_
  std::optional<CsvReader> reader_;
  std::optional<RowEncoder> encoder_;
};

}  // namespace

std::unique_ptr<Inputs> open_table(const base::Options& form, std::vector<std::string> inputs,
                                   std::istream& in, const ReadingOptions& options) {
  return std::make_unique<TableInputs>(form.as<TableInput>(), std::move(inputs), in, options);
}

}  // namespace pair::data
