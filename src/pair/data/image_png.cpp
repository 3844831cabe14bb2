#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <string>

#include "pair/data/image_formats.h"

// libpng reports errors by longjmp, which must not skip destructors. So each call of the library is made in a
// function of plain values that returns whether it succeeded (guarded by setjmp), and PngReader and its
// caller hold all memory outside.

namespace pair::data {
namespace {

// The data of the library's callbacks.
struct PngInput {
  const std::uint8_t* bytes;
  std::size_t left;
  char message[200];
};

[[noreturn]] void leave_png(png_structp library, png_const_charp message) {
  auto* input = static_cast<PngInput*>(png_get_error_ptr(library));
  std::snprintf(input->message, sizeof input->message, "%s", message);
  png_longjmp(library, 1);
}

void ignore_png_warning(png_structp /*library*/, png_const_charp /*message*/) {}

void give_png_bytes(png_structp library, png_bytep out, std::size_t count) {
  auto* input = static_cast<PngInput*>(png_get_io_ptr(library));
  if (count > input->left) {
    png_error(library, "the file ends early");
  }
  std::memcpy(out, input->bytes, count);
  input->bytes += count;
  input->left -= count;
}

class PngReader {
 public:
  explicit PngReader(BytesView file)
      : input_{file.data(), file.size(), {}},
        library_(png_create_read_struct(PNG_LIBPNG_VER_STRING, &input_, leave_png, ignore_png_warning)),
        info_(library_ == nullptr ? nullptr : png_create_info_struct(library_)) {}
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_destroy_read_struct(&library_, &info_, nullptr); }

  [[nodiscard]] bool read_header() {
    if (info_ == nullptr || setjmp(png_jmpbuf(library_)) != 0) {
      return false;
    }
    png_set_read_fn(library_, &input_, give_png_bytes);
    png_set_user_limits(library_, 0x7fffffffU, 0x7fffffffU);  // check_image_size enforces the limits
    png_read_info(library_, info_);
    return true;
  }
  // The output is 8 bits of red, green and blue for any stored format.
  [[nodiscard]] bool start() {
    if (setjmp(png_jmpbuf(library_)) != 0) {
      return false;
    }
    png_set_expand(library_);
    png_set_strip_16(library_);
    png_set_gray_to_rgb(library_);
    png_set_strip_alpha(library_);
    passes_ = png_set_interlace_handling(library_);
    png_read_update_info(library_, info_);
    return true;
  }
  [[nodiscard]] bool read_row(std::uint8_t* row) {
    if (setjmp(png_jmpbuf(library_)) != 0) {
      return false;
    }
    png_read_row(library_, row, nullptr);
    return true;
  }
  // Reads up to the end marker, which must exist.
  [[nodiscard]] bool finish() {
    if (setjmp(png_jmpbuf(library_)) != 0) {
      return false;
    }
    png_read_end(library_, nullptr);
    return true;
  }

  [[nodiscard]] std::uint32_t rows() const { return png_get_image_height(library_, info_); }
  [[nodiscard]] std::uint32_t columns() const { return png_get_image_width(library_, info_); }
  [[nodiscard]] std::size_t row_bytes() const { return png_get_rowbytes(library_, info_); }
  [[nodiscard]] int passes() const { return passes_; }
  [[nodiscard]] std::string reason() const {
    return std::string("PNG: ") + (info_ == nullptr ? "libpng cannot be started" : input_.message);
  }

 private:
  PngInput input_;
  png_structp library_;
  png_infop info_;
  int passes_ = 1;
};

}  // namespace

Image decode_png(BytesView file, const ImageLimits& limits) {
  PngReader reader(file);
  require(reader, reader.read_header());
  check_image_size(reader.rows(), reader.columns(), limits);
  require(reader, reader.start());
  Image image{reader.rows(), reader.columns(), {}};
  const auto stride = static_cast<std::size_t>(image.columns * Image::channels);
  if (reader.row_bytes() != stride) {
    throw BrokenImage("PNG: expected rows of " + std::to_string(stride) + " bytes, got " +
                      std::to_string(reader.row_bytes()));
  }
  image.pixels.resize(static_cast<std::size_t>(image.rows) * stride);
  for (int pass = 0; pass < reader.passes(); ++pass) {
    for (std::int64_t y = 0; y < image.rows; ++y) {
      require(reader, reader.read_row(image.pixels.data() + static_cast<std::size_t>(y) * stride));
    }
  }
  require(reader, reader.finish());
  return image;
}

}  // namespace pair::data
