#include "pair/data/domainbed_mnist.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>

#include "pair/data/rotate.h"

namespace pair::data::domainbed_mnist_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

// Distinct images of 4 x 4: the first pixels hold the image's number, none of them zero.
Digits numbered(std::int64_t count) {
  Digits digits{.count = count, .rows = 4, .columns = 4, .pixels = {}, .labels = {}};
  for (std::int64_t i = 0; i < count; ++i) {
    std::vector<std::uint8_t> image(16, 255);
    image[0] = static_cast<std::uint8_t>(1 + i % 200);
    image[1] = static_cast<std::uint8_t>(1 + i / 200);
    digits.pixels.insert(digits.pixels.end(), image.begin(), image.end());
    digits.labels.push_back(static_cast<std::uint8_t>(i % 10));
  }
  return digits;
}

// The colour and the number of a sample.
struct Seen {
  std::int64_t colour;
  std::int64_t number;
};

Seen seen(const torch::Tensor& image) {
  const std::int64_t colour = image[1].sum().item<std::int64_t>() > 0 ? 1 : 0;
  EXPECT_EQ(image[1 - colour].sum().item<std::int64_t>(), 0);
  const torch::Tensor row = image[colour][0];
  return {colour, row[0].item<std::int64_t>() - 1 + 200 * (row[1].item<std::int64_t>() - 1)};
}

std::map<std::string, const Environment*> by_key(const EnvironmentSet& set) {
  std::map<std::string, const Environment*> all;
  for (const auto* list : {&set.train, &set.held_out}) {
    for (const Environment& environment : *list) {
      EXPECT_TRUE(all.emplace(environment.key, &environment).second);
    }
  }
  return all;
}

std::vector<std::string> keys_of(const std::vector<Environment>& environments) {
  std::vector<std::string> keys;
  for (const Environment& environment : environments) {
    keys.push_back(environment.key + (environment.test ? "*" : ""));
  }
  return keys;
}

DomainBedMnistSpec small(std::int64_t digits = 300) {
  DomainBedMnistSpec spec;
  spec.digits = digits;
  return spec;
}

// The numbers, labels and colours of held-out digits.
struct HeldOut {
  std::vector<std::int64_t> numbers;
  std::vector<std::int64_t> labels;
  std::vector<std::int64_t> colours;
};

HeldOut held_out_of(const Environment& environment) {
  HeldOut all;
  for (std::int64_t i = 0; i < environment.labels.size(0); ++i) {
    const Seen one = seen(environment.inputs[i]);
    all.numbers.push_back(one.number);
    all.labels.push_back(environment.labels[i].item<std::int64_t>());
    all.colours.push_back(one.colour);
  }
  return all;
}

// The output of the following, for 60 digits of the classes 0, 1, ..., 9, 0, ... (PyTorch 1.13, NumPy 1.24):
//   torch.manual_seed(3); shuffle = torch.randperm(60); then DomainBed's color_dataset for each environment,
//   and split_dataset(environment, 4, seed_hash(3, env_i)).
TEST(DomainBedMnist, HasTheDigitsLabelsColoursAndSplitsOfDomainBed) {
  DomainBedMnistSpec spec = small(60);
  spec.draws = DomainBedMnistSpec::Draws::domainbed;
  const EnvironmentSet set = domainbed_mnist(numbered(60), spec, 3);
  const auto all = by_key(set);
  const HeldOut first = held_out_of(*all.at("env0_out"));
  EXPECT_THAT(first.numbers, ElementsAre(6, 2, 13, 41));
  EXPECT_THAT(first.labels, ElementsAre(0, 1, 1, 1));
  EXPECT_THAT(first.colours, ElementsAre(0, 1, 1, 1));
  const HeldOut second = held_out_of(*all.at("env1_out"));
  EXPECT_THAT(second.numbers, ElementsAre(39, 3, 35, 24));
  EXPECT_THAT(second.labels, ElementsAre(0, 1, 0, 1));
  EXPECT_THAT(second.colours, ElementsAre(0, 0, 1, 0));
  const HeldOut third = held_out_of(*all.at("env2_out"));
  EXPECT_THAT(third.numbers, ElementsAre(45, 18, 28, 25));
  EXPECT_THAT(third.labels, ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(third.colours, ElementsAre(1, 1, 1, 1));
}

TEST(DomainBedMnist, TrainsOnTheInPartsOfAllButTheTestEnvironments) {
  const Digits digits = numbered(300);
  DomainBedMnistSpec spec = small();
  const EnvironmentSet last = domainbed_mnist(digits, spec, 0);
  EXPECT_THAT(keys_of(last.train), ElementsAre("env0_in", "env1_in"));
  EXPECT_THAT(keys_of(last.held_out), ElementsAre("env0_out", "env1_out", "env2_in*", "env2_out"));
  spec.test_envs = {1, 0};
  const EnvironmentSet two = domainbed_mnist(digits, spec, 0);
  EXPECT_THAT(keys_of(two.train), ElementsAre("env2_in"));
  EXPECT_THAT(keys_of(two.held_out), ElementsAre("env0_in*", "env0_out", "env1_in*", "env1_out", "env2_out"));
  // The same data for any test environments.
  const auto first = by_key(last);
  for (const auto& [key, environment] : by_key(two)) {
    EXPECT_TRUE(torch::equal(environment->inputs, first.at(key)->inputs)) << key;
    EXPECT_TRUE(torch::equal(environment->labels, first.at(key)->labels)) << key;
  }
}

TEST(DomainBedMnist, DealsEveryDigitOutOnceAndHoldsOutAFifth) {
  const EnvironmentSet set = domainbed_mnist(numbered(302), small(302), 3);
  EXPECT_EQ(set.loss, TaskLoss::cross_entropy);
  EXPECT_EQ(set.outputs, 2);
  std::set<std::int64_t> numbers;
  for (const auto& [key, environment] : by_key(set)) {
    EXPECT_EQ(environment->inputs.sizes().slice(1).vec(), (std::vector<std::int64_t>{2, 4, 4}));
    EXPECT_EQ(environment->inputs.scalar_type(), torch::kByte);
    EXPECT_EQ(environment->labels.scalar_type(), torch::kLong);
    for (std::int64_t i = 0; i < environment->inputs.size(0); ++i) {
      EXPECT_TRUE(numbers.insert(seen(environment->inputs[i]).number).second);
    }
  }
  EXPECT_EQ(numbers.size(), 302U);
  EXPECT_EQ(set.held_out[0].labels.size(0), 20);  // of 101
  EXPECT_EQ(set.train[0].labels.size(0), 81);
  EXPECT_EQ(set.held_out[3].labels.size(0), 20);  // of 100
}

TEST(DomainBedMnist, ColoursAndLabelsAgreeAsOftenAsTheEnvironmentSays) {
  const Digits digits = numbered(30'000);
  const EnvironmentSet set = domainbed_mnist(digits, small(30'000), 1);
  const auto all = by_key(set);
  const std::vector<double> differ = {0.1, 0.2, 0.9};
  for (std::size_t e = 0; e < differ.size(); ++e) {
    const Environment& environment = *all.at("env" + std::to_string(e) + "_in");
    const auto count = static_cast<double>(environment.labels.size(0));
    const torch::Tensor colours =
        (environment.inputs.select(1, 1).to(torch::kLong).sum({1, 2}) > 0).to(torch::kLong);
    EXPECT_NEAR(static_cast<double>((colours != environment.labels).sum().item<std::int64_t>()) / count,
                differ[e], 0.02);
    double flipped = 0.0;
    for (std::int64_t i = 0; i < environment.labels.size(0); ++i) {
      const auto digit = static_cast<std::size_t>(seen(environment.inputs[i]).number);
      flipped += (digits.labels[digit] < 5) != (environment.labels[i].item<std::int64_t>() == 1) ? 1.0 : 0.0;
    }
    EXPECT_NEAR(flipped / count, 0.25, 0.02);
  }
}

TEST(DomainBedMnist, RotatedDigitsKeepTheirLabels) {
  DomainBedMnistSpec spec = domainbed_mnist_preset(DomainBedMnistSpec::Variant::rotated);
  spec.digits = 120;
  const Digits digits = numbered(120);
  const EnvironmentSet set = domainbed_mnist(digits, spec, 0);
  EXPECT_EQ(set.outputs, 10);
  EXPECT_EQ(set.train.size(), 5U);
  EXPECT_EQ(set.held_out.size(), 7U);
  // At 0 degrees an image is as it was, and says which it is; at 30 it is one of those turned.
  std::set<std::vector<std::uint8_t>> turned;
  for (std::size_t i = 0; i < 120; ++i) {
    std::vector<std::uint8_t> out(16);
    rotate(std::span(digits.pixels).subspan(16 * i, 16), 4, 4, 30, out);
    out.push_back(digits.labels[i]);
    turned.insert(out);
  }
  const auto all = by_key(set);
  const Environment& straight = *all.at("env0_in");
  const Environment& tilted = *all.at("env2_in");
  for (std::int64_t i = 0; i < straight.labels.size(0); ++i) {
    const std::uint8_t* pixels = straight.inputs[i].data_ptr<std::uint8_t>();
    EXPECT_EQ((pixels[0] - 1) % 10, straight.labels[i].item<std::int64_t>());
    const std::uint8_t* others = tilted.inputs[i].data_ptr<std::uint8_t>();
    std::vector<std::uint8_t> image(others, others + 16);
    image.push_back(static_cast<std::uint8_t>(tilted.labels[i].item<std::int64_t>()));
    EXPECT_TRUE(turned.contains(image));
  }
}

TEST(DomainBedMnist, TheSeedDecidesAndFewerDigitsAreSomeOfMore) {
  const Digits digits = numbered(600);
  const EnvironmentSet one = domainbed_mnist(digits, small(), 1);
  EXPECT_TRUE(torch::equal(one.train[0].inputs, domainbed_mnist(digits, small(), 1).train[0].inputs));
  EXPECT_FALSE(torch::equal(one.train[0].inputs, domainbed_mnist(digits, small(), 2).train[0].inputs));
  const auto numbers = [](const EnvironmentSet& set) {
    std::set<std::int64_t> all;
    for (const auto& [key, environment] : by_key(set)) {
      for (std::int64_t i = 0; i < environment->inputs.size(0); ++i) {
        all.insert(seen(environment->inputs[i]).number);
      }
    }
    return all;
  };
  EXPECT_EQ(numbers(one).size(), 300U);
  EXPECT_THAT(numbers(domainbed_mnist(digits, small(600), 1)), ::testing::IsSupersetOf(numbers(one)));
}

TEST(DomainBedMnist, RefusesWhatCannotBe) {
  Digits digits = numbered(100);
  EXPECT_THAT([&] { (void)domainbed_mnist(digits, small(), 0); },
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("digits: expected at most 100, the number of digits in the data, got 300")));
  DomainBedMnistSpec spec = small(30);
  spec.holdout = 0.05;
  EXPECT_THAT(
      [&] { (void)domainbed_mnist(digits, spec, 0); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("expected a share that holds out at least one digit")));
  digits.labels.pop_back();
  EXPECT_THAT([&] { (void)domainbed_mnist(digits, small(30), 0); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("got 1600 pixels and 99 labels")));
}

TEST(DomainBedDigits, SayWhichFileIsMissingAndWhatFetchesIt) {
  DomainBedMnistSpec spec;
  spec.folder = "/nowhere/at/all";
  const auto reading = [&] { (void)domainbed_digits(spec); };
  EXPECT_THAT(reading, ThrowsMessage<std::runtime_error>(
                           AllOf(HasSubstr("/nowhere/at/all/train-images-idx3-ubyte is missing"),
                                 HasSubstr("'pair data get mnist'"))));
  const char* const before = std::getenv("PAIR_DATA");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("PAIR_DATA", "/nowhere/either", 1);
  spec.folder.clear();
  EXPECT_THAT(reading, ThrowsMessage<std::runtime_error>(AllOf(
                           HasSubstr("/nowhere/either"), HasSubstr("'pair data get mnist' fetches it"))));
  before == nullptr ? ::unsetenv("PAIR_DATA") : ::setenv("PAIR_DATA", kept.c_str(), 1);
}

}  // namespace
}  // namespace pair::data::domainbed_mnist_test
