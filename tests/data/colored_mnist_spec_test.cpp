#include "pair/data/colored_mnist_spec.h"

#include <gmock/gmock.h>

#include <limits>
#include <stdexcept>

namespace pair::data::colored_mnist_spec_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TEST(ColoredMnistPreset, HoldsThePapersNumbers) {
  const ColoredMnistSpec cmnist = colored_mnist_preset("cmnist");
  EXPECT_EQ(cmnist, ColoredMnistSpec{}) << "the default is the paper's CMNIST";
  EXPECT_EQ(cmnist.alpha, 0.25);
  EXPECT_THAT(cmnist.train_betas, ElementsAre(0.1, 0.2));
  EXPECT_THAT(cmnist.test_betas, ElementsAre(0.9, 0.1, 0.5));
  const ColoredMnistSpec modified = colored_mnist_preset("cmnist-m");
  EXPECT_EQ(modified.alpha, 0.1);
  EXPECT_THAT(modified.train_betas, ElementsAre(0.2, 0.25));
  const ColoredMnistSpec eleven = colored_mnist_preset("cmnist-11");
  EXPECT_EQ(eleven.alpha, 0.11);
  EXPECT_THAT(eleven.train_betas, ElementsAre(0.1, 0.2));
}

TEST(ColoredMnistPreset, Of10IsThatOfTheModifiedUnderItsOwnName) {
  ColoredMnistSpec ten = colored_mnist_preset("cmnist-10");
  EXPECT_EQ(ten.name, "cmnist-10");
  ten.name = "cmnist-m";
  EXPECT_EQ(ten, colored_mnist_preset("cmnist-m"));
}

TEST(ColoredMnistPreset, AnswersToTheAuthorsOtherNames) {
  EXPECT_EQ(colored_mnist_preset("cmnist-25"), colored_mnist_preset("cmnist"));
  EXPECT_EQ(colored_mnist_preset("cmnist-01"), colored_mnist_preset("cmnist-m"));
  EXPECT_EQ(colored_mnist_preset("cmnist-01-gray"), colored_mnist_preset("cmnist-m-gray"));
}

TEST(ColoredMnistPreset, HasAGrayTwinThatDiffersInTrainingBetasAlone) {
  for (const char* name : {"cmnist", "cmnist-m", "cmnist-11", "cmnist-10"}) {
    const ColoredMnistSpec twin = colored_mnist_preset(std::string(name) + "-gray");
    ColoredMnistSpec expected = colored_mnist_preset(name);
    expected.name += "-gray";
    expected.train_betas = {0.5, 0.5};
    EXPECT_EQ(twin, expected);
  }
}

TEST(ColoredMnistPreset, OfEveryListedNameIsValidAndSummarisedRightly) {
  EXPECT_EQ(colored_mnist_presets().size(), 8U);
  for (const ColoredMnistPreset& preset : colored_mnist_presets()) {
    const ColoredMnistSpec spec = preset.spec;
    EXPECT_EQ(spec, colored_mnist_preset(spec.name));
    EXPECT_NO_THROW(validate(spec));
    const auto text = [](double value) { return ::testing::PrintToString(value); };
    EXPECT_THAT(preset.summary,
                HasSubstr("alpha " + text(spec.alpha) + ", beta (" + text(spec.train_betas[0]) + ", " +
                          text(spec.train_betas[1]) + ")"));
  }
}

TEST(ColoredMnistPreset, RefusesAnUnknownName) {
  for (const char* name : {"", "-gray", "gray", "cmnist-gray-gray", "CMNIST", "cmnst"}) {
    EXPECT_THROW(colored_mnist_preset(name), std::out_of_range) << name;
  }
  EXPECT_THAT([] { (void)colored_mnist_preset("cmnst"); },
              ::testing::ThrowsMessage<std::out_of_range>(
                  HasSubstr("expected the name of a preset, such as cmnist or cmnist-m, got 'cmnst'")));
}

TEST(ColoredMnistSpec, RefusesValuesThatAreNotProbabilities) {
  const auto refused = [](const std::string& sentence) {
    return ThrowsMessage<std::invalid_argument>(HasSubstr(sentence));
  };
  for (const double bad :
       {-0.1, 1.5, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    ColoredMnistSpec spec;
    spec.alpha = bad;
    EXPECT_THROW(validate(spec), std::invalid_argument) << bad;
    spec = {};
    spec.test_betas[1] = bad;
    EXPECT_THROW(validate(spec), std::invalid_argument) << bad;
  }
  ColoredMnistSpec spec;
  spec.alpha = 1.5;
  EXPECT_THAT([&] { validate(spec); }, refused("alpha: expected a number from 0 to 1, got '1.5'"));
  spec = {};
  spec.train_betas = {0.1, -0.25};
  EXPECT_THAT(
      [&] { validate(spec); },
      refused("train_betas: expected a list of numbers from 0 to 1, separated by commas, got '0.1,-0.25'"));
  spec.train_betas = {};
  EXPECT_THAT([&] { validate(spec); }, refused("train_betas: expected a list of numbers"));
  spec = {};
  spec.test_betas = {};
  EXPECT_THAT([&] { validate(spec); }, refused("test_betas: expected a list of numbers"));
}

TEST(ColoredMnistSpec, RefusesMoreDigitsThanThereAreOrTooFewForItsEnvironments) {
  const auto refused = [](const std::string& sentence) {
    return ThrowsMessage<std::invalid_argument>(HasSubstr(sentence));
  };
  ColoredMnistSpec spec;
  spec.train_digits = 50'001;
  EXPECT_THAT([&] { validate(spec); },
              refused("train_digits: expected an integer from 1 to 50000, got '50001'"));
  spec.train_digits = 1;
  EXPECT_THAT([&] { validate(spec); },
              refused("train_digits: expected an integer from 2 to 50000 here, got 1"));
  spec.train_digits = 2;
  EXPECT_NO_THROW(validate(spec));
  spec.test_digits = 0;
  EXPECT_THAT([&] { validate(spec); }, refused("test_digits: expected an integer from 1 to 10000, got '0'"));
  EXPECT_THAT([] { validate({}, 600); },
              refused("train_digits: expected an integer from 2 to 500 here, got 50000"));
}

}  // namespace
}  // namespace pair::data::colored_mnist_spec_test
