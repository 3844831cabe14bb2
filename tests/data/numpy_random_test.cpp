#include "pair/data/numpy_random.h"

#include <gmock/gmock.h>

#include <numeric>

#include "tests/support/python.h"

// The numbers are NumPy's: golden/make_numpy_draws.py prints them.

namespace pair::data::testing::numpy_random_test {
namespace {

using ::testing::ElementsAre;

// The first three words, and the one after 703.
std::vector<std::uint32_t> words(NumpyRandom random) {
  std::vector<std::uint32_t> some = {random.bits(), random.bits(), random.bits()};
  for (int i = 0; i < 700; ++i) {
    (void)random.bits();
  }
  some.push_back(random.bits());
  return some;
}

TEST(NumpyRandom, IsSeededByANumberAsRandomState) {
  EXPECT_THAT(words(NumpyRandom(0)), ElementsAre(2357136044U, 2546248239U, 3071714933U, 3365742393U));
  EXPECT_THAT(words(NumpyRandom(1)), ElementsAre(1791095845U, 4282876139U, 3093770124U, 1305147909U));
  EXPECT_THAT(words(NumpyRandom(4294967295U)), ElementsAre(419326371U, 479346978U, 3918654476U, 3866957881U));
}

TEST(NumpyRandom, IsSeededByAnArrayAsRandomState) {
  const auto of = [](const std::vector<std::uint32_t>& key) { return words(NumpyRandom(std::span(key))); };
  EXPECT_THAT(of({1}), ElementsAre(577090037U, 2444712010U, 3639700191U, 2678030544U));
  EXPECT_THAT(of({1, 2, 3}), ElementsAre(2619334238U, 1552691353U, 3808334787U, 1000475427U));
  std::vector<std::uint32_t> longer(700);
  std::iota(longer.begin(), longer.end(), 0U);
  EXPECT_THAT(of(longer), ElementsAre(3727595200U, 1914792892U, 3929396303U, 3437527252U));
  EXPECT_THROW(of({}), std::invalid_argument);
}

TEST(NumpyRandom, DrawsTheSameNumbers) {
  NumpyRandom uniform(7);
  EXPECT_EQ(uniform.uniform(), 0.07630828937395717);
  EXPECT_EQ(uniform.uniform(), 0.7799187922401146);
  EXPECT_EQ(uniform.uniform(), 0.4384092314408935);
  EXPECT_EQ(uniform.uniform(-4.5, -2.5), -3.053069644338118);
  EXPECT_EQ(uniform.uniform(-4.5, -2.5), -2.5440209760067947);
  EXPECT_EQ(uniform.uniform(-4.5, -2.5), -3.4230082591791327);

  NumpyRandom whole(7);
  std::vector<std::int64_t> digits;
  for (int i = 0; i < 6; ++i) {
    digits.push_back(whole.randint(0, 10));
  }
  EXPECT_THAT(digits, ElementsAre(4, 9, 6, 3, 3, 7));
  EXPECT_EQ(whole.randint(-5, 1'000'000'000'000), 446582064471);
  EXPECT_EQ(whole.randint(-5, 1'000'000'000'000), 796881771913);
  EXPECT_THROW((void)whole.randint(3, 3), std::invalid_argument);

  NumpyRandom choice(7);
  std::vector<std::size_t> chosen;
  for (int i = 0; i < 8; ++i) {
    chosen.push_back(choice.choice(3));
  }
  EXPECT_THAT(chosen, ElementsAre(0, 1, 2, 0, 1, 2, 0, 1));
}

TEST(NumpyRandom, ShufflesInTheSameOrder) {
  EXPECT_THAT(NumpyRandom(7).permutation(10), ElementsAre(8, 5, 0, 2, 1, 9, 7, 3, 6, 4));
  const std::vector<std::int64_t> many = NumpyRandom(domainbed_seed(0, std::int64_t{0})).permutation(70'000);
  EXPECT_THAT(std::vector(many.begin(), many.begin() + 5), ElementsAre(50150, 39585, 40387, 62980, 26544));
  EXPECT_THAT(std::vector(many.end() - 5, many.end()), ElementsAre(42676, 11421, 37006, 65624, 13708));
}

TEST(DomainBedSeed, IsTheHashOfTheArguments) {
  EXPECT_EQ(domainbed_seed(0, std::int64_t{0}), 894182419U);
  EXPECT_EQ(domainbed_seed(3, std::int64_t{2}), 1412061351U);
  EXPECT_EQ(domainbed_seed(1412061351, "lr"), 1760258738U);
  EXPECT_EQ(domainbed_seed(123456789012, std::int64_t{1}), 1736668523U);
}

TEST(DomainBedSplit, HoldsOutTheFirstOfTheShuffledSamples) {
  const DomainBedSplit split = domainbed_split(10, 0.25, 3, 2);
  const std::vector<std::int64_t> order = NumpyRandom(1412061351).permutation(10);
  EXPECT_THAT(split.out, ElementsAre(order[0], order[1]));  // int(2.5)
  EXPECT_EQ(split.in.size(), 8U);
  EXPECT_EQ(split.in.front(), order[2]);
}

// DomainBed's own split_dataset does the same as this script.
TEST(DomainBedSplit, IsNumPysWhereItIsInstalled) {
  const std::string python = tests::python_with("numpy");
  if (python.empty()) {
    GTEST_SKIP() << "there is no python3 with numpy";
  }
  std::string ours;
  for (const std::size_t count : {1U, 7U, 1000U, 23'333U}) {
    for (std::int64_t environment = 0; environment < 3; ++environment) {
      for (const std::int64_t key : domainbed_split(count, 0.2, 5, environment).out) {
        ours += std::to_string(key) + " ";
      }
    }
  }
  const base::Finished finished = base::run_program({python, "-c", R"(
import hashlib, numpy
def seed_hash(*args):
    return int(hashlib.md5(str(args).encode("utf-8")).hexdigest(), 16) % (2 ** 31)
for count in [1, 7, 1000, 23333]:
    for env_i in range(3):
        keys = list(range(count))
        numpy.random.RandomState(seed_hash(5, env_i)).shuffle(keys)
        print("".join(str(key) + " " for key in keys[:int(count * 0.2)]), end="")
)"},
                                                    std::filesystem::temp_directory_path());
  ASSERT_EQ(finished.status, 0) << finished.output;
  EXPECT_EQ(finished.output, ours);
}

}  // namespace
}  // namespace pair::data::testing::numpy_random_test
