#include "pair/data/image_formats.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "pair/data/image.h"
#include "tests/data/fixtures.h"
#include "tests/support/pictures.h"
#include "tests/support/python.h"

// WebP, TIFF, BMP, PPM, and EXIF orientation, against Pillow's pixels (golden/make_pictures.py).

namespace pair::data::testing::image_formats_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

namespace fs = std::filesystem;

auto breaks(const std::string& sentence) {
  return ThrowsMessage<BrokenImage>(HasSubstr(sentence));
}

Image raw_picture(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  Image image;
  stream >> image.rows >> image.columns;
  stream.get();
  image.pixels.assign(std::istreambuf_iterator<char>(stream), {});
  return image;
}

bool is_read(const std::string& name) {
  return name.ends_with(".webp") ? has_webp() : name.find(".tif") == std::string::npos || has_tiff();
}

// Compares all files of a folder with their pixels; returns their number.
int compare_pictures(const fs::path& folder) {
  int compared = 0;
  for (const std::string& name : names_in(folder)) {
    if (name.ends_with(".rgb") || !is_read(name)) {
      continue;
    }
    SCOPED_TRACE(name);
    const Bytes file = read_bytes(folder / name);
    Image ours = decode_image(file);
    if (name.starts_with("exif")) {
      ours = upright(std::move(ours), exif_orientation(file));
    } else {
      EXPECT_EQ(exif_orientation(file), 1);
    }
    const Image theirs = raw_picture(folder / (name + ".rgb"));
    EXPECT_EQ(ours.rows, theirs.rows);
    EXPECT_EQ(ours.columns, theirs.columns);
    if (name == "lossy.webp" || name == "exif.jpg" || name == "jpeg.tif") {
      // Pillow may have another version of the library inside, whose rounding differs.
      double sum = 0.0;
      for (std::size_t i = 0; i < std::min(ours.pixels.size(), theirs.pixels.size()); ++i) {
        sum += std::abs(static_cast<double>(ours.pixels[i]) - theirs.pixels[i]);
      }
      EXPECT_LT(sum / static_cast<double>(theirs.pixels.size()), 1.0);
    } else {
      EXPECT_EQ(ours.pixels, theirs.pixels);
    }
    ++compared;
  }
  return compared;
}

int number_of_pictures() {
  return 17 + (has_webp() ? 5 : 0) + (has_tiff() ? 10 : 0);
}

TEST(ImageFormats, AreReadAsByPillow) {
  EXPECT_EQ(compare_pictures(fs::path(PAIR_TEST_DATA) / "golden" / "pictures"), number_of_pictures());
}

TEST(ImageFormats, AreReadAsByTheInstalledPillow) {
  const std::string python = tests::python_with("PIL.Image");
  if (python.empty()) {
    GTEST_SKIP() << "there is no python3 with Pillow (Debian's python3-pil)";
  }
  const Scratch scratch;
  const fs::path script = fs::path(PAIR_TEST_DATA) / "golden" / "make_pictures.py";
  const base::Finished finished =
      base::run_program({python, script.string(), (scratch / "made").string(), "67", "43"}, scratch.path());
  ASSERT_EQ(finished.status, 0) << finished.output;
  EXPECT_EQ(compare_pictures(scratch / "made"), number_of_pictures());
}

TEST(ImageFormats, RefuseFilesThatAreCutOff) {
  const fs::path folder = fs::path(PAIR_TEST_DATA) / "golden" / "pictures";
  for (const char* const name : {"lossless.webp", "lossy.webp", "plain.tif", "lzw.tiff", "deflate.tif",
                                 "rgb.bmp", "palette.bmp", "rgb.ppm", "grey.pgm", "bits.pbm"}) {
    SCOPED_TRACE(name);
    if (!is_read(name)) {
      continue;
    }
    const Bytes file = read_bytes(folder / name);
    for (std::size_t size = 0; size + 1 < file.size(); size += 5) {
      const Bytes part(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
      // A TIFF's directory may be at its end, and padding after the pixels may be missing.
      if (std::string_view(name).find(".tif") == std::string_view::npos && size + 8 < file.size()) {
        EXPECT_THROW((void)decode_image(part), BrokenImage) << size;
      } else {
        try {
          (void)decode_image(part);
        } catch (const BrokenImage&) {
        }
      }
    }
  }
}

TEST(ImageFormats, RefuseEmptyAndOtherFiles) {
  EXPECT_THAT([] { (void)decode_image({}); }, breaks("the file is empty"));
  EXPECT_THAT([] { (void)decode_image(bytes_of("GIF89a...")); },
              breaks("expected a " + std::string(image_formats()) + " file, got another"));
}

// Headers alone: refused before memory is allocated.
TEST(ImageFormats, RefuseHugeImages) {
  EXPECT_THAT([] { (void)decode_image(bytes_of("P6 10000 10000 255\n")); },
              breaks("expected at most 89478485 pixels, got 10000 x 10000 pixels"));
  EXPECT_THAT([] { (void)decode_image(bytes_of("P5 100000 1 255\n")); }, breaks("sides of at most 65535"));
  Bytes bmp(54, 0);
  bmp[0] = 'B';
  bmp[1] = 'M';
  bmp[14] = 40;
  bmp[18] = bmp[22] = 0x10;
  bmp[19] = bmp[23] = 0x27;  // 10000
  bmp[28] = 24;
  EXPECT_THAT([&] { (void)decode_image(bmp); }, breaks("got 10000 x 10000 pixels"));
}

TEST(ImageFormats, RefuseWhatTheyDoNotKnow) {
  EXPECT_THAT([] { (void)decode_image(bytes_of("P6 2 2 70000\n")); },
              breaks("a largest value from 1 to 65535"));
  EXPECT_THAT([] { (void)decode_image(bytes_of("P3 1 1 9\n1 2 x")); }, breaks("expected a number"));
  EXPECT_THAT([] { (void)decode_image(bytes_of("P3 1 1 9\n1 2 10")); },
              breaks("expected values up to 9, got 10"));
  Bytes bmp(54, 0);
  bmp[0] = 'B';
  bmp[1] = 'M';
  bmp[14] = 40;
  bmp[18] = bmp[22] = 1;
  bmp[28] = 8;
  bmp[30] = 1;
  EXPECT_THAT([&] { (void)decode_image(bmp); },
              breaks("BMP: expected pixels as they are, got compression 1"));
}

TEST(ImageFormats, ReadTextAndOtherDepthsOfPpm) {
  EXPECT_THAT(decode_image(bytes_of("P3 # comment\n2 1\n15\n0 5 15 # more\n1 2 3")).pixels,
              ::testing::ElementsAre(0, 85, 255, 17, 34, 51));
  EXPECT_THAT(decode_image(bytes_of(std::string("P5 1 1 65535\n\x80\x00", 15))).pixels,
              ::testing::ElementsAre(128, 128, 128));
  EXPECT_THAT(decode_image(bytes_of("P1 2 1 10")).pixels, ::testing::ElementsAre(0, 0, 0, 255, 255, 255));
}

}  // namespace
}  // namespace pair::data::testing::image_formats_test
