#include "pair/data/input_form.h"

#include <algorithm>

namespace pair::data {

void describe(base::Fields<ImageInput>& field) {
  using I = ImageInput;
  field.whole("rows", &I::rows, std::int64_t{1}, 16'384, "rows that images are resized to");
  field.whole("columns", &I::columns, std::int64_t{1}, 16'384, "columns that images are resized to");
  field.numbers("mean", &I::mean, {}, "subtracted from each channel, whose values are from 0 to 1");
  field.numbers("std", &I::deviation, {.low = 0, .open_low = true}, "what each channel is divided by");
  field.flag("exif", &I::exif, "rotate images according to their EXIF orientation");
  field
      .flag("standardise", &I::standardise,
            "normalise each channel of each image by its own mean and deviation")
      .unsaid = "false";
}

void describe(base::Fields<DigitInput>& field) {
  using I = DigitInput;
  field.whole("rows", &I::rows, std::int64_t{1}, 4096, "rows of an input");
  field.whole("columns", &I::columns, std::int64_t{1}, 4096, "columns of an input");
  field.whole("channels", &I::channels, std::int64_t{1}, 2, "1: grey; 2: red and green");
  field.whole("stride", &I::stride, std::int64_t{1}, 64,
              "for images that are larger by this factor: take every stride-th row and column");
}

void describe(base::Fields<NumbersInput>& field) {
  field.names("columns", &NumbersInput::columns, "different names, separated by commas",
              "names of the columns, in the order of the inputs", [](const std::vector<std::string>& names) {
                std::vector<std::string> sorted = names;
                std::ranges::sort(sorted);
                return std::ranges::adjacent_find(sorted) == sorted.end();
              });
}

InputForm form_of(const ImageInput& input) {
  return {"image", base::Options::of(input)};
}
InputForm form_of(const DigitInput& input) {
  return {"digit", base::Options::of(input)};
}
InputForm form_of(const NumbersInput& input) {
  return {"numbers", base::Options::of(input)};
}

}  // namespace pair::data
