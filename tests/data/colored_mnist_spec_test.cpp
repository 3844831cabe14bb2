#include "pair/data/colored_mnist_spec.h"

#include <gmock/gmock.h>

#include <limits>
#include <stdexcept>

namespace pair::data {
namespace {

using ::testing::AllOf;
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
    const ColoredMnistSpec spec = colored_mnist_preset(preset.name);
    EXPECT_EQ(spec.name, preset.name);
    EXPECT_NO_THROW(validate(spec));
    const auto text = [](double value) { return testing::PrintToString(value); };
    EXPECT_THAT(std::string(preset.summary),
                HasSubstr("alpha " + text(spec.alpha) + ", beta (" + text(spec.train_betas[0]) + ", " +
                          text(spec.train_betas[1]) + ")"));
  }
}

TEST(ColoredMnistPreset, RefusesAnUnknownNameWithTheKnownOnes) {
  EXPECT_THAT([] { colored_mnist_preset("cmnst"); },
              ThrowsMessage<std::invalid_argument>(AllOf(
                  HasSubstr("unknown dataset 'cmnst'; did you mean 'cmnist'?"), HasSubstr("cmnist-m-gray"))));
  for (const char* name : {"", "-gray", "gray", "cmnist-gray-gray", "CMNIST"}) {
    EXPECT_THROW(colored_mnist_preset(name), std::invalid_argument) << name;
  }
}

TEST(ColoredMnistSpec, RefusesWhatIsNoProbability) {
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
  EXPECT_THAT([&] { validate(spec); }, refused("alpha is 1.5; accepted are probabilities, 0 to 1"));
  spec = {};
  spec.train_betas = {0.1, -0.25};
  EXPECT_THAT([&] { validate(spec); },
              refused("train_betas[1] is -0.25; accepted are probabilities, 0 to 1"));
  spec.train_betas = {};
  EXPECT_THAT([&] { validate(spec); }, refused("train_betas is empty"));
  spec = {};
  spec.test_betas = {};
  EXPECT_THAT([&] { validate(spec); }, refused("test_betas is empty"));
}

TEST(ColoredMnistSpec, RefusesMoreDigitsThanThereAreOrTooFewForItsEnvironments) {
  const auto refused = [](const std::string& sentence) {
    return ThrowsMessage<std::invalid_argument>(HasSubstr(sentence));
  };
  ColoredMnistSpec spec;
  spec.train_digits = 50'001;
  EXPECT_THAT([&] { validate(spec); }, refused("train_digits is 50001; accepted are 2 to 50000"));
  spec.train_digits = 1;
  EXPECT_THAT([&] { validate(spec); }, refused("train_digits is 1; accepted are 2 to 50000"));
  spec.train_digits = 2;
  EXPECT_NO_THROW(validate(spec));
  spec.test_digits = 0;
  EXPECT_THAT([&] { validate(spec); }, refused("test_digits is 0; accepted are 1 to 10000"));
  EXPECT_THAT([] { validate({}, 600); }, refused("train_digits is 50000; accepted are 2 to 500"));
}

}  // namespace
}  // namespace pair::data
