#include <array>
#include <bit>
#include <string>

#include "pair/data/image_formats.h"

// BMP: a header, perhaps a palette, and rows of pixels, usually from the bottom up, each padded to 4 bytes.
// Run-length encoding, which nothing writes any more, is refused.

namespace pair::data {
namespace {

class BmpReader {
 public:
  BmpReader(BytesView file, const ImageLimits& limits) : file_(file) {
    constexpr std::size_t file_header = 14;
    offset_ = number(10, 4);
    const std::uint64_t header = number(file_header, 4);
    const bool old = header == 12;  // OS/2's
    if (!old && (header < 40 || header > 124)) {
      refuse("expected a header of 12 or 40 to 124 bytes, got " + std::to_string(header));
    }
    if (old) {
      columns_ = static_cast<std::int64_t>(number(18, 2));
      rows_ = static_cast<std::int64_t>(number(20, 2));
      bits_ = number(24, 2);
    } else {
      columns_ = static_cast<std::int32_t>(number(18, 4));
      rows_ = static_cast<std::int32_t>(number(22, 4));
      bits_ = number(28, 2);
    }
    bottom_up_ = rows_ > 0;
    rows_ = rows_ < 0 ? -rows_ : rows_;
    if (rows_ == 0 || columns_ <= 0) {
      refuse("expected a size, got " + std::to_string(columns_) + " x " + std::to_string(rows_));
    }
    check_image_size(static_cast<std::uint64_t>(rows_), static_cast<std::uint64_t>(columns_), limits);
    const std::uint64_t compression = old ? 0 : number(30, 4);
    if (compression != 0 && compression != 3) {
      refuse("expected pixels as they are, got compression " + std::to_string(compression));
    }
    if (bits_ == 16 || bits_ == 32) {
      read_masks(compression == 3);
    } else if (bits_ == 1 || bits_ == 4 || bits_ == 8) {
      read_palette(file_header + static_cast<std::size_t>(header), old ? 3 : 4, old ? 0 : number(46, 4));
    } else if (bits_ != 24) {
      refuse("expected 1, 4, 8, 16, 24 or 32 bits per pixel, got " + std::to_string(bits_));
    }
  }

  Image read() const {
    const std::uint64_t stride = (static_cast<std::uint64_t>(columns_) * bits_ + 31) / 32 * 4;
    const std::uint64_t size = stride * static_cast<std::uint64_t>(rows_);
    if (offset_ > file_.size() || size > file_.size() - offset_) {
      refuse("the file is cut off: expected " + std::to_string(size) + " bytes of pixels at byte " +
             std::to_string(offset_));
    }
    Image image{rows_, columns_, {}};
    image.pixels.resize(static_cast<std::size_t>(rows_ * columns_ * Image::channels));
    std::uint8_t* pixel = image.pixels.data();
    for (std::int64_t y = 0; y < rows_; ++y) {
      const auto stored = static_cast<std::uint64_t>(bottom_up_ ? rows_ - 1 - y : y);
      const BytesView row = file_.subspan(static_cast<std::size_t>(offset_ + stored * stride),
                                          static_cast<std::size_t>(stride));
      for (std::int64_t x = 0; x < columns_; ++x, pixel += Image::channels) {
        write_pixel(row, static_cast<std::size_t>(x), pixel);
      }
    }
    return image;
  }

 private:
  [[noreturn]] static void refuse(const std::string& why) { throw BrokenImage("BMP: " + why); }

  [[nodiscard]] std::uint64_t number(std::size_t at, std::size_t count) const {
    if (file_.size() < at + count) {
      refuse("the header is cut off");
    }
    std::uint64_t value = 0;
    for (std::size_t i = 0; i < count; ++i) {
      value |= std::uint64_t{file_[at + i]} << (8 * i);
    }
    return value;
  }

  void read_masks(bool stored) {
    if (!stored) {
      masks_ = bits_ == 32 ? std::array<std::uint64_t, 3>{0xff0000, 0xff00, 0xff}
                           : std::array<std::uint64_t, 3>{0x7c00, 0x3e0, 0x1f};
      return;
    }
    for (std::size_t i = 0; i < 3; ++i) {
      masks_[i] = number(54 + 4 * i, 4);
      const std::uint64_t shifted = masks_[i] == 0 ? 0 : masks_[i] >> std::countr_zero(masks_[i]);
      if (shifted == 0 || (shifted & (shifted + 1)) != 0 || shifted > 0xffff || masks_[i] >> bits_ != 0) {
        refuse("the masks of its colours are damaged");
      }
    }
  }

  void read_palette(std::size_t at, std::size_t entry, std::uint64_t count) {
    const std::uint64_t most = std::uint64_t{1} << bits_;
    count = count == 0 ? most : count;
    if (count > most) {
      refuse("expected a palette of at most " + std::to_string(most) + " colours, got " +
             std::to_string(count));
    }
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t c = 0; c < 3; ++c) {
        palette_[i][c] = static_cast<std::uint8_t>(number(at + i * entry + 2 - c, 1));
      }
    }
  }

  void write_pixel(BytesView row, std::size_t x, std::uint8_t* pixel) const {
    if (bits_ == 24) {
      pixel[0] = row[3 * x + 2];
      pixel[1] = row[3 * x + 1];
      pixel[2] = row[3 * x];
    } else if (bits_ >= 16) {
      const std::size_t bytes = static_cast<std::size_t>(bits_ / 8);
      std::uint64_t value = 0;
      for (std::size_t i = 0; i < bytes; ++i) {
        value |= std::uint64_t{row[x * bytes + i]} << (8 * i);
      }
      for (std::size_t c = 0; c < 3; ++c) {
        const int shift = std::countr_zero(masks_[c]);
        pixel[c] = static_cast<std::uint8_t>(((value & masks_[c]) >> shift) * 255 / (masks_[c] >> shift));
      }
    } else {
      const std::size_t per_byte = static_cast<std::size_t>(8 / bits_);
      const std::size_t shift = 8 - static_cast<std::size_t>(bits_) * (x % per_byte + 1);
      const std::size_t index = (std::size_t{row[x / per_byte]} >> shift) & ((std::size_t{1} << bits_) - 1);
      for (std::size_t c = 0; c < 3; ++c) {
        pixel[c] = palette_[index][c];
      }
    }
  }

  BytesView file_;
  std::uint64_t offset_ = 0;
  std::uint64_t bits_ = 0;
  std::int64_t rows_ = 0;
  std::int64_t columns_ = 0;
  bool bottom_up_ = true;
  std::array<std::uint64_t, 3> masks_{};
  std::array<std::array<std::uint8_t, 3>, 256> palette_{};
};

}  // namespace

Image decode_bmp(BytesView file, const ImageLimits& limits) {
  return BmpReader(file, limits).read();
}

}  // namespace pair::data
