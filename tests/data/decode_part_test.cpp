// Decoding what training needs of an image.

#include <gmock/gmock.h>

#include <cmath>
#include <cstdlib>
#include <fstream>

#include "pair/data/image.h"
#include "pair/data/image_folder.h"
#include "pair/data/random.h"
#include "pair/data/transform.h"
#include "tests/support/pictures.h"
#include "tests/support/scratch.h"

namespace pair::data::decode_part_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;
using tests::jpeg;

// Shades, stripes that get finer, to six pixels each, and an edge: harder than most photographs.
Image scene(std::int64_t rows, std::int64_t columns) {
  Image image{rows, columns, std::vector<std::uint8_t>(static_cast<std::size_t>(rows * columns * 3))};
  std::size_t at = 0;
  for (std::int64_t y = 0; y < rows; ++y) {
    for (std::int64_t x = 0; x < columns; ++x) {
      const double shade = 128.0 + 60.0 * std::sin(0.02 * static_cast<double>(x + 2 * y));
      const double stripe = 25.0 * std::sin(0.001 * static_cast<double>(x * x) / 3.0);
      const double edge = x + y > (rows + columns) / 2 ? 20.0 : 0.0;
      for (const double tint : {0.0, 10.0, -15.0}) {
        image.pixels[at++] = static_cast<std::uint8_t>(std::clamp(shade + stripe + edge + tint, 0.0, 255.0));
      }
    }
  }
  return image;
}

double mean_difference(const Image& a, const Image& b) {
  EXPECT_EQ(a.pixels.size(), b.pixels.size());
  double sum = 0.0;
  for (std::size_t i = 0; i < a.pixels.size(); ++i) {
    sum += std::abs(int{a.pixels[i]} - int{b.pixels[i]});
  }
  return sum / static_cast<double>(a.pixels.size());
}

ChoosePart always(const WantedPart& wanted) {
  return [wanted](std::int64_t, std::int64_t) { return wanted; };
}

TEST(DecodePart, DiffersFromTheExactResultByLessThan2Of255InTheMean) {
  Random random(1, "boxes");
  for (const bool progressive : {false, true}) {
    for (const std::int64_t rows : {300, 601, 1203}) {
      const std::int64_t columns = rows * 4 / 3 + 1;
      const Bytes file = jpeg(scene(rows, columns), {.quality = 90, .progressive = progressive});
      const Image whole = decode_image(file);
      for (int i = 0; i < 4; ++i) {
        const CropBox box =
            draw_augmentation(domainbed_augmentation, rows, columns, [&] { return random.uniform(); }).crop;
        const Image exact = resized_crop(whole, box, 96, 96);
        const ImagePart part = decode_part(file, always({box, 96, 96}));
        EXPECT_LT(mean_difference(resized(part, 96, 96), exact), 2.0) << rows;
        EXPECT_GT(mean_difference(resized_crop(whole, {0, 0, rows, columns}, 96, 96), exact), 2.0)
            << "the scene is too plain for this test";
      }
    }
  }
}

TEST(DecodePart, ShrinksAsFarAsTheWantedSizePermits) {
  const Bytes file = jpeg(scene(800, 1000));
  const auto columns_for = [&](const WantedPart& wanted) {
    return decode_part(file, always(wanted)).image.columns;
  };
  const CropBox whole{0, 0, 800, 1000};
  EXPECT_EQ(columns_for({whole, 100, 125}), 125);
  EXPECT_EQ(columns_for({whole, 101, 100}), 250) << "rows decide, too";
  EXPECT_EQ(columns_for({whole, 224, 224}), 500);
  EXPECT_EQ(columns_for({whole, 401, 100}), 1000);
  // Chosen from the crop, not from the image; of its columns, whole blocks are decoded.
  const ImagePart part = decode_part(file, always({{100, 200, 300, 300}, 224, 224}));
  EXPECT_GE(part.image.columns, 300);
  EXPECT_LE(part.image.columns, 300 + 2 * 16);
  EXPECT_EQ(part.image.rows, 300);
  EXPECT_DOUBLE_EQ(part.columns, 300.0);
}

TEST(DecodePart, OfTheWholeImageInItsSizeIsExact) {
  const Bytes file = jpeg(scene(50, 70));
  const ImagePart part = decode_part(file, always({{0, 0, 50, 70}, 50, 70}));
  EXPECT_EQ(part.image.pixels, decode_image(file).pixels);
  EXPECT_EQ(resized(part, 20, 30).pixels, resized(decode_image(file), 20, 30).pixels);
}

TEST(DecodePart, OfOtherFormatsAndColoursIsThePartOfTheWhole) {
  const Image image = tests::picture(40, 60);
  for (const Bytes& file : {tests::png(image), jpeg(image, {.channels = 4}), jpeg(image, {.channels = 1})}) {
    const CropBox box{5, 7, 20, 30};
    EXPECT_LT(mean_difference(resized(decode_part(file, always({box, 20, 30})), 10, 10),
                              resized_crop(decode_image(file), box, 10, 10)),
              2.0);
  }
}

TEST(DecodePart, RefusesBrokenFilesLikeTheExactOne) {
  const Bytes file = jpeg(scene(200, 300));
  const CropBox top{0, 0, 20, 300};
  for (const double share : {0.02, 0.3, 0.9, 0.999}) {
    const Bytes cut(file.begin(),
                    file.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(file.size())));
    EXPECT_THROW((void)decode_image(cut), BrokenImage) << share;
    EXPECT_THROW((void)decode_part(cut, always({{0, 0, 200, 300}, 20, 20})), BrokenImage) << share;
    EXPECT_THROW((void)decode_part(cut, always({top, 20, 20})), BrokenImage)
        << share << ", although the part is complete";
  }
  EXPECT_NO_THROW((void)decode_part(file, always({top, 20, 20})));
  EXPECT_THROW((void)decode_part({}, always({top, 20, 20})), BrokenImage);
  EXPECT_THAT(
      [&] {
        (void)decode_part(file, always({top, 20, 20}), {100});
      },
      ThrowsMessage<BrokenImage>(HasSubstr("at most 100 pixels")));
  EXPECT_THAT(
      [&] {
        (void)decode_part(file, always({{0, 0, 201, 300}, 20, 20}));
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("a crop: expected a part of 200 rows")));
}

TEST(DecodePart, OfATurnedImageIsThatOfTheTurnedOne) {
  // An APP1 segment with the orientation 6: turned by a quarter.
  Bytes file = jpeg(scene(60, 100));
  const Bytes exif{0xff, 0xe1, 0x00, 0x22, 'E', 'x', 'i', 'f', 0, 0, 'M', 'M', 0, 42, 0, 0, 0, 8,
                   0,    1,    0x01, 0x12, 0,   3,   0,   0,   0, 1, 0,   6,   0, 0,  0, 0, 0, 0};
  file.insert(file.begin() + 2, exif.begin(), exif.end());
  const tests::Scratch scratch;
  const auto path = scratch.path() / "turned.jpg";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(file.data()), static_cast<std::streamsize>(file.size()));
  std::int64_t seen = 0;
  const ImagePart part = read_picture_part(path, /*exif=*/true, [&](std::int64_t rows, std::int64_t columns) {
    seen = rows;
    return WantedPart{{0, 0, rows, columns}, 10, 10};
  });
  EXPECT_EQ(seen, 100);
  EXPECT_EQ(part.image.pixels, upright(decode_image(file), 6).pixels);
  (void)read_picture_part(path, /*exif=*/false, [&](std::int64_t rows, std::int64_t columns) {
    seen = rows;
    return WantedPart{{0, 0, rows, columns}, 10, 10};
  });
  EXPECT_EQ(seen, 60);
}

}  // namespace
}  // namespace pair::data::decode_part_test
