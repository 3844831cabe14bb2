#include "pair/data/image.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>

#include "pair/base/process.h"
#include "tests/data/fixtures.h"
#include "tests/support/pictures.h"

namespace pair::data::testing::image_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using tests::jpeg;
using tests::picture;
using tests::png;
using tests::png_chunk;
using tests::PngParts;

auto is_broken(const std::string& sentence) {
  return ThrowsMessage<BrokenImage>(HasSubstr(sentence));
}

// The mean difference of two images of one size, in steps of 1 / 255.
double mean_difference(const Image& a, const Image& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.columns, b.columns);
  double sum = 0.0;
  for (std::size_t i = 0; i < std::min(a.pixels.size(), b.pixels.size()); ++i) {
    sum += std::abs(static_cast<double>(a.pixels[i]) - b.pixels[i]);
  }
  return sum / static_cast<double>(a.pixels.size());
}

TEST(Png, OfRgbIsDecodedExactly) {
  const Image image = picture(5, 7);
  const Image decoded = decode_image(png(image));
  EXPECT_EQ(decoded.rows, 5);
  EXPECT_EQ(decoded.columns, 7);
  EXPECT_EQ(decoded.pixels, image.pixels);
}

TEST(Png, OfOtherKindsBecomesRgb) {
  // Grey of 8, 2 and 16 bits.
  EXPECT_THAT(decode_image(png(PngParts{2, 1, 8, 0, {{10, 200}}, {}})).pixels,
              ElementsAre(10, 10, 10, 200, 200, 200));
  EXPECT_THAT(decode_image(png(PngParts{3, 1, 2, 0, {{0b00'01'11'00}}, {}})).pixels,
              ElementsAre(0, 0, 0, 85, 85, 85, 255, 255, 255));
  EXPECT_THAT(decode_image(png(PngParts{2, 1, 16, 0, {{0x12, 0xff, 0x80, 0x00}}, {}})).pixels,
              ElementsAre(0x12, 0x12, 0x12, 0x80, 0x80, 0x80));
  // RGB of 16 bits: the upper byte.
  EXPECT_THAT(decode_image(png(PngParts{1, 1, 16, 2, {{1, 255, 2, 0, 3, 128}}, {}})).pixels,
              ElementsAre(1, 2, 3));
  // Palette, with and without transparency.
  const Bytes palette = png_chunk("PLTE", {9, 8, 7, 1, 2, 3});
  EXPECT_THAT(decode_image(png(PngParts{2, 1, 8, 3, {{1, 0}}, palette})).pixels,
              ElementsAre(1, 2, 3, 9, 8, 7));
  EXPECT_THAT(
      decode_image(png(PngParts{2, 1, 8, 3, {{1, 0}}, joined(palette, png_chunk("tRNS", {0, 100}))})).pixels,
      ElementsAre(1, 2, 3, 9, 8, 7));
}

TEST(Png, LosesItsTransparencyAndKeepsItsColours) {
  EXPECT_THAT(decode_image(png(PngParts{2, 1, 8, 6, {{1, 2, 3, 0, 4, 5, 6, 128}}, {}})).pixels,
              ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_THAT(decode_image(png(PngParts{1, 1, 8, 4, {{77, 0}}, {}})).pixels, ElementsAre(77, 77, 77));
}

TEST(Png, ThatIsCutOffIsBroken) {
  const Bytes whole = png(picture(6, 6));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    EXPECT_THROW((void)decode_image(BytesView(whole).first(length)), BrokenImage) << length;
  }
  EXPECT_THAT([&] { (void)decode_image(BytesView(whole).first(whole.size() - 20)); },
              is_broken("PNG: the file ends early"));
  EXPECT_NO_THROW((void)decode_image(joined(whole, {1, 2, 3}))) << "bytes after the end do no harm";
}

TEST(Png, WithADamagedByteIsBroken) {
  const Bytes whole = png(picture(6, 6));
  for (std::size_t i = 8; i < whole.size(); ++i) {
    Bytes damaged = whole;
    damaged[i] ^= 0x10;
    // All chunks have checksums and are needed, so that no damage goes unnoticed.
    EXPECT_THROW((void)decode_image(damaged), BrokenImage) << i;
  }
}

TEST(Jpeg, IsDecodedWithinItsLoss) {
  const Image image = resized(picture(4, 5), 40, 50);  // smooth, as JPEG likes it
  for (const bool progressive : {false, true}) {
    const Image decoded = decode_image(jpeg(image, {98, 3, progressive}));
    EXPECT_LT(mean_difference(decoded, image), 3.0);
  }
}

TEST(Jpeg, OfGreyBecomesRgb) {
  const Image image = resized(picture(4, 5), 40, 50);
  const Image decoded = decode_image(jpeg(image, {98, 1}));
  ASSERT_EQ(decoded.pixels.size(), image.pixels.size());
  for (std::size_t i = 0; i < decoded.pixels.size(); i += 3) {
    ASSERT_EQ(decoded.pixels[i], decoded.pixels[i + 1]);
    ASSERT_EQ(decoded.pixels[i], decoded.pixels[i + 2]);
    ASSERT_NEAR(decoded.pixels[i], image.pixels[i], 12);
  }
}

TEST(Jpeg, OfCmykIsTakenToBeInverted) {
  const Image image{8, 8, std::vector<std::uint8_t>(192, 200)};
  const Image decoded = decode_image(jpeg(image, {100, 4}));
  ASSERT_EQ(decoded.pixels.size(), image.pixels.size());
  EXPECT_NEAR(decoded.pixels[0], 200.0 * 30.0 / 255.0, 2);
}

TEST(Jpeg, ThatIsCutOffIsBroken) {
  for (const bool progressive : {false, true}) {
    const Bytes whole = jpeg(picture(20, 20), {90, 3, progressive});
    for (std::size_t length = 0; length < whole.size(); ++length) {
      EXPECT_THROW((void)decode_image(BytesView(whole).first(length)), BrokenImage) << length;
    }
    EXPECT_NO_THROW((void)decode_image(whole));
  }
  const Bytes whole = jpeg(picture(20, 20));
  EXPECT_THAT([&] { (void)decode_image(BytesView(whole).first(whole.size() / 2 + 200)); },
              is_broken("JPEG: Premature end of JPEG file"));
}

TEST(Jpeg, WithDamagedBytesIsDecodedOrBroken) {
  const Bytes whole = jpeg(picture(20, 20));
  int broken = 0;
  for (std::size_t i = 2; i < whole.size(); ++i) {
    for (const unsigned damage : {0x01U, 0x80U, 0xffU}) {
      Bytes damaged = whole;
      damaged[i] = static_cast<std::uint8_t>(damaged[i] ^ damage);
      try {
        // A damaged size within the header would be a large image.
        (void)decode_image(damaged, {100'000});
      } catch (const BrokenImage& error) {
        ++broken;
        ASSERT_THAT(error.what(),
                    AllOf(::testing::Not(HasSubstr("\n")), ::testing::Not(::testing::StrEq("JPEG: "))));
      }
    }
  }
  EXPECT_GT(broken, 100);
}

TEST(DecodeImage, RefusesOtherFilesByTheirFirstBytes) {
  EXPECT_THAT([] { (void)decode_image({}); }, is_broken("the file is empty"));
  EXPECT_THAT([] { (void)decode_image(bytes_of("GIF89a and so on")); }, is_broken("expected a JPEG, PNG, "));
  EXPECT_THAT([] { (void)decode_image(Bytes{0xff, 0xd8, 0xff}); }, is_broken("JPEG: "));
  EXPECT_THAT(
      [] {
        (void)decode_image(Bytes{0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'});
      },
      is_broken("PNG: "));
}

TEST(DecodeImage, RefusesPicturesThatAreTooLarge) {
  EXPECT_THAT(
      [] {
        (void)decode_image(png(PngParts{20'000, 20'000, 8, 2, {}, {}}));
      },
      is_broken("expected at most 89478485 pixels, got 20000 x 20000 pixels"));
  EXPECT_THAT(
      [] {
        (void)decode_image(png(PngParts{70'000, 2, 8, 2, {}, {}}));
      },
      is_broken("expected sides of at most 65535 pixels, got 70000 x 2 pixels"));
  EXPECT_THAT([] { (void)decode_image(png(picture(10, 10)), {99}); },
              is_broken("expected at most 99 pixels, got 10 x 10 pixels"));
  EXPECT_THAT([] { (void)decode_image(jpeg(picture(10, 10)), {99}); },
              is_broken("expected at most 99 pixels"));
  EXPECT_NO_THROW((void)decode_image(jpeg(picture(10, 10)), {100}));
}

TEST(Resized, ToItsOwnSizeIsTheSame) {
  const Image image = picture(5, 7);
  EXPECT_EQ(resized(image, 5, 7).pixels, image.pixels);
  EXPECT_EQ(resized(resized(image, 5, 7), 5, 7).pixels, image.pixels);
}

TEST(Resized, AveragesWhereThePictureShrinks) {
  // Four columns to two: triangles four columns wide, by hand (0.25 0.75 0.75 0.25) / 2 where all are inside.
  const Image image{1, 4, {0, 0, 0, 40, 40, 40, 80, 80, 80, 200, 200, 200}};
  const Image half = resized(image, 1, 2);
  EXPECT_EQ(half.at(0, 0, 0), std::lround((0.75 * 0 + 0.75 * 40 + 0.25 * 80) / 1.75));
  EXPECT_EQ(half.at(0, 1, 2), std::lround((0.25 * 40 + 0.75 * 80 + 0.75 * 200) / 1.75));
  EXPECT_EQ(resized(Image{2, 1, {10, 20, 30, 20, 40, 60}}, 1, 1).pixels,
            (std::vector<std::uint8_t>{15, 30, 45}));
}

TEST(Resized, InterpolatesWhereThePictureGrows) {
  const Image image{1, 2, {0, 0, 0, 100, 100, 100}};
  const Image larger = resized(image, 2, 4);
  const std::vector<std::uint8_t> row{0, 0, 0, 25, 25, 25, 75, 75, 75, 100, 100, 100};
  EXPECT_THAT(larger.pixels, ::testing::ElementsAreArray(joined(row, row)));
}

TEST(Resized, RefusesSizesOutOfRange) {
  const Image image = picture(5, 7);
  EXPECT_THAT(
      [&] { (void)resized(image, 0, 7); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("rows of a resized image: expected 1 to 16384, got 0")));
  EXPECT_THAT([&] { (void)resized(image, 7, 16'385); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("columns of a resized image")));
  EXPECT_THROW((void)resized(Image{}, 2, 2), std::invalid_argument);
  EXPECT_THROW((void)resized(Image{2, 2, std::vector<std::uint8_t>(11)}, 2, 2), std::invalid_argument);
}

TEST(FlipHorizontally, ExchangesLeftAndRight) {
  Image image{2, 3, {}};
  for (std::uint8_t i = 0; i < 18; ++i) {
    image.pixels.push_back(i);
  }
  flip_horizontally(image);
  EXPECT_THAT(image.pixels, ElementsAre(6, 7, 8, 3, 4, 5, 0, 1, 2, 15, 16, 17, 12, 13, 14, 9, 10, 11));
}

// A python that has Pillow, or nothing.
std::string python_with_pillow(const std::filesystem::path& folder) {
  for (std::string python : {"python3", "/usr/bin/python3"}) {
    if ((python.front() == '/' ? std::filesystem::exists(python) : base::is_installed(python)) &&
        base::run_program({python, "-c", "import PIL.Image"}, folder).status == 0) {
      return python;
    }
  }
  return "";
}

// FILE.rgb as the script below writes it: rows, columns and pixels.
Image read_raw(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  Image image;
  stream >> image.rows >> image.columns;
  stream.get();
  image.pixels.assign(std::istreambuf_iterator<char>(stream), {});
  return image;
}

TEST(Images, AreThoseOfPillow) {
  const Scratch scratch;
  const std::string python = python_with_pillow(scratch.path());
  if (python.empty()) {
    GTEST_SKIP() << "there is no python3 with Pillow (Debian's python3-pil)";
  }
  const base::Finished finished = base::run_program({python, "-c", R"(
from PIL import Image
import random
random.seed(1)
def raw(image, name):
    with open(name + ".rgb", "wb") as out:
        out.write(b"%d %d\n" % (image.height, image.width) + image.tobytes())
def noise(mode, size):
    small = Image.new(mode, (9, 7))
    bands = len(small.getbands())
    small.putdata([tuple(random.randrange(256) for _ in range(bands)) if bands > 1 else random.randrange(256)
                   for _ in range(63)])
    return small.resize(size, Image.BILINEAR)
size = (61, 47)
rgb = noise("RGB", size)
rgb.save("rgb.png"); rgb.save("420.jpg", quality=90); rgb.save("444.jpg", quality=97, subsampling=0)
rgb.save("progressive.jpg", progressive=True); rgb.save("optimized.png", optimize=True)
noise("L", size).save("grey.png"); noise("L", size).save("grey.jpg")
noise("L", size).convert("1").save("bits.png")
noise("LA", size).save("grey_alpha.png"); noise("RGBA", size).save("alpha.png")
noise("CMYK", size).save("cmyk.jpg", quality=95)
rgb.quantize(11).save("palette.png"); rgb.quantize(200).save("transparent.png", transparency=3)
import glob
for name in sorted(glob.glob("*.png") + glob.glob("*.jpg")):
    image = Image.open(name).convert("RGB")
    raw(image, name)
    for columns, rows in ((224, 224), (30, 40), (61, 10), (7, 90), (1, 1), (64, 64)):
        raw(image.resize((columns, rows), Image.BILINEAR), "%s.%d" % (name, rows))
)"},
                                                    scratch.path());
  ASSERT_EQ(finished.status, 0) << finished.output;
  int compared = 0;
  for (const std::string& name : names_in(scratch.path())) {
    if (name.ends_with(".rgb")) {
      continue;
    }
    const Image ours = decode_image(read_bytes(scratch / name));
    const Image theirs = read_raw(scratch / (name + ".rgb"));
    ASSERT_EQ(ours.rows, theirs.rows) << name;
    ASSERT_EQ(ours.columns, theirs.columns) << name;
    if (name.ends_with(".png")) {
      EXPECT_EQ(ours.pixels, theirs.pixels) << name;
    } else {
      // Pillow may have another JPEG library inside, whose rounding differs.
      EXPECT_LT(mean_difference(ours, theirs), 0.5) << name;
    }
    for (const std::int64_t rows : {224, 40, 10, 90, 1, 64}) {
      const Image expected = read_raw(scratch / (name + "." + std::to_string(rows) + ".rgb"));
      EXPECT_EQ(resized(theirs, expected.rows, expected.columns).pixels, expected.pixels)
          << name << " " << rows;
      ++compared;
    }
  }
  EXPECT_EQ(compared, 13 * 6);
}

}  // namespace
}  // namespace pair::data::testing::image_test
