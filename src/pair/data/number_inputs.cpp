#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "pair/base/files.h"
#include "pair/base/names.h"
#include "pair/base/options.h"
#include "pair/base/tables.h"
#include "pair/data/input_kinds.h"
#include "pair/data/inputs.h"
#include "pair/data/named_inputs.h"

// Lines of numbers as inputs, separated by commas. A first line without numbers is a header: if the model
// knows its columns' names, they are taken by name, in any order, and others are ignored.

namespace pair::data {
namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

class NumberInputs final : public Inputs {
 public:
  NumberInputs(const NumbersInput& form, std::vector<std::string> inputs, std::istream& in,
               const ReadingOptions& options)
      : form_(form), options_(options), files_(std::move(inputs)), standard_input_(&in) {
    if (files_.empty()) {
      throw std::invalid_argument("inputs: expected CSV files or -, got none");
    }
    size_ = static_cast<std::size_t>(
        std::accumulate(options.shape.begin(), options.shape.end(), std::int64_t{1}, std::multiplies<>()));
    if (!form_.columns.empty() && form_.columns.size() != size_) {
      throw std::invalid_argument("columns: expected " + std::to_string(size_) + " names, got " +
                                  std::to_string(form_.columns.size()));
    }
  }

  std::optional<InputBatch> next() override {
    std::vector<std::string> names;
    std::vector<float> numbers;
    while (std::ssize(names) < options_.batch) {
      if (in_ == nullptr && !open_next()) {
        break;
      }
      std::string line;
      if (!next_line(*in_, line, name_)) {
        in_ = nullptr;
        continue;
      }
      ++number_;
      if (number_ == 1 && line.starts_with(byte_order_mark)) {
        line.erase(0, byte_order_mark.size());
      }
      if (base::trimmed(line).empty() || (!std::exchange(begun_, true) && take_header(line))) {
        continue;
      }
      add(line, numbers);
      names.push_back(name_ + ":" + std::to_string(number_));
    }
    return batch_of(std::move(names), numbers, options_.shape);
  }

  [[nodiscard]] std::vector<std::string> take_notices() override { return std::exchange(notices_, {}); }

 private:
  bool open_next() {
    if (at_ == files_.size()) {
      return false;
    }
    const std::string& file = files_[at_++];
    number_ = 0;
    begun_ = false;
    fields_ = 0;
    places_.clear();
    if (file == "-") {
      name_ = "standard input";
      in_ = standard_input_;
      return true;
    }
    name_ = file;
    if (const std::string fault = base::stream_fault(file); !fault.empty()) {
      throw std::invalid_argument(base::printable(file) + ": expected a CSV file, got a path that " + fault);
    }
    file_ = std::ifstream(file, std::ios::binary);
    in_ = &file_;
    return true;
  }

  [[nodiscard]] std::string here() const {
    return base::printable(name_) + ", line " + std::to_string(number_);
  }

  // Whether the line is a header: one without numbers, whose names decide the order of the columns.
  bool take_header(const std::string& line) {
    std::vector<std::string> words = base::comma_separated(line);
    if (std::ranges::any_of(words,
                            [](const std::string& word) { return base::parse_number(word).has_value(); })) {
      return false;
    }
    if (form_.columns.empty()) {
      return true;
    }
    for (std::string& word : words) {
      if (word.size() >= 2 && word.starts_with('"') && word.ends_with('"')) {
        word = word.substr(1, word.size() - 2);
      }
    }
    for (const std::string& column : form_.columns) {
      const auto found = std::ranges::find(words, column);
      if (found == words.end() || std::find(found + 1, words.end(), column) != words.end()) {
        throw std::invalid_argument(here() + ": expected the columns " + base::joined(form_.columns) +
                                    ", each once, got " + base::printable(base::joined(words)));
      }
      places_.push_back(static_cast<std::size_t>(found - words.begin()));
    }
    fields_ = words.size();
    if (words.size() > size_) {
      notices_.push_back(base::printable(name_) + ": ignored columns that the model does not use: " +
                         std::to_string(words.size() - size_));
    }
    return true;
  }

  void add(const std::string& line, std::vector<float>& numbers) {
    const std::vector<std::string> words = base::comma_separated(line);
    const std::size_t expected = fields_ > 0 ? fields_ : size_;
    if (words.size() != expected) {
      throw std::invalid_argument(here() + ": expected " + std::to_string(expected) +
                                  (fields_ > 0 ? " values, as the header has, got " : " numbers, got ") +
                                  std::to_string(words.size()));
    }
    for (std::size_t i = 0; i < size_; ++i) {
      const std::string& word = words[places_.empty() ? i : places_[i]];
      const std::optional<base::Value> value = base::parse_number(word);
      const std::optional<double> number = value ? base::number_in(*value) : std::nullopt;
      if (!number || !std::isfinite(static_cast<float>(*number))) {
        throw std::invalid_argument(here() + ": expected a number, got '" + base::printable(word) + "'");
      }
      numbers.push_back(static_cast<float>(*number));
    }
  }

  NumbersInput form_;
  ReadingOptions options_;
  std::vector<std::string> files_;
  std::istream* standard_input_;
  std::size_t size_ = 0;  // numbers per input
  std::size_t at_ = 0;    // the next of files_
  std::ifstream file_;
  std::istream* in_ = nullptr;  // what is being read
  std::string name_;
  std::int64_t number_ = 0;          // of the last line
  bool begun_ = false;               // a line that is not empty was read
  std::size_t fields_ = 0;           // of a line, as the header has them; 0: no header
  std::vector<std::size_t> places_;  // where the model's columns are
  std::vector<std::string> notices_;
};

std::unique_ptr<Inputs> open_numbers(const base::Options& form, std::vector<std::string> inputs,
                                     std::istream& in, const ReadingOptions& options) {
  return std::make_unique<NumberInputs>(form.as<NumbersInput>(), std::move(inputs), in, options);
}

}  // namespace

InputKind number_inputs() {
  InputForm defaults = form_of(NumbersInput{});
  return {.name = std::move(defaults.kind), .options = std::move(defaults.options), .open = open_numbers};
}

}  // namespace pair::data
