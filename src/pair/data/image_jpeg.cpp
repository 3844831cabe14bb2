// jpeglib.h needs <cstdio> before it, and jerror.h needs jpeglib.h.
// clang-format off
#include <cstdio>
#include <jpeglib.h>
#include <jerror.h>
// clang-format on

#include <algorithm>
#include <array>
#include <cmath>
#include <csetjmp>
#include <string>

#include "pair/data/image_formats.h"

// libjpeg reports errors by longjmp, which must not skip destructors. So each call of the library is made in
// a function of plain values that returns whether it succeeded (guarded by setjmp), and JpegReader holds all
// memory outside.

namespace pair::data {
namespace {

// A small file with many empty scans would keep a core busy for hours (libjpeg-turbo's advisory LJT-01-004).
constexpr int most_scans = 500;

struct JpegErrors {
  jpeg_error_mgr manager;  // first member: the library passes its address
  std::jmp_buf leave;
  std::array<char, JMSG_LENGTH_MAX> message;
};

[[noreturn]] void leave_jpeg(j_common_ptr common) {
  auto* errors = reinterpret_cast<JpegErrors*>(common->err);
  errors->manager.format_message(common, errors->message.data());
  std::longjmp(errors->leave, 1);
}

// Some warnings mean that pixels are missing or guessed, which makes the image broken. Others, such as bytes
// before a marker, are common in files from cameras and harmless.
void judge_jpeg_message(j_common_ptr common, int level) {
  const int code = common->err->msg_code;
  if (level < 0 && (code == JWRN_JPEG_EOF || code == JWRN_HIT_MARKER || code == JWRN_HUFF_BAD_CODE ||
                    code == JWRN_ARITH_BAD_CODE || code == JWRN_MUST_RESYNC || code == JWRN_NOT_SEQUENTIAL)) {
    leave_jpeg(common);
  }
}

void stop_at_too_many_scans(j_common_ptr common) {
  if (common->is_decompressor != 0 &&
      reinterpret_cast<j_decompress_ptr>(common)->input_scan_number > most_scans) {
    auto* errors = reinterpret_cast<JpegErrors*>(common->err);
    std::snprintf(errors->message.data(), errors->message.size(), "more than %d scans", most_scans);
    std::longjmp(errors->leave, 1);
  }
}

void ignore_jpeg_output(j_common_ptr /*common*/) {}

class JpegReader {
 public:
  explicit JpegReader(BytesView file) : file_(file) {
    library_.err = jpeg_std_error(&errors_.manager);
    errors_.manager.error_exit = leave_jpeg;
    errors_.manager.emit_message = judge_jpeg_message;
    errors_.manager.output_message = ignore_jpeg_output;
    progress_.progress_monitor = stop_at_too_many_scans;
  }
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;
  // Does nothing for a struct that was never initialised.
  ~JpegReader() { jpeg_destroy_decompress(&library_); }

  [[nodiscard]] bool read_header() {
    if (setjmp(errors_.leave) != 0) {
      return false;
    }
    jpeg_create_decompress(&library_);
    library_.progress = &progress_;
    jpeg_mem_src(&library_, file_.data(), static_cast<unsigned long>(file_.size()));
    jpeg_read_header(&library_, TRUE);
    return true;
  }
  // shrink: 1, 2, 4 or 8.
  [[nodiscard]] bool start(unsigned shrink = 1) {
    if (setjmp(errors_.leave) != 0) {
      return false;
    }
    library_.out_color_space = is_cmyk() ? JCS_CMYK : JCS_RGB;
    library_.scale_num = 1;
    library_.scale_denom = shrink;
    jpeg_start_decompress(&library_);
    return true;
  }
  [[nodiscard]] bool read_row(std::uint8_t* row) {
    if (setjmp(errors_.leave) != 0) {
      return false;
    }
    JSAMPROW rows[1] = {row};
    jpeg_read_scanlines(&library_, rows, 1);
    return true;
  }
  // After start: only these columns are decoded, or a few more on either side, which widen them.
  [[nodiscard]] bool select_columns(std::uint32_t& first, std::uint32_t& count) {
    if (setjmp(errors_.leave) != 0) {
      return false;
    }
    jpeg_crop_scanline(&library_, &first, &count);
    return true;
  }
  [[nodiscard]] bool skip_rows(std::uint32_t count) {
    if (setjmp(errors_.leave) != 0) {
      return false;
    }
    jpeg_skip_scanlines(&library_, count);
    return true;
  }
  // Reads up to the end marker, which must exist.
  [[nodiscard]] bool finish() {
    if (setjmp(errors_.leave) != 0) {
      return false;
    }
    jpeg_finish_decompress(&library_);
    return true;
  }

  [[nodiscard]] bool is_cmyk() const {
    return library_.jpeg_color_space == JCS_CMYK || library_.jpeg_color_space == JCS_YCCK;
  }
  [[nodiscard]] std::uint32_t rows() const { return library_.image_height; }
  [[nodiscard]] std::uint32_t columns() const { return library_.image_width; }
  // After start: the size of the result.
  [[nodiscard]] std::uint32_t result_rows() const { return library_.output_height; }
  [[nodiscard]] std::uint32_t result_columns() const { return library_.output_width; }
  [[nodiscard]] std::string reason() const { return std::string("JPEG: ") + errors_.message.data(); }

 private:
  BytesView file_;
  JpegErrors errors_{};
  jpeg_progress_mgr progress_{};
  jpeg_decompress_struct library_{};
};

// Inverted CMYK, where 255 means no ink: each colour is dimmed by its own ink and by black.
void cmyk_to_rgb(const std::vector<std::uint8_t>& inks, std::uint8_t* row) {
  for (std::size_t i = 0; i + 3 < inks.size(); i += 4) {
    for (std::size_t channel = 0; channel < 3; ++channel) {
      // Pillow's rounding of the product over 255.
      const unsigned taken = (255U - inks[i + channel]) * inks[i + 3] + 128U;
      *row++ = static_cast<std::uint8_t>(inks[i + 3] - ((taken + (taken >> 8U)) >> 8U));
    }
  }
}

}  // namespace

Image decode_jpeg(BytesView file, const ImageLimits& limits) {
  JpegReader reader(file);
  require(reader, reader.read_header());
  check_image_size(reader.rows(), reader.columns(), limits);
  require(reader, reader.start());
  Image image{reader.rows(), reader.columns(), {}};
  const auto stride = static_cast<std::size_t>(image.columns * Image::channels);
  image.pixels.resize(static_cast<std::size_t>(image.rows) * stride);
  std::vector<std::uint8_t> inks(reader.is_cmyk() ? static_cast<std::size_t>(image.columns) * 4 : 0);
  for (std::int64_t y = 0; y < image.rows; ++y) {
    std::uint8_t* row = image.pixels.data() + static_cast<std::size_t>(y) * stride;
    require(reader, reader.read_row(inks.empty() ? row : inks.data()));
    if (!inks.empty()) {
      cmyk_to_rgb(inks, row);
    }
  }
  require(reader, reader.finish());
  return image;
}

namespace {

// The largest of 8, 4 and 2 that leaves at least as many pixels as are wanted; otherwise 1.
unsigned shrinking(const WantedPart& wanted) {
  for (const unsigned by : {8U, 4U, 2U}) {
    if (wanted.box.rows >= wanted.rows * by && wanted.box.columns >= wanted.columns * by) {
      return by;
    }
  }
  return 1;
}

// Whether an end marker is near the end of the file. A file that was cut off has none.
bool has_end(BytesView file) {
  constexpr std::size_t searched = 4096;
  const BytesView tail = file.last(std::min(file.size(), searched));
  constexpr std::array<std::uint8_t, 2> end{0xff, 0xd9};
  return std::search(tail.begin(), tail.end(), end.begin(), end.end()) != tail.end();
}

}  // namespace

ImagePart decode_jpeg_part(BytesView file, const ChoosePart& choose, const ImageLimits& limits) {
  JpegReader reader(file);
  require(reader, reader.read_header());
  check_image_size(reader.rows(), reader.columns(), limits);
  const WantedPart wanted = choose(reader.rows(), reader.columns());
  check_box(wanted.box, reader.rows(), reader.columns());
  if (reader.is_cmyk()) {
    return part_of(decode_jpeg(file, limits), wanted.box);
  }
  const unsigned by = shrinking(wanted);
  require(reader, reader.start(by));
  // Each pixel of the result covers by x by pixels; the last ones may reach beyond the image.
  const double scale = 1.0 / by;
  ImagePart part;
  part.top = static_cast<double>(wanted.box.top) * scale;
  part.rows = static_cast<double>(wanted.box.rows) * scale;
  part.left = static_cast<double>(wanted.box.left) * scale;
  part.columns = static_cast<double>(wanted.box.columns) * scale;
  const auto lowest = [](double start) { return static_cast<std::uint32_t>(std::floor(start)); };
  const auto highest = [](double end, std::uint32_t most) {
    return std::min(static_cast<std::uint32_t>(std::ceil(end)), most);
  };
  const std::uint32_t top = lowest(part.top);
  const std::uint32_t bottom = highest(part.top + part.rows, reader.result_rows());
  std::uint32_t left = lowest(part.left);
  std::uint32_t columns = highest(part.left + part.columns, reader.result_columns()) - left;
  if (columns < reader.result_columns()) {
    require(reader, reader.select_columns(left, columns));
  }
  part.top -= top;
  part.left -= left;
  Image& image = part.image;
  image.rows = bottom - top;
  image.columns = columns;
  const auto stride = static_cast<std::size_t>(image.columns * Image::channels);
  image.pixels.resize(static_cast<std::size_t>(image.rows) * stride);
  if (top > 0) {
    require(reader, reader.skip_rows(top));
  }
  for (std::int64_t y = 0; y < image.rows; ++y) {
    require(reader, reader.read_row(image.pixels.data() + static_cast<std::size_t>(y) * stride));
  }
  if (bottom == reader.result_rows()) {
    require(reader, reader.finish());
  } else if (!has_end(file)) {
    (void)decode_jpeg(file, limits);  // throws if it is truncated
  }
  return part;
}

}  // namespace pair::data
