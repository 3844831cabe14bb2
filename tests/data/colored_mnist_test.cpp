#include "pair/data/colored_mnist.h"

#include <gmock/gmock.h>

#include <cmath>
#include <set>

#include "pair/data/sha256.h"

namespace pair::data::colored_mnist_test {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

constexpr std::int64_t all_digits = 60'000;

// Digits that tell where they come from: three pixels, the first two of which spell the digit's position and
// the last of which is white. Labels run 0, 1, ..., 9, 0, ...
Digits marked_digits() {
  Digits digits{.count = all_digits, .rows = 1, .columns = 3, .pixels = {}, .labels = {}};
  for (std::int64_t i = 0; i < all_digits; ++i) {
    digits.pixels.push_back(static_cast<std::uint8_t>(i / 256));
    digits.pixels.push_back(static_cast<std::uint8_t>(i % 256));
    digits.pixels.push_back(255);
    digits.labels.push_back(static_cast<std::uint8_t>(i % 10));
  }
  return digits;
}

// The content of an environment of marked digits.
struct Seen {
  bool operator==(const Seen&) const = default;
  std::int64_t position = 0;
  bool label = false;
  bool colour = false;

  [[nodiscard]] bool shape_label() const { return position % 10 < 5; }
};

std::vector<Seen> seen(const Environment& environment) {
  const auto inputs = environment.inputs.accessor<float, 2>();
  const auto labels = environment.labels.accessor<float, 1>();
  std::vector<Seen> all;
  for (std::int64_t i = 0; i < environment.inputs.size(0); ++i) {
    const std::int64_t colour = inputs[i][5] == 1.0F ? 1 : 0;
    const auto pixel = [&](std::int64_t at) {
      return std::llround(255.0 * static_cast<double>(inputs[i][3 * colour + at]));
    };
    all.push_back({256 * pixel(0) + pixel(1), labels[i] == 1.0F, colour == 1});
  }
  return all;
}

std::vector<std::int64_t> positions(const Environment& environment) {
  std::vector<std::int64_t> all;
  for (const Seen& one : seen(environment)) {
    all.push_back(one.position);
  }
  return all;
}

template <class Predicate>
double rate(const std::vector<Seen>& all, Predicate predicate) {
  const auto hits = std::count_if(all.begin(), all.end(), predicate);
  return static_cast<double>(hits) / static_cast<double>(all.size());
}

// Five standard deviations of a rate.
double slack(double probability, std::size_t count) {
  return 5.0 * std::sqrt(probability * (1.0 - probability) / static_cast<double>(count));
}

bool same_bits(const EnvironmentSet& a, const EnvironmentSet& b) {
  const auto same = [](const Environment& x, const Environment& y) {
    return x.key == y.key && torch::equal(x.inputs, y.inputs) && torch::equal(x.labels, y.labels);
  };
  return std::equal(a.train.begin(), a.train.end(), b.train.begin(), b.train.end(), same) &&
         std::equal(a.held_out.begin(), a.held_out.end(), b.held_out.begin(), b.held_out.end(), same);
}

class ColoredMnist : public ::testing::Test {
 protected:
  static void SetUpTestSuite() { marked = new Digits(marked_digits()); }
  static void TearDownTestSuite() {
    delete marked;
    marked = nullptr;
  }
  static EnvironmentSet make(const ColoredMnistSpec& spec, std::uint64_t seed = 1) {
    return colored_mnist(*marked, spec, seed);
  }

  static Digits* marked;
};
Digits* ColoredMnist::marked = nullptr;

TEST_F(ColoredMnist, SharesTheFirst50000OutAmongTheTrainingEnvironments) {
  const EnvironmentSet set = make({});
  ASSERT_EQ(set.train.size(), 2U);
  std::set<std::int64_t> together;
  for (const Environment& environment : set.train) {
    const std::vector<std::int64_t> here = positions(environment);
    EXPECT_EQ(here.size(), 25'000U);
    EXPECT_FALSE(std::is_sorted(here.begin(), here.end())) << "they are shuffled";
    together.insert(here.begin(), here.end());
  }
  EXPECT_EQ(together.size(), 50'000U) << "no digit is in two environments";
  EXPECT_EQ(*together.begin(), 0);
  EXPECT_EQ(*together.rbegin(), 49'999);
}

TEST_F(ColoredMnist, DealsTheShuffledDigitsInTurn) {
  ColoredMnistSpec spec;
  spec.train_betas = {0.3};
  const std::vector<std::int64_t> order = positions(make(spec).train[0]);
  spec.train_betas = {0.1, 0.2, 0.3};
  const EnvironmentSet set = make(spec);
  for (std::size_t e = 0; e < 3; ++e) {
    const std::vector<std::int64_t> here = positions(set.train[e]);
    ASSERT_EQ(here.size(), (50'000 - e + 2) / 3);
    for (std::size_t i = 0; i < here.size(); ++i) {
      ASSERT_EQ(here[i], order[3 * i + e]);
    }
  }
}

TEST_F(ColoredMnist, ShowsTheLast10000InEveryTestEnvironment) {
  const EnvironmentSet set = make({});
  ASSERT_EQ(set.held_out.size(), 3U);
  for (const Environment& environment : set.held_out) {
    const std::vector<std::int64_t> here = positions(environment);
    ASSERT_EQ(here.size(), 10'000U);
    for (std::size_t i = 0; i < here.size(); ++i) {
      ASSERT_EQ(here[i], 50'000 + static_cast<std::int64_t>(i));
    }
  }
}

TEST_F(ColoredMnist, FlipsLabelsWithAlphaAndColoursWithBeta) {
  for (const ColoredMnistPreset& preset : colored_mnist_presets()) {
    const ColoredMnistSpec& spec = preset.spec;
    const EnvironmentSet set = make(spec);
    const auto check = [&](const Environment& environment, double beta) {
      const std::vector<Seen> all = seen(environment);
      const auto label_flipped = [](const Seen& one) { return one.label != one.shape_label(); };
      const auto colour_flipped = [](const Seen& one) { return one.colour != one.label; };
      EXPECT_NEAR(rate(all, label_flipped), spec.alpha, slack(spec.alpha, all.size())) << spec.name;
      EXPECT_NEAR(rate(all, colour_flipped), beta, slack(beta, all.size())) << spec.name;
      const double both = spec.alpha * beta;
      EXPECT_NEAR(rate(all, [&](const Seen& one) { return label_flipped(one) && colour_flipped(one); }), both,
                  slack(both, all.size()))
          << "the two flips are independent";
    };
    for (std::size_t e = 0; e < set.train.size(); ++e) {
      check(set.train[e], spec.train_betas[e]);
    }
    for (std::size_t e = 0; e < set.held_out.size(); ++e) {
      check(set.held_out[e], spec.test_betas[e]);
    }
  }
}

TEST_F(ColoredMnist, FollowsTheExtremesExactly) {
  ColoredMnistSpec spec;
  spec.alpha = 0.0;
  spec.train_betas = {0.0, 1.0};
  const EnvironmentSet set = make(spec);
  for (const Seen& one : seen(set.train[0])) {
    ASSERT_TRUE(one.label == one.shape_label() && one.colour == one.label);
  }
  for (const Seen& one : seen(set.train[1])) {
    ASSERT_TRUE(one.label == one.shape_label() && one.colour != one.label);
  }
}

TEST_F(ColoredMnist, LeavesTheOtherColoursChannelEmpty) {
  const Environment environment = make({}).train[0];
  const torch::Tensor channels = environment.inputs.reshape({-1, 2, 3});
  const torch::Tensor white = channels.select(2, 2);
  EXPECT_TRUE(torch::equal(white.sum(1), torch::ones({25'000}))) << "one channel holds the digit";
  const torch::Tensor empty = channels.abs().sum(2).minimum(torch::ones({1})) * (1 - white);
  EXPECT_EQ(empty.sum().item<float>(), 0.0F) << "and the other nothing";
}

TEST_F(ColoredMnist, TestEnvironmentsHaveNoiseOfTheirOwn) {
  ColoredMnistSpec spec;
  spec.test_betas = {0.5, 0.5};
  const EnvironmentSet set = make(spec);
  EXPECT_FALSE(torch::equal(set.held_out[0].labels, set.held_out[1].labels));
}

TEST_F(ColoredMnist, OfTheSameSeedIsTheSameBitForBitAndOfAnotherIsNot) {
  EXPECT_TRUE(same_bits(make({}, 5), make({}, 5)));
  const EnvironmentSet a = make({}, 5);
  const EnvironmentSet b = make({}, 6);
  EXPECT_NE(positions(a.train[0]), positions(b.train[0]));
  EXPECT_FALSE(torch::equal(a.held_out[0].labels, b.held_out[0].labels));
}

TEST_F(ColoredMnist, GrayTwinDiffersFromItsTwinInColourAlone) {
  const EnvironmentSet colour = make(colored_mnist_preset("cmnist"));
  const EnvironmentSet gray = make(colored_mnist_preset("cmnist-gray"));
  for (std::size_t e = 0; e < 2; ++e) {
    EXPECT_EQ(positions(colour.train[e]), positions(gray.train[e]));
    EXPECT_TRUE(torch::equal(colour.train[e].labels, gray.train[e].labels));
    EXPECT_FALSE(torch::equal(colour.train[e].inputs, gray.train[e].inputs));
  }
  EXPECT_TRUE(torch::equal(colour.held_out[0].inputs, gray.held_out[0].inputs));
}

TEST_F(ColoredMnist, OfFewerDigitsIsAPrefixOfTheWhole) {
  ColoredMnistSpec spec;
  const EnvironmentSet whole = make(spec);
  spec.train_digits = 2'001;
  spec.test_digits = 300;
  const EnvironmentSet part = make(spec);
  EXPECT_EQ(part.train[0].inputs.size(0), 1'001);
  EXPECT_EQ(part.train[1].inputs.size(0), 1'000);
  for (std::size_t e = 0; e < 2; ++e) {
    const std::int64_t n = part.train[e].inputs.size(0);
    EXPECT_TRUE(torch::equal(part.train[e].inputs, whole.train[e].inputs.narrow(0, 0, n)));
    EXPECT_TRUE(torch::equal(part.train[e].labels, whole.train[e].labels.narrow(0, 0, n)));
  }
  EXPECT_TRUE(torch::equal(part.held_out[2].inputs, whole.held_out[2].inputs.narrow(0, 0, 300)));
}

TEST_F(ColoredMnist, NamesItsEnvironmentsByTheirBeta) {
  const EnvironmentSet set = make(colored_mnist_preset("cmnist-m"));
  EXPECT_EQ(set.name, "cmnist-m");
  EXPECT_EQ(set.train[0].key, "env0_in");
  EXPECT_EQ(set.train[1].key, "env1_in");
  EXPECT_EQ(set.held_out[0].key, "env2_out");
}

TEST_F(ColoredMnist, RefusesAWrongSpecAndContradictoryDigits) {
  ColoredMnistSpec spec;
  spec.alpha = 2.0;
  EXPECT_THAT([&] { make(spec); }, ThrowsMessage<std::invalid_argument>(
                                       HasSubstr("alpha: expected a number from 0 to 1, got '2'")));
  Digits digits = *marked;
  digits.pixels.pop_back();
  EXPECT_THAT([&] { colored_mnist(digits, {}, 1); },
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("expected 60000 of 1 x 3 pixels, got 179999 pixels and 60000 labels")));
}

TEST(ColoredMnistOfMnist, IsWhatTrainingExpects) {
  const Digits digits = embedded_mnist14();
  const EnvironmentSet set = colored_mnist(digits, {}, 0);
  EXPECT_EQ(set.loss, TaskLoss::binary_cross_entropy);
  EXPECT_EQ(set.outputs, 1);
  for (const Environment& environment : set.train) {
    EXPECT_EQ(environment.inputs.sizes(), (torch::IntArrayRef{25'000, 392}));
    EXPECT_EQ(environment.labels.sizes(), (torch::IntArrayRef{25'000}));
    EXPECT_EQ(environment.inputs.dtype(), torch::kFloat);
    EXPECT_EQ(environment.labels.dtype(), torch::kFloat);
    EXPECT_EQ(environment.inputs.min().item<float>(), 0.0F);
    EXPECT_EQ(environment.inputs.max().item<float>(), 1.0F);
  }
  // The first test digit, MNIST's 50,000th (a 3), stands whole in one of the two channels.
  const torch::Tensor both = set.held_out[0].inputs[0].reshape({2, 196}).sum(0);
  for (std::int64_t i = 0; i < 196; ++i) {
    const std::uint8_t pixel = digits.pixels[static_cast<std::size_t>(std::int64_t{50'000} * 196 + i)];
    ASSERT_EQ(both[i].item<float>(), static_cast<float>(pixel) / 255.0F);
  }
}

// Runs are compared over years and machines: what a seed means must not change.
TEST(ColoredMnistOfMnist, OfSeed0HasTheseBits) {
  const EnvironmentSet set = colored_mnist(embedded_mnist14(), {}, 0);
  const auto digest = [](const torch::Tensor& tensor) {
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(tensor.data_ptr<float>());
    return sha256({bytes, static_cast<std::size_t>(tensor.numel()) * sizeof(float)}).substr(0, 16);
  };
  EXPECT_EQ(digest(set.train[0].inputs), "d1bbea2595b7a271");
  EXPECT_EQ(digest(set.train[1].labels), "a209bfaa749866ee");
  EXPECT_EQ(digest(set.held_out[2].inputs), "f1e1341a6409accf");
}

TEST(ColoredMnistHoldout, HoldsOutTheLastDigitsOfEachTrainingEnvironment) {
  const Digits digits = marked_digits();
  ColoredMnistSpec spec = colored_mnist_preset("cmnist");
  spec.train_digits = 101;
  spec.test_digits = 10;
  const EnvironmentSet whole = colored_mnist(digits, spec, 3);
  spec.holdout = 0.25;
  const EnvironmentSet split = colored_mnist(digits, spec, 3);
  ASSERT_EQ(whole.held_out.size(), 3U);
  ASSERT_EQ(split.held_out.size(), 5U);
  for (std::size_t e = 0; e < 2; ++e) {
    EXPECT_EQ(split.train[e].key, "env" + std::to_string(e) + "_in");
    EXPECT_EQ(split.held_out[e].key, "env" + std::to_string(e) + "_out");
    EXPECT_FALSE(split.held_out[e].test);
    EXPECT_EQ(split.held_out[e].labels.size(0), 12);
    std::vector<Seen> joined = seen(split.train[e]);
    const std::vector<Seen> out = seen(split.held_out[e]);
    joined.insert(joined.end(), out.begin(), out.end());
    EXPECT_EQ(joined, seen(whole.train[e])) << "the same digits, labels and colours";
  }
  EXPECT_EQ(split.held_out[2].key, "env2_out");
  EXPECT_TRUE(split.held_out[2].test);
  spec.train_digits = 2;
  EXPECT_THAT([&] { validate(spec); }, ThrowsMessage<std::invalid_argument>(HasSubstr(
                                           "holdout: expected a share that leaves something of 1 digits")));
}

}  // namespace
}  // namespace pair::data::colored_mnist_test
