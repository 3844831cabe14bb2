#include <algorithm>
#include <filesystem>
#include <fstream>
#include <istream>
#include <optional>
#include <stdexcept>
#include <utility>

#include "pair/base/files.h"
#include "pair/base/names.h"
#include "pair/data/csv.h"
#include "pair/data/input_kinds.h"
#include "pair/data/inputs.h"
#include "pair/data/named_inputs.h"
#include "pair/data/table.h"
#include "pair/data/text.h"

// Texts as inputs: CSV files (.csv, .tsv, either gzipped) with the column that the model was trained on;
// other files and "-", standard input, with one text per line. An empty line is an empty text.

namespace pair::data {
namespace {

bool is_csv_name(std::string name) {
  name = base::lower_case(name);
  if (name.ends_with(".gz")) {
    name.resize(name.size() - 3);
  }
  return name.ends_with(".csv") || name.ends_with(".tsv");
}

class TextInputs final : public Inputs {
 public:
  TextInputs(TextInput form, std::vector<std::string> inputs, std::istream& in, const ReadingOptions& options)
      : form_(std::move(form)),
        tokenizer_(WordPiece::from_text(form_.vocabulary)),
        batch_(options.batch),
        files_(std::move(inputs)),
        standard_input_(&in) {
    if (files_.empty()) {
      throw std::invalid_argument("inputs: expected CSV files, files with one text per line, or -, got none");
    }
  }

  std::optional<InputBatch> next() override {
    InputBatch batch;
    std::vector<std::string> texts;
    while (std::ssize(texts) < batch_ && add_text(batch.names, texts)) {
    }
    if (texts.empty()) {
      return std::nullopt;
    }
    const std::vector<std::string_view> views(texts.begin(), texts.end());
    batch.inputs = token_rows(tokenizer_, views, form_.max_tokens);
    return batch;
  }

 private:
  // False at the end of all inputs.
  bool add_text(std::vector<std::string>& names, std::vector<std::string>& texts) {
    while (reader_ || lines_ != nullptr || open_next()) {
      if (reader_) {
        if (reader_->next()) {
          names.push_back(reader_->name() + ":" + std::to_string(reader_->line()));
          texts.emplace_back(reader_->fields()[place_]);
          return true;
        }
        reader_.reset();
      } else {
        std::string line;
        if (next_line(*lines_, line, name_)) {
          names.push_back(name_ + ":" + std::to_string(++line_));
          texts.push_back(std::move(line));
          return true;
        }
        lines_ = nullptr;
      }
    }
    return false;
  }

  bool open_next() {
    if (at_ == files_.size()) {
      return false;
    }
    const std::string& file = files_[at_++];
    if (is_csv_name(file)) {
      open_csv(file);
      return true;
    }
    line_ = 0;
    name_ = file == "-" ? "standard input" : base::printable(file);
    lines_ = standard_input_;
    if (file != "-") {
      if (const std::string fault = base::stream_fault(file); !fault.empty()) {
        throw std::invalid_argument(
            name_ + ": expected a CSV file or one with one text per line, got a path that " + fault);
      }
      file_ = std::ifstream(file, std::ios::binary);
      lines_ = &file_;
    }
    return true;
  }

  void open_csv(const std::string& file) {
    reader_.emplace(std::filesystem::path(file), CsvOptions{.pipes = true});
    if (!reader_->next()) {
      throw std::invalid_argument(reader_->name() + ": expected a row of column names, got nothing");
    }
    place_ = require_column(reader_->fields(), form_.text_column, "the texts", reader_->name());
  }

  TextInput form_;
  WordPiece tokenizer_;
  std::int64_t batch_;
  std::vector<std::string> files_;
  std::istream* standard_input_;
  std::size_t at_ = 0;  // the next of files_
  std::optional<CsvReader> reader_;
  std::size_t place_ = 0;  // of the texts' column
  std::istream* lines_ = nullptr;
  std::ifstream file_;
  std::string name_;
  std::size_t line_ = 0;
};

std::unique_ptr<Inputs> open_texts(const base::Options& form, std::vector<std::string> inputs,
                                   std::istream& in, const ReadingOptions& options) {
  return std::make_unique<TextInputs>(form.as<TextInput>(), std::move(inputs), in, options);
}

}  // namespace

InputKind text_inputs() {
  InputForm defaults = form_of(TextInput{});
  return {.name = std::move(defaults.kind), .options = std::move(defaults.options), .open = open_texts};
}

}  // namespace pair::data
