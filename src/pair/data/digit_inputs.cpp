#include <algorithm>
#include <stdexcept>
#include <utility>

#include "pair/data/gzip.h"
#include "pair/data/idx.h"
#include "pair/data/image.h"
#include "pair/data/input_kinds.h"
#include "pair/data/inputs.h"
#include "pair/data/named_inputs.h"

// Digits as inputs: images, or IDX files as MNIST's, gzipped or not.

namespace pair::data {
namespace {

constexpr std::uint8_t most_colour = 24;  // how far channels of a grey image may be apart: JPEG's own noise

bool is_grey(const Image& image) {
  for (std::size_t i = 0; i < image.pixels.size(); i += 3) {
    const auto [low, high] = std::minmax({image.pixels[i], image.pixels[i + 1], image.pixels[i + 2]});
    if (high - low > most_colour) {
      return false;
    }
  }
  return true;
}

// Pillow's conversion to "L" (ITU-R 601), in its fixed-point arithmetic.
std::uint8_t grey_of(const std::uint8_t* pixel) {
  return static_cast<std::uint8_t>((pixel[0] * 19595U + pixel[1] * 38470U + pixel[2] * 7471U + 0x8000U) >>
                                   16U);
}

class DigitInputs final : public Inputs {
 public:
  DigitInputs(const DigitInput& form, std::vector<std::string> inputs, std::istream& in,
              const ReadingOptions& options)
      : form_(form), options_(options), names_(std::move(inputs), in) {
    if (options.channel && form.channels == 1) {
      throw std::invalid_argument("channel: expected a model of coloured digits, got one of grey ones");
    }
  }

  std::optional<InputBatch> next() override {
    InputBatch batch;
    const std::int64_t size = form_.channels * form_.rows * form_.columns;
    std::vector<std::uint8_t> pixels;
    while (std::ssize(batch.names) < options_.batch) {
      if (at_ == digits_.count && !open_next(batch, pixels)) {
        break;
      }
      if (at_ < digits_.count) {
        batch.names.push_back(file_ + "[" + std::to_string(at_) + "]");
        pixels.resize(pixels.size() + static_cast<std::size_t>(size));
        write_grey(at_++, pixels.data() + pixels.size() - size);
      }
    }
    if (batch.names.empty()) {
      return std::nullopt;
    }
    std::vector<std::int64_t> shape = options_.shape;
    shape.insert(shape.begin(), std::ssize(batch.names));
    batch.inputs = torch::empty(shape, torch::kByte);
    std::ranges::copy(pixels, batch.inputs.data_ptr<std::uint8_t>());
    return batch;
  }

  [[nodiscard]] std::int64_t skipped() const override { return skipped_; }
  [[nodiscard]] std::vector<std::string> take_notices() override { return std::exchange(notices_, {}); }

 private:
  // The next file: an image is added to the batch, digits of an IDX file are kept for it. False at the end.
  bool open_next(InputBatch& batch, std::vector<std::uint8_t>& pixels) {
    const std::optional<std::string> path = names_.next();
    if (!path) {
      return false;
    }
    file_ = *path;
    const Bytes bytes = read_bytes(file_);
    try {
      const Bytes plain = gunzipped(bytes, file_);
      if (is_idx(plain)) {
        digits_ = parse_idx_images(plain, file_);
        at_ = 0;
        (void)stride_of(digits_.rows, digits_.columns);
        require_channel();
        return true;
      }
      add_picture(decode_image(plain), batch, pixels);
    } catch (const BrokenImage& error) {
      refuse(file_ + ": " + error.what());
    } catch (const std::runtime_error& error) {
      refuse(error.what());
    }
    return true;
  }

  void refuse(const std::string& reason) {
    if (options_.broken == BrokenFiles::fail) {
      throw std::invalid_argument(reason + broken_hint);
    }
    ++skipped_;
    notices_.push_back("skipped a broken file (" + std::to_string(skipped_) + " so far): " + reason);
  }

  // Every how many-th row and column of an image is taken.
  [[nodiscard]] std::int64_t stride_of(std::int64_t rows, std::int64_t columns) const {
    for (const std::int64_t stride : {std::int64_t{1}, form_.stride}) {
      if (rows == form_.rows * stride && columns == form_.columns * stride) {
        return stride;
      }
    }
    const auto size = [this](std::int64_t stride) {
      return std::to_string(form_.rows * stride) + " x " + std::to_string(form_.columns * stride);
    };
    throw std::invalid_argument(file_ + ": expected images of " + size(1) +
                                (form_.stride > 1 ? " or " + size(form_.stride) : "") + " pixels, got " +
                                std::to_string(rows) + " x " + std::to_string(columns));
  }

  void require_channel() const {
    if (form_.channels == 2 && !options_.channel) {
      throw std::invalid_argument(
          file_ +
          ": expected a digit in red or green, got grey ones; --channel 0 takes them as red, 1 as green");
    }
  }

  void write_grey(std::int64_t number, std::uint8_t* to) const {
    const std::int64_t stride = stride_of(digits_.rows, digits_.columns);
    to += options_.channel.value_or(0) * form_.rows * form_.columns;
    const std::uint8_t* from = digits_.pixels.data() + number * digits_.rows * digits_.columns;
    for (std::int64_t row = 0; row < form_.rows; ++row) {
      for (std::int64_t column = 0; column < form_.columns; ++column) {
        *to++ = from[row * stride * digits_.columns + column * stride];
      }
    }
  }

  void add_picture(const Image& image, InputBatch& batch, std::vector<std::uint8_t>& pixels) const {
    const std::int64_t stride = stride_of(image.rows, image.columns);
    const bool grey = is_grey(image);
    if (grey) {
      require_channel();
    }
    const std::int64_t plane = form_.rows * form_.columns;
    pixels.resize(pixels.size() + static_cast<std::size_t>(form_.channels * plane));
    std::uint8_t* const to = pixels.data() + pixels.size() - form_.channels * plane;
    for (std::int64_t row = 0; row < form_.rows; ++row) {
      for (std::int64_t column = 0; column < form_.columns; ++column) {
        const std::uint8_t* const from =
            image.pixels.data() + (row * stride * image.columns + column * stride) * Image::channels;
        const std::int64_t at = row * form_.columns + column;
        if (form_.channels == 1 || grey) {
          to[at + options_.channel.value_or(0) * plane] = grey_of(from);
        } else {
          to[at] = from[0];
          to[at + plane] = from[1];
        }
      }
    }
    batch.names.push_back(file_);
  }

  DigitInput form_;
  ReadingOptions options_;
  NamedPictures names_;
  std::string file_;     // the last one that was opened
  Digits digits_;        // of an IDX file
  std::int64_t at_ = 0;  // the next of digits_
  std::int64_t skipped_ = 0;
  std::vector<std::string> notices_;
};

std::unique_ptr<Inputs> open_digits(const base::Options& form, std::vector<std::string> inputs,
                                    std::istream& in, const ReadingOptions& options) {
  return std::make_unique<DigitInputs>(form.as<DigitInput>(), std::move(inputs), in, options);
}

}  // namespace

InputKind digit_inputs() {
  InputForm defaults = form_of(DigitInput{});
  return {.name = std::move(defaults.kind),
          .options = std::move(defaults.options),
          .open = open_digits,
          .takes_channel = true};
}

}  // namespace pair::data
