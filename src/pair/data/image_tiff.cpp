#include <tiffio.h>

#include <algorithm>
#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "pair/data/image_formats.h"

// The first image of a TIFF file by libtiff, rows in the file's order. libtiff's TIFFReadRGBAImage would
// blend transparent pixels with black, so samples are read as they are, and only what needs no further
// colour mathematics: grey, palette and RGB of 8 or 16 bits, black and white.

namespace pair::data {
namespace {

// The file in memory, as libtiff's input.
struct TiffInput {
  BytesView bytes;
  std::uint64_t at = 0;
};

tmsize_t read_tiff(thandle_t handle, void* to, tmsize_t count) {
  auto* input = static_cast<TiffInput*>(handle);
  if (count < 0 || input->at > input->bytes.size()) {
    return 0;
  }
  const auto taken =
      std::min(static_cast<std::size_t>(count), input->bytes.size() - static_cast<std::size_t>(input->at));
  std::memcpy(to, input->bytes.data() + input->at, taken);
  input->at += taken;
  return static_cast<tmsize_t>(taken);
}

tmsize_t write_tiff(thandle_t /*handle*/, void* /*from*/, tmsize_t /*count*/) {
  return 0;
}

toff_t seek_tiff(thandle_t handle, toff_t offset, int whence) {
  auto* input = static_cast<TiffInput*>(handle);
  if (whence == SEEK_CUR) {
    offset += input->at;
  } else if (whence == SEEK_END) {
    offset += input->bytes.size();
  }
  input->at = offset;
  return offset;
}

int close_tiff(thandle_t /*handle*/) {
  return 0;
}

toff_t size_of_tiff(thandle_t handle) {
  return static_cast<TiffInput*>(handle)->bytes.size();
}

class TiffReader {
 public:
  explicit TiffReader(BytesView file) : input_{file} {
    // Messages would go to standard error; a reader of its own is not possible before libtiff 4.5.
    static const bool quiet = [] {
      TIFFSetErrorHandler(nullptr);
      TIFFSetWarningHandler(nullptr);
      return true;
    }();
    (void)quiet;
    // "m": not mapped.
    tiff_.reset(TIFFClientOpen("image", "rm", &input_, read_tiff, write_tiff, seek_tiff, close_tiff,
                               size_of_tiff, nullptr, nullptr));
    if (tiff_ == nullptr) {
      throw BrokenImage("TIFF: the header is damaged or cut off");
    }
  }

  template <class Number>
  Number field(std::uint32_t tag, Number otherwise) const {
    Number value = otherwise;
    return TIFFGetFieldDefaulted(tiff_.get(), tag, &value) == 1 ? value : otherwise;
  }

  [[nodiscard]] TIFF* get() const { return tiff_.get(); }

 private:
  TiffInput input_;
  std::unique_ptr<TIFF, decltype(&TIFFClose)> tiff_{nullptr, &TIFFClose};
};

struct TiffForm {
  std::uint16_t bits = 1;
  std::uint16_t samples = 1;
  std::uint16_t photometric = PHOTOMETRIC_MINISWHITE;
  std::array<const std::uint16_t*, 3> palette{};

  [[nodiscard]] std::uint8_t sample(const std::uint8_t* row, std::int64_t index) const {
    if (bits == 16) {
      std::uint16_t value = 0;  // in the machine's byte order
      std::memcpy(&value, row + 2 * index, 2);
      return static_cast<std::uint8_t>(value >> 8U);
    }
    if (bits == 8) {
      return row[index];
    }
    const int bit = (row[index / 8] >> (7 - index % 8)) & 1;
    return photometric == PHOTOMETRIC_PALETTE ? static_cast<std::uint8_t>(bit)
                                              : static_cast<std::uint8_t>(bit * 255);
  }

  void write_row(const std::uint8_t* row, std::int64_t columns, std::uint8_t* pixel) const {
    for (std::int64_t x = 0; x < columns; ++x, pixel += Image::channels) {
      const std::uint8_t first = sample(row, x * samples);
      if (photometric == PHOTOMETRIC_RGB || photometric == PHOTOMETRIC_YCBCR) {
        pixel[0] = first;
        pixel[1] = sample(row, x * samples + 1);
        pixel[2] = sample(row, x * samples + 2);
      } else if (photometric == PHOTOMETRIC_PALETTE) {
        for (std::size_t c = 0; c < 3; ++c) {
          pixel[c] = static_cast<std::uint8_t>(palette[c][first] >> 8U);
        }
      } else {
        std::fill_n(pixel, 3,
                    photometric == PHOTOMETRIC_MINISWHITE ? static_cast<std::uint8_t>(255 - first) : first);
      }
    }
  }
};

TiffForm form_of_tiff(const TiffReader& reader) {
  TiffForm form;
  form.bits = reader.field<std::uint16_t>(TIFFTAG_BITSPERSAMPLE, 1);
  form.samples = reader.field<std::uint16_t>(TIFFTAG_SAMPLESPERPIXEL, 1);
  if (TIFFGetField(reader.get(), TIFFTAG_PHOTOMETRIC, &form.photometric) != 1) {
    throw BrokenImage("TIFF: expected a file that says how its colours are stored, got none");
  }
  // libtiff converts the colours of JPEG inside TIFF.
  if (form.photometric == PHOTOMETRIC_YCBCR &&
      reader.field<std::uint16_t>(TIFFTAG_COMPRESSION, COMPRESSION_NONE) == COMPRESSION_JPEG) {
    TIFFSetField(reader.get(), TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
  } else if (form.photometric == PHOTOMETRIC_YCBCR) {
    throw BrokenImage("TIFF: expected grey, palette or RGB, got YCbCr without JPEG");
  }
  const bool colour = form.photometric == PHOTOMETRIC_RGB || form.photometric == PHOTOMETRIC_YCBCR;
  const bool grey = form.photometric == PHOTOMETRIC_MINISBLACK || form.photometric == PHOTOMETRIC_MINISWHITE;
  const bool indexed = form.photometric == PHOTOMETRIC_PALETTE;
  const bool integers =
      reader.field<std::uint16_t>(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_UINT) == SAMPLEFORMAT_UINT;
  const bool deep = form.bits == 8 || form.bits == 16;
  if (!integers ||
      !((colour && deep && form.samples >= 3) || (grey && (deep || form.bits == 1)) ||
        (indexed && (form.bits == 8 || form.bits == 1))) ||
      form.samples > 16 ||
      reader.field<std::uint16_t>(TIFFTAG_PLANARCONFIG, PLANARCONFIG_CONTIG) != PLANARCONFIG_CONTIG) {
    throw BrokenImage(
        "TIFF: expected grey, palette or RGB pixels of 8 or 16 bits, stored together, got another form");
  }
  if (indexed) {
    std::array<std::uint16_t*, 3> maps{};
    if (TIFFGetField(reader.get(), TIFFTAG_COLORMAP, maps.data(), &maps[1], &maps[2]) != 1) {
      throw BrokenImage("TIFF: expected a palette, got none");
    }
    form.palette = {maps[0], maps[1], maps[2]};
  }
  return form;
}

}  // namespace

bool has_tiff() {
  return true;
}

Image decode_tiff(BytesView file, const ImageLimits& limits) {
  const TiffReader reader(file);
  const auto columns = reader.field<std::uint32_t>(TIFFTAG_IMAGEWIDTH, 0);
  const auto rows = reader.field<std::uint32_t>(TIFFTAG_IMAGELENGTH, 0);
  if (rows == 0 || columns == 0) {
    throw BrokenImage("TIFF: expected a size, got none");
  }
  check_image_size(rows, columns, limits);
  const TiffForm form = form_of_tiff(reader);
  Image image{rows, columns, {}};
  const auto stride = static_cast<std::size_t>(image.columns * Image::channels);
  image.pixels.resize(static_cast<std::size_t>(rows) * stride);
  const auto fail = [] { throw BrokenImage("TIFF: the image is damaged or cut off"); };
  const std::uint64_t needed = (std::uint64_t{columns} * form.samples * form.bits + 7) / 8;  // bytes of a row

  if (TIFFIsTiled(reader.get()) != 0) {
    const auto width = reader.field<std::uint32_t>(TIFFTAG_TILEWIDTH, 0);
    const auto height = reader.field<std::uint32_t>(TIFFTAG_TILELENGTH, 0);
    const tmsize_t size = TIFFTileSize(reader.get());
    const std::uint64_t row_size = (std::uint64_t{width} * form.samples * form.bits + 7) / 8;
    constexpr std::uint64_t largest_tile = std::uint64_t{1} << 28U;
    if (width == 0 || height == 0 || form.bits < 8 || size <= 0 ||
        static_cast<std::uint64_t>(size) > largest_tile ||
        row_size * height > static_cast<std::uint64_t>(size)) {
      fail();
    }
    std::vector<std::uint8_t> tile(static_cast<std::size_t>(size));
    for (std::uint32_t y = 0; y < rows; y += height) {
      for (std::uint32_t x = 0; x < columns; x += width) {
        if (TIFFReadTile(reader.get(), tile.data(), x, y, 0, 0) < 0) {
          fail();
        }
        const std::uint32_t shown = std::min(width, columns - x);
        for (std::uint32_t row = 0; row < std::min(height, rows - y); ++row) {
          form.write_row(tile.data() + row * row_size, shown,
                         image.pixels.data() + (y + row) * stride + std::size_t{x} * Image::channels);
        }
      }
    }
    return image;
  }
  const tmsize_t size = TIFFScanlineSize(reader.get());
  if (size <= 0 || static_cast<std::uint64_t>(size) < needed) {
    fail();
  }
  std::vector<std::uint8_t> row(static_cast<std::size_t>(size));
  for (std::uint32_t y = 0; y < rows; ++y) {
    if (TIFFReadScanline(reader.get(), row.data(), y, 0) != 1) {
      fail();
    }
    form.write_row(row.data(), columns, image.pixels.data() + y * stride);
  }
  return image;
}

}  // namespace pair::data
