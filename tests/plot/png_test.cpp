#include "pair/plot/png.h"

#include <gmock/gmock.h>
#include <png.h>

#include <cmath>
#include <stdexcept>

#include "pair/plot/image.h"
#include "tests/plot/samples.h"

namespace pair::plot::test::png_test {
namespace {

struct Image {
  std::size_t width = 0, height = 0;
  std::vector<std::uint8_t> rgba;

  [[nodiscard]] Rgb at(std::size_t x, std::size_t y) const {
    const std::size_t i = 4 * (y * width + x);
    return {rgba[i], rgba[i + 1], rgba[i + 2]};
  }
  [[nodiscard]] int opacity(std::size_t x, std::size_t y) const { return rgba[4 * (y * width + x) + 3]; }
};

// Decoded by libpng; empty if the bytes are not a PNG.
Image decoded(const std::string& bytes) {
  png_image png{};
  png.version = PNG_IMAGE_VERSION;
  Image image;
  if (png_image_begin_read_from_memory(&png, bytes.data(), bytes.size()) == 0) {
    return image;
  }
  png.format = PNG_FORMAT_RGBA;
  image.rgba.resize(PNG_IMAGE_SIZE(png));
  if (png_image_finish_read(&png, nullptr, image.rgba.data(), 0, nullptr) == 0) {
    return {};
  }
  image.width = png.width;
  image.height = png.height;
  return image;
}

TEST(EncodedImage, DecodesToItsColours) {
  const std::vector<std::uint8_t> pixels = {scale_pixel(0),   scale_pixel(1),  transparent_pixel,
                                            scale_pixel(0.5), scale_pixel(-3), scale_pixel(7)};
  const Image image = decoded(encode_png(3, 2, pixels, ColorScale::viridis, Theme::light));
  ASSERT_EQ(image.width, 3U);
  ASSERT_EQ(image.height, 2U);
  EXPECT_EQ(hex(image.at(0, 0)), "#440154");
  EXPECT_EQ(hex(image.at(1, 0)), "#fde725");
  EXPECT_EQ(image.opacity(2, 0), 0);
  EXPECT_EQ(hex(image.at(0, 1)), "#21918c");
  EXPECT_EQ(hex(image.at(1, 1)), "#440154");
  EXPECT_EQ(hex(image.at(2, 1)), "#fde725");
}

TEST(DataUri, IsBase64) {
  EXPECT_EQ(data_uri(""), "data:image/png;base64,");
  EXPECT_EQ(data_uri("f"), "data:image/png;base64,Zg==");
  EXPECT_EQ(data_uri("fo"), "data:image/png;base64,Zm8=");
  EXPECT_EQ(data_uri("foo"), "data:image/png;base64,Zm9v");
  EXPECT_EQ(data_uri("foobar\xff"), "data:image/png;base64,Zm9vYmFy/w==");
}

class Png : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!have_png()) {
      GTEST_SKIP() << "this build has no librsvg";
    }
  }
};

TEST_F(Png, OfEverySampleHasTheSizeAndBackgroundAskedFor) {
  for (const auto& [name, figure] : samples()) {
    for (const Theme theme : {Theme::light, Theme::dark}) {
      const Image image = decoded(to_png(figure, {.theme = theme, .width = 500}));
      ASSERT_EQ(image.width, 500U) << name;
      EXPECT_GT(image.height, 100U);
      EXPECT_EQ(image.at(1, 1), background(theme)) << name;
      EXPECT_EQ(image.opacity(1, 1), 255);
    }
  }
}

TEST_F(Png, IsTwiceTheSvgsSizeByItself) {
  const Image image = decoded(to_png({.panels = {Chart{}}, .panel_width = 380, .panel_height = 320}));
  EXPECT_EQ(image.width, 800U);
  EXPECT_EQ(image.height, 680U);
}

TEST_F(Png, ShowsAHeatMapInItsColours) {
  for (const std::size_t cells : {2U, 100U}) {  // as rectangles and as an image
    const Chart chart{.marks = {HeatMap{.field = sample(cells, cells, 0, 1, 0, 1,
                                                        [](double x, double) { return x < 0.5 ? 0 : 1; })}}};
    const Image image = decoded(to_png({.panels = {chart}}, {.width = 400}));
    EXPECT_EQ(hex(image.at(60, 150)), "#440154") << cells;
    EXPECT_EQ(hex(image.at(250, 150)), "#fde725") << cells;
  }
}

TEST_F(Png, RefusesHugeSizes) {
  EXPECT_THROW(to_png({.panels = {Chart{}}}, {.width = 20'001}), std::invalid_argument);
  EXPECT_THROW(to_png({.panels = {Chart{}, Chart{}}, .columns = 1, .panel_width = 160, .panel_height = 4000},
                      {.width = 3000}),
               std::invalid_argument);
}

TEST(PngAbsent, IsReportedInASentence) {
  if (have_png()) {
    GTEST_SKIP() << "this build has librsvg";
  }
  try {
    to_png({});
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("cannot write PNG"));
  }
}

}  // namespace
}  // namespace pair::plot::test::png_test
