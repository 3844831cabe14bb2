#include "pair/data/wilds_data.h"

#include <gmock/gmock.h>
#include <torch/types.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "pair/base/registry.h"
#include "pair/data/environment.h"
#include "pair/data/inputs.h"
#include "pair/data/quarter_turns.h"
#include "pair/data/registry.h"
#include "pair/data/text.h"
#include "pair/data/wilds_generate.h"
#include "tests/support/pictures.h"
#include "tests/support/scratch.h"

namespace pair::data::testing::wilds_data_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class WildsData : public ::testing::Test {
 protected:
  EnvironmentSet made(const std::string& name,
                      const std::vector<std::pair<std::string, std::string>>& options = {},
                      std::uint64_t seed = 0) {
    if (generated.insert(name).second) {
      generate_wilds(name, scratch.path(), {.samples = 1});
    }
    Dataset dataset = dataset_named(name);
    std::vector<std::pair<std::string, std::string>> all{{"data_root", scratch.path().string()},
                                                         {"image_size", "32"}};
    all.insert(all.end(), options.begin(), options.end());
    dataset.options = base::with_changes(dataset.options, all);
    validate(dataset);
    return entry_of(name).make(dataset.options, seed);
  }
  tests::Scratch scratch;
  std::set<std::string> generated;
};

LoadedBatch first_batch(const EnvironmentSet& set) {
  std::vector<std::vector<std::size_t>> samples;
  for (const Environment& environment : set.train) {
    samples.push_back(environment.samples);
  }
  Loader loader =
      Loader::training(set.source, Sampler(std::move(samples), {.seed = 3, .batch = 2}), set.loading);
  return loader.next().value();
}

TEST_F(WildsData, OfPovertyIsARegressionOnEightChannels) {
  const EnvironmentSet set = made("poverty");
  EXPECT_EQ(set.loss, TaskLoss::squared_error);
  EXPECT_EQ(set.outputs, 1);
  EXPECT_THAT(input_shape(set), ElementsAre(8, 32, 32));
  const LoadedBatch batch = first_batch(set);
  EXPECT_EQ(batch.inputs.scalar_type(), torch::kFloat);
  EXPECT_EQ(batch.labels.scalar_type(), torch::kFloat);
  for (std::size_t i = 0; i < batch.samples.size(); ++i) {
    EXPECT_EQ(batch.labels[static_cast<std::int64_t>(i)].item<float>(),
              static_cast<float>(set.source->sample(batch.samples[i]).value));
    std::vector<float> numbers(std::size_t{8} * 32 * 32);
    set.source->read_numbers(batch.samples[i], 32, 32, numbers);
    EXPECT_TRUE(batch.inputs[static_cast<std::int64_t>(i)].flatten().equal(torch::tensor(numbers)));
  }
}

TEST_F(WildsData, OfPovertyHasTheFoldOfTheSeed) {
  const auto countries = [&](const char* fold, std::uint64_t seed) {
    return made("poverty", {{"fold", fold}}, seed).held_out.back().samples;
  };
  EXPECT_EQ(countries("seed", 1), countries("B", 7));
  EXPECT_EQ(countries("seed", 6), countries("B", 0));
  EXPECT_NE(countries("seed", 0), countries("B", 0));
  EXPECT_EQ(replicate_of(wilds_named("poverty"), "seed", 3), "fold:D");
  EXPECT_EQ(replicate_of(wilds_named("poverty"), "B", 3), "fold:B");
  EXPECT_EQ(replicate_of(wilds_named("fmow"), "seed", 3), "seed:3");
}

TEST_F(WildsData, HasTheEnvironmentsOfThePaperOrOfWilds) {
  EXPECT_EQ(made("camelyon17").train.size(), 3U);
  EXPECT_EQ(made("fmow").train.size(), 6U);  // one year of each region
  EXPECT_EQ(made("fmow", {{"wilds_environments", "wilds"}}).train.size(), 1U);
}

TEST_F(WildsData, ScoresTheSplitsThatAreNamedAndNoTrainingEnvironment) {
  const EnvironmentSet set = made("camelyon17", {{"score_splits", "id_val,val,test"}});
  ASSERT_EQ(set.held_out.size(), 3U);
  EXPECT_EQ(set.held_out[0].key, "id_val");
  EXPECT_FALSE(set.held_out[0].test);
  EXPECT_TRUE(set.held_out[2].test);
  for (const Environment& environment : set.train) {
    EXPECT_FALSE(environment.scored);
  }
  const std::vector<double> answers(set.held_out[2].samples.size(), 1.0);
  std::map<std::string, double> scores;
  for (const auto& [key, value] : set.more_scores(set.held_out[2], answers)) {
    scores[key] = value;
  }
  EXPECT_EQ(scores.size(), 2U);
  EXPECT_TRUE(scores.contains("test_acc_avg") && scores.contains("test_acc_wg"));
}

TEST_F(WildsData, OfRxRx1NormalisesEachChannelOfEachImageByItself) {
  const EnvironmentSet set = made("rxrx1");
  EXPECT_TRUE(set.loading.quarter_turns);
  EXPECT_EQ(set.loading.flip, 0.5);
  const LoadedBatch batch = first_batch(set);
  const torch::Tensor inputs = Normalisation(set.input, torch::kCPU)(batch.inputs);
  EXPECT_TRUE(torch::allclose(inputs.mean({2, 3}), torch::zeros({inputs.size(0), 3}), 0, 1e-5));
  EXPECT_TRUE(
      torch::allclose(inputs.flatten(2).std(2, /*unbiased=*/true), torch::ones({inputs.size(0), 3}), 1e-4));
  EXPECT_TRUE(normalised(set.input.options.as<ImageInput>(), batch.inputs).equal(inputs));
  // A constant channel becomes 0, not NaN.
  EXPECT_EQ(Normalisation(set.input, torch::kCPU)(torch::full({1, 3, 4, 4}, 7, torch::kByte))
                .abs()
                .max()
                .item<float>(),
            0.0F);
}

// CivilComments: a dataset with other options.
EnvironmentSet made_comments(const tests::Scratch& scratch,
                             const std::vector<std::pair<std::string, std::string>>& options = {}) {
  if (!std::filesystem::exists(scratch / "civilcomments_v1.0")) {
    generate_wilds("civilcomments", scratch.path(), {.samples = 1});
  }
  Dataset dataset = dataset_named("civilcomments");
  std::vector<std::pair<std::string, std::string>> all{
      {"data_root", scratch.path().string()},
      {"vocab", (scratch / "civilcomments_vocab.txt").string()},
      {"max_tokens", "12"}};
  all.insert(all.end(), options.begin(), options.end());
  dataset.options = base::with_changes(dataset.options, all);
  validate(dataset);
  return entry_of("civilcomments").make(dataset.options, 0);
}

TEST(WildsTexts, HaveTheEighteenEnvironmentsOfThePaperOrTheFourOfWilds) {
  const tests::Scratch scratch;
  const EnvironmentSet set = made_comments(scratch);
  const WildsSet files = read_wilds(wilds_named("civilcomments"), scratch.path());
  const WildsGroups groups = wilds_named("civilcomments").environments(files, WildsEnvironments::paper);
  ASSERT_EQ(set.train.size(), 18U);
  std::int64_t rows = 0;
  for (std::size_t e = 0; e < set.train.size(); ++e) {
    const auto expected = std::ranges::count_if(
        groups.samples[e], [&](std::size_t sample) { return files.split[sample] == Split::train; });
    EXPECT_EQ(set.train[e].inputs.size(0), expected) << groups.names[e];
    EXPECT_TRUE((set.train[e].labels == static_cast<std::int64_t>(e % 2)).all().item<bool>());
    EXPECT_FALSE(set.train[e].scored);
    rows += set.train[e].inputs.size(0);
  }
  EXPECT_GT(rows, std::ssize(files.samples_of(Split::train))) << "some comments mention two identities";
  EXPECT_EQ(made_comments(scratch, {{"wilds_environments", "wilds"}}).train.size(), 4U);
}

TEST(WildsTexts, AreTokensWithTwoOutputsAndWildsScoresOfTheirSplits) {
  const tests::Scratch scratch;
  const EnvironmentSet set = made_comments(scratch);
  EXPECT_EQ(set.loss, TaskLoss::cross_entropy);
  EXPECT_EQ(set.outputs, 2);
  EXPECT_TRUE(set.notices.empty()) << set.notices.front();
  const WildsSet files = read_wilds(wilds_named("civilcomments"), scratch.path());
  ASSERT_EQ(set.held_out.size(), 2U);
  EXPECT_EQ(set.held_out[1].key, "test");
  EXPECT_TRUE(set.held_out[1].test);
  EXPECT_EQ(set.held_out[1].samples, files.samples_of(Split::test));
  const WordPiece tokenizer = WordPiece::from_file(scratch / "civilcomments_vocab.txt");
  const std::vector<std::string_view> first{files.inputs[set.held_out[1].samples[0]]};
  EXPECT_TRUE(set.held_out[1].inputs[0].equal(token_rows(tokenizer, first, 12)[0]));
  EXPECT_EQ((set.held_out[1].inputs == tokenizer.unknown_id()).sum().item<std::int64_t>(), 0);
  // One of the sixteen groups wrong, the others right.
  std::vector<double> answers;
  for (const std::size_t sample : set.held_out[1].samples) {
    const bool black = files.value(sample, files.field("black")) == 1.0;
    const double label = files.label(sample);
    answers.push_back(black && label == 1.0 ? 0.0 : label);
  }
  std::map<std::string, double> scores;
  for (const auto& [key, value] : set.more_scores(set.held_out[1], answers)) {
    scores[key] = value;
  }
  EXPECT_EQ(scores.size(), 2U);
  EXPECT_EQ(scores.at("test_acc_wg"), 0.0);
  EXPECT_GT(scores.at("test_acc_avg"), 0.5);
}

TEST(WildsTexts, DoNotDependOnTheNumberOfThreads) {
  const tests::Scratch scratch;
  const EnvironmentSet one = made_comments(scratch, {{"workers", "1"}});
  const EnvironmentSet four = made_comments(scratch, {{"workers", "4"}});
  for (std::size_t e = 0; e < one.train.size(); ++e) {
    EXPECT_TRUE(one.train[e].inputs.equal(four.train[e].inputs));
  }
}

TEST(WildsTexts, RefuseAMissingOrOtherVocabulary) {
  const tests::Scratch scratch;
  EXPECT_THAT(
      [&] {
        (void)made_comments(scratch, {{"vocab", ""}});
      },
      ThrowsMessage<std::invalid_argument>(
          "vocab: expected BERT's vocabulary, got none; '--vocab vocab.txt' names it"));
  EXPECT_THAT(
      [&] {
        (void)made_comments(scratch, {{"vocab_sha256", std::string(64, '0')}});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("civilcomments_vocab.txt has changed")));
  std::ofstream(scratch / "other.txt") << "[PAD]\n[UNK]\n[CLS]\n[SEP]\nthe\n";
  const EnvironmentSet set = made_comments(scratch, {{"vocab", (scratch / "other.txt").string()}});
  ASSERT_EQ(set.notices.size(), 1U);
  EXPECT_THAT(set.notices[0], HasSubstr("more than a tenth of all tokens are [UNK]"));
}

TEST_F(WildsData, RefusesWhatDoesNotFit) {
  EXPECT_THAT(
      [&] {
        (void)made("poverty", {{"image_size", "100"}});
      },
      ThrowsMessage<std::invalid_argument>("image_size: expected a divisor of 224 for poverty, got 100"));
  EXPECT_THAT(
      [&] {
        (void)made("camelyon17", {{"score_splits", "val,test,train"}});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("score_splits: expected splits among")));
}

TEST(QuarterTurns, AreCounterClockwiseAndFourAreNone) {
  Image image{2, 2, {1, 1, 1, 2, 2, 2, 3, 3, 3, 4, 4, 4}};
  EXPECT_EQ(quarter_turned(image, 0).pixels, image.pixels);
  EXPECT_THAT(quarter_turned(image, 1).pixels, ElementsAre(2, 2, 2, 4, 4, 4, 1, 1, 1, 3, 3, 3));
  const Image larger = tests::picture(5, 5, 1);
  EXPECT_EQ(quarter_turned(quarter_turned(larger, 1), 3).pixels, larger.pixels);
  EXPECT_EQ(quarter_turned(quarter_turned(larger, 1), 1).pixels, quarter_turned(larger, 2).pixels);
}

// All four turns occur in training, and none in an ordered pass.
TEST_F(WildsData, TurnsTrainingImagesOnly) {
  EnvironmentSet set = made("rxrx1");
  set.loading.flip = 0.0;
  const std::size_t sample = set.train[0].samples[0];
  const Image upright = resized(set.source->read(sample), 32, 32);
  const auto as_tensor = [](const Image& image) {
    return torch::tensor(std::vector<std::uint8_t>(image.pixels)).view({32, 32, 3}).permute({2, 0, 1});
  };
  std::vector<std::vector<std::size_t>> one{{sample}};
  Loader loader = Loader::training(set.source, Sampler(one, {.seed = 3, .batch = 40}), set.loading);
  const LoadedBatch batch = loader.next().value();
  std::set<int> seen;
  for (std::int64_t i = 0; i < batch.inputs.size(0); ++i) {
    for (int turns = 0; turns < 4; ++turns) {
      if (batch.inputs[i].equal(as_tensor(quarter_turned(upright, turns)))) {
        seen.insert(turns);
      }
    }
  }
  EXPECT_THAT(seen, ElementsAre(0, 1, 2, 3));
  Loader ordered = Loader::ordered(set.source, {sample}, 1, set.loading);
  EXPECT_TRUE(ordered.next()->inputs[0].equal(as_tensor(upright)));
}

}  // namespace
}  // namespace pair::data::testing::wilds_data_test
