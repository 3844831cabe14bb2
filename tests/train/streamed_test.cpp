// Training on images that are read while it runs.

#include <gmock/gmock.h>
#include <torch/types.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "pair/data/environment.h"
#include "pair/data/image_folder.h"
#include "pair/data/registry.h"
#include "pair/models/registry.h"
#include "pair/objectives/registry.h"
#include "pair/train/interrupted.h"
#include "pair/train/trainer.h"
#include "tests/support/pictures.h"
#include "tests/support/scratch.h"

namespace pair::train::streamed_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

// Three environments, two classes, 48 small images of different sizes; the environment 0 is for tests.
class Streamed : public ::testing::Test {
 protected:
  Streamed() {
    unsigned seed = 0;
    for (const char* environment : {"art", "photo", "sketch"}) {
      for (const char* class_name : {"cat", "dog"}) {
        for (int i = 0; i < 8; ++i) {
          const data::Image image = tests::picture(8 + i, 14 - i, ++seed);
          const fs::path path = root() / environment / class_name / (std::to_string(i) + ".png");
          const data::Bytes bytes = tests::png(image);
          fs::create_directories(path.parent_path());
          std::ofstream(path, std::ios::binary)
              .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        }
      }
    }
  }

  [[nodiscard]] fs::path root() const { return scratch.path() / "photos"; }
  void damage(const std::string& file) const {
    fs::resize_file(root() / file, fs::file_size(root() / file) / 2);
  }

  // With 'images' as users have it.
  using Given = std::vector<std::pair<std::string, std::string>>;
  [[nodiscard]] data::Dataset dataset(const Given& options = {}) const {
    data::Dataset made = data::dataset_named("images");
    made.options.set_text(*made.options.find("folder"), root().string());
    made.options.set_text(*made.options.find("image_size"), "6");
    for (const auto& [name, value] : options) {
      made.options.set_text(*made.options.find(name), value);
    }
    return made;
  }
  [[nodiscard]] std::shared_ptr<const data::EnvironmentSet> pictures(const Given& options = {},
                                                                     std::uint64_t seed = 1) const {
    const data::Dataset made = dataset(options);
    data::validate(made);
    return std::make_shared<const data::EnvironmentSet>(data::entry_of("images").make(made.options, seed));
  }

  tests::Scratch scratch;
};

Settings streamed_settings() {
  Settings settings;
  settings.steps = 12;
  settings.pretrain = 5;
  settings.batch = 3;
  settings.model_options = models::options_of("mlp", {{"width", "8"}});
  settings.balance_lr = 0.05;
  return settings;
}

// All numbers of evaluations at several steps, the last among them.
std::vector<double> numbers_of(const Evaluation& evaluation) {
  std::vector<double> numbers = {evaluation.loss, evaluation.mean_loss, evaluation.divergence};
  for (const auto* list :
       {&evaluation.losses, &evaluation.weights, &evaluation.mean_losses, &evaluation.held_out_losses}) {
    numbers.insert(numbers.end(), list->begin(), list->end());
  }
  for (const Score& score : evaluation.scores) {
    numbers.push_back(score.value);
  }
  return numbers;
}

std::vector<double> numbers_of_training(Trainer& trainer) {
  std::vector<double> numbers;
  while (!trainer.finished()) {
    trainer.advance();
    if (trainer.step() % 4 == 0) {
      const std::vector<double> more = numbers_of(trainer.evaluate());
      numbers.insert(numbers.end(), more.begin(), more.end());
    }
  }
  return numbers;
}

std::vector<double> trained_on(std::shared_ptr<const data::EnvironmentSet> data,
                               const Settings& settings = streamed_settings(), std::uint64_t seed = 1) {
  Trainer trainer(std::move(data), settings, seed);
  return numbers_of_training(trainer);
}

// The same images as tensors in memory.
std::shared_ptr<const data::EnvironmentSet> resident(const data::EnvironmentSet& streamed) {
  data::EnvironmentSet set = streamed;
  for (auto* environments : {&set.train, &set.held_out}) {
    for (data::Environment& environment : *environments) {
      data::Loader loader = data::Loader::ordered(set.source, environment.samples, 1000, set.loading);
      const std::optional<data::LoadedBatch> all = loader.next();
      environment.inputs = all->inputs;
      environment.labels = all->labels;
      environment.samples.clear();
    }
  }
  set.source = nullptr;
  return std::make_shared<const data::EnvironmentSet>(std::move(set));
}

TEST_F(Streamed, SetsHaveTheKeysOfRecords) {
  const auto set = pictures({{"test_envs", "1"}});
  std::vector<std::string> train;
  std::vector<std::string> held_out;
  for (const data::Environment& environment : set->train) {
    train.push_back(environment.key + " " + std::to_string(environment.samples.size()));
  }
  for (const data::Environment& environment : set->held_out) {
    held_out.push_back(environment.key + " " + std::to_string(environment.samples.size()) +
                       (environment.test ? " test" : ""));
  }
  EXPECT_THAT(train, ElementsAre("env0_in 13", "env2_in 13"));
  EXPECT_THAT(held_out, ElementsAre("env0_out 3", "env1_in 13 test", "env1_out 3", "env2_out 3"));
  EXPECT_EQ(set->outputs, 2);
  EXPECT_THAT(data::input_shape(*set), ElementsAre(3, 6, 6));
}

TEST_F(Streamed, TrainingIsThatOnTheSamePicturesInMemory) {
  const auto set = pictures({{"flip", "0"}});
  // A matrix product of other rows may round differently.
  EXPECT_THAT(trained_on(set), ::testing::Pointwise(::testing::DoubleNear(1e-6), trained_on(resident(*set))));
  EXPECT_EQ(Trainer(set, streamed_settings(), 1).evaluate().held_out_losses.size(), 3U);
}

TEST_F(Streamed, SamplesThatMeasureAreThoseOfTheSamePicturesInMemory) {
  const auto set = pictures({{"flip", "0"}});
  Settings settings = streamed_settings();
  const std::vector<double> plain = trained_on(set, settings);
  settings.measure_share = 0.3;
  settings.measure_rotate = 4;
  const std::vector<double> measured = trained_on(set, settings);
  EXPECT_THAT(measured,
              ::testing::Pointwise(::testing::DoubleNear(1e-6), trained_on(resident(*set), settings)));
  EXPECT_NE(measured, plain);
}

TEST_F(Streamed, TrainingDoesNotDependOnTheNumberOfWorkers) {
  const std::vector<double> alone = trained_on(pictures({{"workers", "0"}}));
  EXPECT_EQ(alone, trained_on(pictures({{"workers", "1"}})));
  EXPECT_EQ(alone, trained_on(pictures({{"workers", "3"}})));
  EXPECT_NE(alone, trained_on(pictures({{"workers", "0"}, {"flip", "0"}})));
  EXPECT_NE(alone, trained_on(pictures({{"workers", "0"}}), streamed_settings(), 2));
}

TEST_F(Streamed, TrainingTakesSomeOfTheEnvironmentsPerStep) {
  Settings one = streamed_settings();
  one.environments = 1;
  EXPECT_EQ(trained_on(pictures({{"workers", "0"}}), one), trained_on(pictures({{"workers", "2"}}), one));
  EXPECT_NE(trained_on(pictures(), one), trained_on(pictures()));
  one.environments = 3;
  EXPECT_THAT(
      [&] { Trainer(pictures(), one, 1); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("environments: expected an integer from 0 to 2")));
}

TEST_F(Streamed, TrainingResumesExactlyAtAnyStep) {
  Trainer whole(pictures({{"workers", "2"}}), streamed_settings(), 1);
  std::vector<std::string> states;
  for (int step = 0; step < 12; ++step) {
    std::ostringstream state;
    whole.save(state);
    states.push_back(state.str());
    whole.advance();
  }
  const std::vector<double> expected = numbers_of(whole.evaluate());
  for (const std::size_t step : {std::size_t{0}, std::size_t{3}, std::size_t{8}, std::size_t{11}}) {
    Trainer resumed(pictures({{"workers", "3"}}), streamed_settings(), 1);
    resumed.advance();  // to another step than the one that is loaded
    resumed.advance();
    std::istringstream state(states[step]);
    resumed.load(state);
    while (!resumed.finished()) {
      resumed.advance();
    }
    // Means since the last evaluation are part of the state.
    EXPECT_EQ(numbers_of(resumed.evaluate()), expected) << "from step " << step;
  }
}

TEST_F(Streamed, TrainingNeedsMinibatches) {
  Settings all = streamed_settings();
  all.batch = 0;
  EXPECT_THAT([&] { Trainer(pictures(), all, 1); },
              ThrowsMessage<std::invalid_argument>(HasSubstr(
                  "batch: expected 1 or more with 'images', whose samples are read during training, "
                  "got 0")));
}

TEST_F(Streamed, ABrokenFileEndsTheRunWithItsName) {
  for (int i = 0; i < 8; ++i) {
    damage("photo/cat/" + std::to_string(i) + ".png");
  }
  for (const char* workers : {"0", "2"}) {
    Trainer trainer(pictures({{"workers", workers}}), streamed_settings(), 1);
    EXPECT_THAT([&] { (void)trainer.evaluate(); },
                ThrowsMessage<std::runtime_error>(HasSubstr("photos/photo/cat/")));
    const auto train = [&trainer] {
      while (!trainer.finished()) {
        trainer.advance();
      }
    };
    EXPECT_THAT(train, ThrowsMessage<std::runtime_error>(HasSubstr("photos/photo/cat/")));
  }
}

TEST_F(Streamed, BrokenFilesAreSkippedCountedAndReportedOnce) {
  damage("photo/cat/2.png");
  damage("sketch/dog/5.png");
  std::vector<std::vector<double>> numbers;
  for (const char* workers : {"0", "3"}) {
    Trainer trainer(pictures({{"workers", workers}, {"broken", "skip"}}), streamed_settings(), 1);
    numbers.push_back(numbers_of_training(trainer));
    const std::vector<std::string> notices = trainer.take_notices();
    ASSERT_EQ(notices.size(), 2U);
    std::string text = notices[0] + "\n" + notices[1];
    EXPECT_THAT(text, AllOf(HasSubstr("skipped a broken file (1 so far): "),
                            HasSubstr("skipped a broken file (2 so far): "), HasSubstr("photo/cat/2.png"),
                            HasSubstr("sketch/dog/5.png")));
    (void)trainer.evaluate();
    EXPECT_THAT(trainer.take_notices(), IsEmpty());
  }
  EXPECT_EQ(numbers[0], numbers[1]);
}

TEST_F(Streamed, AnEnvironmentOfBrokenFilesAloneHasNoScore) {
  for (const char* class_name : {"cat", "dog"}) {
    for (int i = 0; i < 8; ++i) {
      damage("art/" + std::string(class_name) + "/" + std::to_string(i) + ".png");
    }
  }
  Trainer trainer(pictures({{"broken", "skip"}}), streamed_settings(), 1);
  EXPECT_THAT([&] { (void)trainer.evaluate(); },
              ThrowsMessage<std::runtime_error>(
                  HasSubstr("env0_in: expected at least one valid image, got 13 broken ones")));
}

TEST_F(Streamed, StopsWhileItReadsAndContinuesAsIfItHadNot) {
  const std::vector<double> expected = trained_on(pictures());
  for (const char* workers : {"0", "2"}) {
    Trainer trainer(pictures({{"workers", workers}}), streamed_settings(), 1);
    const auto stop = [] { return true; };
    if (workers[0] == '0') {  // else the batch may be there before anybody is asked
      EXPECT_THROW(trainer.advance(stop), Interrupted);
      EXPECT_EQ(trainer.step(), 0);
    }
    EXPECT_THROW((void)trainer.evaluate(stop), Interrupted);
    EXPECT_EQ(numbers_of_training(trainer), expected);
  }
}

TEST_F(Streamed, TellsOfFilesThatArePassedOver) {
  std::ofstream(root() / "photo" / "cat" / "notes.txt") << "x";
  std::ofstream(root() / "readme.txt") << "x";
  fs::remove_all(root() / "art" / "dog");
  Trainer trainer(pictures(), streamed_settings(), 1);
  std::string told;
  for (const std::string& notice : trainer.take_notices()) {
    told += notice + "\n";
  }
  EXPECT_THAT(told, AllOf(HasSubstr("(.jpg, .png, ...): 1"), HasSubstr("ENVIRONMENT/CLASS/FILE: 1"),
                          HasSubstr("'art' without 'dog'")));
}

TEST_F(Streamed, ImagesRefuseWhatIsNotThere) {
  const auto refused = [this](const Given& options) { data::validate(dataset(options)); };
  const auto message = [](const std::string& text) {
    return ThrowsMessage<std::invalid_argument>(HasSubstr(text));
  };
  EXPECT_THAT([] { data::validate(data::dataset_named("images")); },
              message("folder: expected a folder that holds ENVIRONMENT/CLASS/FILE, got none"));
  EXPECT_THAT(
      [&] {
        refused({{"test_envs", "3"}});
      },
      message("test_envs: expected numbers from 0 to 2, each once, got 3"));
  EXPECT_THAT([&] { refused({{"test_envs", "0,1,2"}}); }, message("got all 3"));
  EXPECT_THAT(
      [&] {
        refused({{"image_size", "0"}});
      },
      message("image_size: expected an integer from 1 to 4096, got"));
  EXPECT_THAT([&] { refused({{"broken", "ignore"}}); }, message("broken: expected"));
  EXPECT_THAT(
      [&] {
        refused({{"folder", (root() / "nothing").string()}});
      },
      ThrowsMessage<std::runtime_error>(HasSubstr("cannot read the folder")));
  EXPECT_THAT(
      [&] {
        (void)pictures({{"holdout", "0.01"}});
      },
      message("holdout: expected a share that holds out at least one image of 'art', which has 16, got "
              "0.01"));
  EXPECT_THAT(data::environment_names(dataset()), ElementsAre("art", "photo", "sketch"));
}

}  // namespace
}  // namespace pair::train::streamed_test
