#include "pair/data/transform.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>

#include "pair/data/counter_random.h"
#include "tests/support/pictures.h"
#include "tests/support/python.h"

namespace pair::data::testing::transform_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

namespace fs = std::filesystem;

// One line of make_transforms.py.
struct Transformed {
  std::string name;
  Image image;
  std::vector<std::string> parameters;

  [[nodiscard]] double number(std::size_t i) const { return std::stod(parameters.at(i)); }
  [[nodiscard]] std::int64_t whole(std::size_t i) const { return std::stoll(parameters.at(i)); }
};

std::vector<Transformed> transformed_in(std::istream& in) {
  std::vector<Transformed> all;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    Transformed one;
    std::string hex;
    words >> one.name >> one.image.rows >> one.image.columns >> hex;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
      one.image.pixels.push_back(static_cast<std::uint8_t>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    }
    for (std::string word; words >> word;) {
      one.parameters.push_back(word);
    }
    all.push_back(std::move(one));
  }
  return all;
}

DrawnAugmentation::Step step_named(const std::string& name) {
  using Step = DrawnAugmentation::Step;
  return std::map<std::string, Step>{{"brightness", Step::brightness},
                                     {"contrast", Step::contrast},
                                     {"saturation", Step::saturation},
                                     {"hue", Step::hue}}
      .at(name);
}

Image ours_of(const Image& input, const Transformed& expected) {
  Image image = input;
  if (expected.name == "resize") {
    return resized(input, expected.image.rows, expected.image.columns);
  }
  if (expected.name == "resized_crop") {
    return resized_crop(input, {expected.whole(0), expected.whole(1), expected.whole(2), expected.whole(3)},
                        expected.image.rows, expected.image.columns);
  }
  if (expected.name == "flip") {
    flip_horizontally(image);
  } else if (expected.name == "brightness") {
    adjust_brightness(image, expected.number(0));
  } else if (expected.name == "contrast") {
    adjust_contrast(image, expected.number(0));
  } else if (expected.name == "saturation") {
    adjust_saturation(image, expected.number(0));
  } else if (expected.name == "hue") {
    adjust_hue(image, expected.number(0));
  } else if (expected.name == "grey") {
    to_grey(image);
  } else if (expected.name == "jitter") {
    DrawnAugmentation drawn;
    drawn.crop = {0, 0, input.rows, input.columns};
    drawn.jitter = true;
    drawn.factors = {0.8, 1.25, 1.3, -0.2};
    for (std::size_t i = 0; i < 4; ++i) {
      drawn.order[i] = step_named(expected.parameters.at(i));
    }
    image = augmented(input, input.rows, input.columns, drawn);
  } else {
    throw std::runtime_error("unknown transform " + expected.name);
  }
  return image;
}

// Compares every transform; returns their number.
int compare(const std::vector<Transformed>& all) {
  int compared = 0;
  double sum = 0.0;
  std::size_t pixels = 0;
  for (const Transformed& expected : all) {
    if (expected.name == "input") {
      continue;
    }
    const Image ours = ours_of(all.front().image, expected);
    EXPECT_EQ(ours.rows, expected.image.rows);
    EXPECT_EQ(ours.columns, expected.image.columns);
    double difference = 0.0;
    for (std::size_t i = 0; i < ours.pixels.size(); ++i) {
      difference += std::abs(static_cast<double>(ours.pixels[i]) - expected.image.pixels.at(i));
    }
    // In steps of 1 / 255. Equal here; another version of Pillow may round differently.
    EXPECT_LT(difference / static_cast<double>(ours.pixels.size()), 0.5)
        << expected.name << " " << ::testing::PrintToString(expected.parameters);
    sum += difference;
    pixels += ours.pixels.size();
    ++compared;
  }
  EXPECT_LT(sum / static_cast<double>(pixels), 0.05);
  return compared;
}

constexpr int transforms = 58;

TEST(Transforms, AreThoseOfTorchvisionStored) {
  std::ifstream file(fs::path(PAIR_TEST_DATA) / "golden" / "transforms.txt");
  EXPECT_EQ(compare(transformed_in(file)), transforms);
}

TEST(Transforms, AreThoseOfTorchvisionWhereItIsInstalled) {
  const std::string python = tests::python_with("torchvision");
  if (python.empty()) {
    GTEST_SKIP() << "there is no python3 with torchvision (Debian's python3-torchvision)";
  }
  const fs::path script = fs::path(PAIR_TEST_DATA) / "golden" / "make_transforms.py";
  const base::Finished finished =
      base::run_program({python, script.string(), "61", "83"}, std::filesystem::temp_directory_path());
  ASSERT_EQ(finished.status, 0) << finished.output;
  std::istringstream lines(finished.output);
  EXPECT_EQ(compare(transformed_in(lines)), transforms);
}

TEST(Transforms, RefuseParametersOutOfRange) {
  Image image = tests::picture(4, 5);
  EXPECT_THAT([&] { adjust_brightness(image, -0.1); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("brightness: expected a factor from 0")));
  EXPECT_THAT(
      [&] { adjust_hue(image, 0.6); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("hue: expected a turn from -0.5 to 0.5, got 0.6")));
  EXPECT_THAT(
      [&] {
        (void)cropped(image, {0, 0, 5, 5});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("a crop: expected a part of 4 rows and 5 columns")));
  EXPECT_THAT([&] { (void)draw_augmentation({.crop_area = 0.0}, 4, 5, [] { return 0.5; }); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("crop_area: expected a number above 0")));
  EXPECT_THAT(
      [&] { (void)draw_augmentation({.hue = 0.7}, 4, 5, [] { return 0.5; }); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("hue: expected a number from 0 to 0.5, got 0.7")));
}

TEST(Augmentation, OfNothingIsTheResizedImage) {
  const Image image = tests::picture(9, 6);
  const DrawnAugmentation drawn = draw_augmentation({}, 9, 6, [] { return 0.3; });
  EXPECT_EQ(augmented(image, 4, 5, drawn).pixels, resized(image, 4, 5).pixels);
}

// The distributions of DomainBed's augmentation: areas, aspect ratios, factors, orders.
TEST(Augmentation, DrawsWhatTorchvisionDraws) {
  const CounterRandom random(1, "test");
  std::map<std::vector<int>, int> orders;
  double area = 0.0;
  double brightness = 0.0;
  double hue = 0.0;
  int grey = 0;
  constexpr int draws = 4000;
  for (std::uint64_t i = 0; i < draws; ++i) {
    const DrawnAugmentation drawn =
        draw_augmentation(domainbed_augmentation, 300, 400,
                          [&, n = std::uint64_t{0}]() mutable { return random.nth_uniform(i, ++n); });
    const auto rows = static_cast<double>(drawn.crop.rows);
    const auto columns = static_cast<double>(drawn.crop.columns);
    EXPECT_GE(columns / rows, 0.74);
    EXPECT_LE(columns / rows, 1.35);
    EXPECT_LE(drawn.crop.top + drawn.crop.rows, 300);
    EXPECT_LE(drawn.crop.left + drawn.crop.columns, 400);
    area += rows * columns / 120'000 / draws;
    brightness += drawn.factors[0] / draws;
    hue += drawn.factors[3] / draws;
    EXPECT_TRUE(drawn.factors[1] >= 0.7 && drawn.factors[1] <= 1.3);
    EXPECT_TRUE(std::abs(drawn.factors[3]) <= 0.3);
    std::vector<int> order;
    for (const auto step : drawn.order) {
      order.push_back(static_cast<int>(step));
    }
    ++orders[order];
    grey += drawn.grey ? 1 : 0;
  }
  EXPECT_NEAR(area, 0.804, 0.005);  // torchvision's mean; crops that do not fit are drawn again
  EXPECT_NEAR(brightness, 1.0, 0.02);
  EXPECT_NEAR(hue, 0.0, 0.02);
  EXPECT_NEAR(grey / static_cast<double>(draws), 0.1, 0.02);
  ASSERT_EQ(orders.size(), 24U);
  for (const auto& [order, count] : orders) {
    EXPECT_NEAR(count, draws / 24.0, 60);
  }
}

// An image that is too narrow for any crop of these ratios: torchvision takes its centre.
TEST(Augmentation, TakesTheCentreOfANarrowImage) {
  const DrawnAugmentation drawn = draw_augmentation(domainbed_augmentation, 1000, 10, [] { return 0.5; });
  EXPECT_EQ(drawn.crop, (CropBox{493, 0, 13, 10}));
}

}  // namespace
}  // namespace pair::data::testing::transform_test
