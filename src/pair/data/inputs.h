#pragma once

#include <torch/types.h>

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pair/data/input_form.h"
#include "pair/data/loader.h"

// New inputs for a trained model, read from the user's files in order, one batch at a time. input_kinds.h has
// the kinds of inputs.

namespace pair::data {

struct TableEncoding;

struct InputBatch {
  // One per input, for messages: the file's path, FILE:LINE of a table, FILE[NUMBER] of an IDX file.
  std::vector<std::string> names;
  torch::Tensor inputs;  // [n, ...], n >= 1: numbers, or bytes that represent byte / 255
  std::vector<std::vector<std::string>> kept = {};  // per input, the cells of ReadingOptions::keep
};

// Reads batches on demand: memory does not grow with the number of inputs.
class Inputs {
 public:
  virtual ~Inputs() = default;

  // None at the end. Throws std::invalid_argument that names the file, and the line, for invalid input;
  // std::runtime_error if reading fails.
  [[nodiscard]] virtual std::optional<InputBatch> next() = 0;

  // With BrokenFiles::skip: number of inputs left out so far.
  [[nodiscard]] virtual std::int64_t skipped() const { return 0; }
  // Sentences for the user since the last call.
  [[nodiscard]] virtual std::vector<std::string> take_notices() { return {}; }
};

// The end of a message that refuses a broken file.
inline constexpr const char* broken_hint = "; '--broken skip' leaves out such files";

struct ReadingOptions {
  std::shared_ptr<const TableEncoding> table = {};  // for a model trained on a table
  std::vector<std::int64_t> shape = {};             // of one input, as the model takes it
  std::int64_t batch = 64;                          // inputs per batch, 1 to 1,000,000
  int workers = 2;                                  // threads that decode images; 0: none
  BrokenFiles broken = BrokenFiles::fail;           // fail: next() throws std::invalid_argument
  std::vector<std::string> keep = {};        // columns of tables whose cells are handed over as they are
  std::optional<std::int64_t> channel = {};  // the channel of grey digits if inputs have two channels: 0 or 1
};

// A batch of the rows that were read: `numbers` has one input after another, each of the shape. None if there
// are no rows.
std::optional<InputBatch> batch_of(std::vector<std::string> names, const std::vector<float>& numbers,
                                   const std::vector<std::int64_t>& shape);

// Images [n, 3, rows, columns] as the form has them: (byte / 255 - mean) / deviation. Bytes stay bytes
// where nothing is subtracted or divided, as in training.
torch::Tensor normalised(const ImageInput& form, const torch::Tensor& bytes);

// The same for many batches: its numbers are moved to a device once, so that work on it can be recorded.
class Normalisation {
 public:
  // For data whose inputs are not pictures, and where nothing is subtracted or divided: as_numbers.
  Normalisation(const InputForm& form, torch::Device device);
  // Bytes or numbers [n, 3, rows, columns] on the device; the result is numbers.
  [[nodiscard]] torch::Tensor operator()(const torch::Tensor& inputs) const;

 private:
  bool standardise_ = false;
  torch::Tensor mean_;  // undefined: nothing to do
  torch::Tensor deviation_;
};

// inputs: files, folders or "-" for `in`, which must outlive the result. Throws std::invalid_argument for a
// form that is not known, options out of range, and inputs that the form does not have.
std::unique_ptr<Inputs> open_inputs(const InputForm& form, std::vector<std::string> inputs, std::istream& in,
                                    const ReadingOptions& options);

}  // namespace pair::data
