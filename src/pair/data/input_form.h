#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/options.h"

// How a file becomes an input of a model: which kind of file, and what is done to it. A dataset says it
// (EnvironmentSet::input), a trained model keeps it (model.json), and inputs.h reads files by it.

namespace pair::data {

struct InputForm {
  std::string kind = {};       // a name (input_kinds.h); empty: files cannot be read for the dataset
  base::Options options = {};  // of that kind
};

// "image": an image as red, green and blue bytes, resized to rows x columns (bilinear, with antialiasing,
// the aspect ratio not kept); then (byte / 255 - mean) / deviation for each channel. Shape [3, rows,
// columns].
struct ImageInput {
  std::int64_t rows = 224;                    // 1 to 16384
  std::int64_t columns = 224;                 // 1 to 16384
  std::vector<double> mean = {0, 0, 0};       // one per channel
  std::vector<double> deviation = {1, 1, 1};  // one per channel, above 0
  bool exif = false;                          // turned first, as the file's EXIF data says
  // In place of mean and deviation: each channel of each image by its own, as WILDS does with RxRx1's.
  bool standardise = false;
};
void describe(base::Fields<ImageInput>& field);
InputForm form_of(const ImageInput& input);

// "digit": an image, or an image of an IDX file, in which the digit is bright on black, as byte / 255. If
// images are `stride` times as large, only every stride-th row and column is used. With two channels,
// the colours of ColoredMNIST, red is the first and green the second; blue is not used. With one channel,
// coloured images become grey. Shape [channels, rows, columns], perhaps flattened.
struct DigitInput {
  std::int64_t rows = 28;     // 1 to 4096
  std::int64_t columns = 28;  // 1 to 4096
  std::int64_t channels = 1;  // 1 or 2
  std::int64_t stride = 1;    // 1 to 64
};
void describe(base::Fields<DigitInput>& field);
InputForm form_of(const DigitInput& input);

// "numbers": one line of a CSV file per input.
struct NumbersInput {
  std::vector<std::string> columns = {};  // their names, in the order of the inputs; empty: without names
};
void describe(base::Fields<NumbersInput>& field);
InputForm form_of(const NumbersInput& input);

// "table": one row of a CSV file per input, encoded as in training (table_encoding.h). Without options.
inline constexpr std::string_view table_input = "table";

}  // namespace pair::data
