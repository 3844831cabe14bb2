#include <algorithm>
#include <cmath>
#include <string>

#include "pair/data/image_formats.h"

// PBM, PGM and PPM, as text (P1, P2, P3) and as bytes (P4, P5, P6): "P6", width, height and the largest value
// as text, one white space, and the values row by row.

namespace pair::data {
namespace {

class PnmReader {
 public:
  PnmReader(BytesView file, const ImageLimits& limits) : file_(file) {
    const int kind = file[1] - '0';
    text_ = kind <= 3;
    bitmap_ = kind == 1 || kind == 4;
    colour_ = kind == 3 || kind == 6;
    at_ = 2;
    columns_ = number();
    rows_ = number();
    largest_ = bitmap_ ? 1 : number();
    if (rows_ == 0 || columns_ == 0 || largest_ == 0 || largest_ > 65'535) {
      refuse("expected a size and a largest value from 1 to 65535, got other numbers");
    }
    check_image_size(rows_, columns_, limits);
    ++at_;  // the white space before the values
  }

  Image read() {
    Image image{static_cast<std::int64_t>(rows_), static_cast<std::int64_t>(columns_), {}};
    const std::uint64_t channels = colour_ ? 3 : 1;
    // Before memory is allocated; a value as text takes at least one byte.
    const std::uint64_t least = text_     ? rows_ * columns_ * channels
                                : bitmap_ ? rows_ * ((columns_ + 7) / 8)
                                          : rows_ * columns_ * channels * (largest_ > 255 ? 2 : 1);
    if (at_ > file_.size() || least > file_.size() - at_) {
      refuse("the file is cut off: expected at least " + std::to_string(least) + " bytes of pixels");
    }
    image.pixels.resize(static_cast<std::size_t>(rows_ * columns_ * 3));
    std::uint8_t* pixel = image.pixels.data();
    for (std::uint64_t y = 0; y < rows_; ++y) {
      for (std::uint64_t x = 0; x < columns_; ++x, pixel += 3) {
        pixel[0] = next(x);
        pixel[1] = colour_ ? next(x) : pixel[0];
        pixel[2] = colour_ ? next(x) : pixel[0];
      }
      if (bitmap_ && !text_) {
        at_ += static_cast<std::size_t>((columns_ + 7) / 8);
      }
    }
    return image;
  }

 private:
  [[noreturn]] static void refuse(const std::string& why) { throw BrokenImage("PPM: " + why); }

  static bool is_space(std::uint8_t c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

  void skip_space() {
    while (at_ < file_.size() && (is_space(file_[at_]) || file_[at_] == '#')) {
      if (file_[at_] == '#') {  // a comment to the end of its line
        while (at_ < file_.size() && file_[at_] != '\n' && file_[at_] != '\r') {
          ++at_;
        }
      } else {
        ++at_;
      }
    }
  }

  std::uint64_t number() {
    skip_space();
    std::uint64_t value = 0;
    std::size_t digits = 0;
    for (; at_ < file_.size() && file_[at_] >= '0' && file_[at_] <= '9' && digits < 10; ++at_, ++digits) {
      value = value * 10 + (file_[at_] - '0');
    }
    if (digits == 0) {
      refuse(at_ >= file_.size() ? "the file is cut off" : "expected a number, got another character");
    }
    return value;
  }

  std::uint8_t next(std::uint64_t x) {
    if (bitmap_) {
      bool black = false;
      if (text_) {
        skip_space();
        if (at_ >= file_.size() || (file_[at_] != '0' && file_[at_] != '1')) {
          refuse("the file is cut off, or has other values than 0 and 1");
        }
        black = file_[at_++] == '1';
      } else {
        black = ((file_[at_ + static_cast<std::size_t>(x / 8)] >> (7 - x % 8)) & 1) != 0;
      }
      return black ? 0 : 255;
    }
    std::uint64_t value = 0;
    if (text_) {
      value = number();
    } else {
      value = file_[at_++];
      if (largest_ > 255) {
        value = value << 8U | file_[at_++];
      }
    }
    if (largest_ == 255 && value <= 255) {
      return static_cast<std::uint8_t>(value);
    }
    if (text_ && value > largest_) {
      refuse("expected values up to " + std::to_string(largest_) + ", got " + std::to_string(value));
    }
    const double share = static_cast<double>(value) / static_cast<double>(largest_);
    return static_cast<std::uint8_t>(std::min(255.0, std::nearbyint(share * 255.0)));
  }

  BytesView file_;
  std::size_t at_ = 0;
  bool text_ = false;
  bool bitmap_ = false;
  bool colour_ = false;
  std::uint64_t rows_ = 0;
  std::uint64_t columns_ = 0;
  std::uint64_t largest_ = 0;
};

}  // namespace

Image decode_pnm(BytesView file, const ImageLimits& limits) {
  return PnmReader(file, limits).read();
}

}  // namespace pair::data
