#include "pair/data/loader.h"

#include <gmock/gmock.h>
#include <torch/cuda.h>
#include <torch/types.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <fstream>
#include <mutex>
#include <set>
#include <thread>

#include "pair/data/image_folder.h"
#include "tests/support/pictures.h"
#include "tests/support/scratch.h"

namespace pair::data::testing::loader_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

void write_picture(const fs::path& path, const Bytes& bytes) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

// Three environments, two classes, 48 small images of different sizes, JPEG and PNG.
class Loaders : public ::testing::Test {
 protected:
  Loaders() {
    unsigned seed = 0;
    for (const char* environment : {"art", "photo", "sketch"}) {
      for (const char* class_name : {"cat", "dog"}) {
        for (int i = 0; i < 8; ++i) {
          const Image image = tests::picture(8 + i, 14 - i, ++seed);
          const bool jpeg = i % 2 == 0;
          write_picture(root() / environment / class_name / (std::to_string(i) + (jpeg ? ".jpg" : ".png")),
                        jpeg ? tests::jpeg(image) : tests::png(image));
        }
      }
    }
  }
  [[nodiscard]] fs::path root() const { return scratch.path() / "photos"; }
  [[nodiscard]] std::shared_ptr<ImageFolder> source() const { return std::make_shared<ImageFolder>(root()); }
  void damage(const std::string& file) const {
    const fs::path path = root() / file;
    fs::resize_file(path, fs::file_size(path) / 2);
  }
  tests::Scratch scratch;
};

// Of 'art' and 'sketch', on which is trained, every fifth image is held out; 'photo' is for tests.
std::vector<std::vector<std::size_t>> samples_of(const Source& source, Split split) {
  std::vector<std::vector<std::size_t>> samples(source.environments().size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    const std::int32_t environment = source.sample(i).environment;
    const Split own = environment == 1 ? Split::test : i % 5 == 4 ? Split::id_val : Split::train;
    if (own == split) {
      samples[static_cast<std::size_t>(environment)].push_back(i);
    }
  }
  std::erase_if(samples, [](const auto& list) { return list.empty(); });
  return samples;
}

std::vector<std::size_t> all_of(const Source& source, Split split) {
  std::vector<std::size_t> all;
  for (const std::vector<std::size_t>& some : samples_of(source, split)) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

Sampler training_sampler(const Source& source) {
  return {samples_of(source, Split::train), {.seed = 4, .batch = 5}};
}

LoaderOptions small(int workers = 0) {
  return {.rows = 10, .columns = 12, .flip = 0.5, .seed = 4, .workers = workers};
}

Loader training(const std::shared_ptr<const Source>& source, const LoaderOptions& options,
                std::int64_t first = 0) {
  return Loader::training(source, training_sampler(*source), options, first);
}

std::vector<LoadedBatch> several(Loader& loader, int count) {
  std::vector<LoadedBatch> batches;
  for (int i = 0; i < count; ++i) {
    batches.push_back(loader.next().value());
  }
  return batches;
}

void expect_same(const LoadedBatch& a, const LoadedBatch& b) {
  EXPECT_EQ(a.step, b.step);
  EXPECT_TRUE(torch::equal(a.inputs, b.inputs)) << a.step;
  EXPECT_TRUE(torch::equal(a.labels, b.labels)) << a.step;
  EXPECT_EQ(a.sizes, b.sizes);
  EXPECT_EQ(a.environments, b.environments);
  EXPECT_EQ(a.samples, b.samples);
}

// The image at a place as it should be, from the source alone.
torch::Tensor expected_picture(const Source& source, std::size_t sample, bool flipped) {
  Image image = resized(source.read(sample), 10, 12);
  const torch::Tensor planes =
      torch::from_blob(image.pixels.data(), {10, 12, 3}, torch::kByte).permute({2, 0, 1}).clone();
  return flipped ? planes.flip({2}) : planes;
}

TEST_F(Loaders, GiveTheSamplersPicturesLabelsAndEnvironments) {
  const auto photos = source();
  Loader loader = training(photos, small());
  const Sampler sampler = training_sampler(*photos);
  int flipped = 0;
  int places = 0;
  std::set<std::vector<bool>> patterns;
  for (std::int64_t step = 0; step < 20; ++step) {
    EXPECT_EQ(loader.step(), step);
    const LoadedBatch batch = loader.next().value();
    EXPECT_EQ(batch.step, step);
    EXPECT_EQ(batch.inputs.sizes(), (std::vector<std::int64_t>{10, 3, 10, 12}));
    EXPECT_EQ(batch.inputs.scalar_type(), torch::kByte);
    EXPECT_EQ(batch.labels.scalar_type(), torch::kLong);
    EXPECT_THAT(batch.sizes, ElementsAre(5, 5));
    EXPECT_THAT(batch.environments, ElementsAre(0, 2)) << "the test environment is left out";
    EXPECT_EQ(batch.samples, sampler.samples_of(step));
    std::vector<bool> pattern;
    for (std::size_t i = 0; i < batch.samples.size(); ++i) {
      EXPECT_EQ(batch.labels[static_cast<std::int64_t>(i)].item<std::int64_t>(),
                photos->sample(batch.samples[i]).label);
      const torch::Tensor got = batch.inputs[static_cast<std::int64_t>(i)];
      const bool plain = torch::equal(got, expected_picture(*photos, batch.samples[i], false));
      const bool mirrored = torch::equal(got, expected_picture(*photos, batch.samples[i], true));
      EXPECT_TRUE(plain != mirrored);
      flipped += mirrored ? 1 : 0;
      ++places;
      pattern.push_back(mirrored);
    }
    patterns.insert(pattern);
  }
  EXPECT_NEAR(flipped, 0.5 * places, 35) << "five standard deviations of 7";
  EXPECT_GT(patterns.size(), 15U) << "every step flips others";
  EXPECT_FALSE(loader.done());
}

TEST_F(Loaders, FlipAllOrNothingAtTheEnds) {
  const auto photos = source();
  for (const double flip : {0.0, 1.0}) {
    LoaderOptions options = small();
    options.flip = flip;
    const LoadedBatch batch = training(photos, options).next().value();
    for (std::size_t i = 0; i < batch.samples.size(); ++i) {
      EXPECT_TRUE(torch::equal(batch.inputs[static_cast<std::int64_t>(i)],
                               expected_picture(*photos, batch.samples[i], flip == 1.0)));
    }
  }
}

TEST_F(Loaders, GiveTheSameBatchesWithAnyNumberOfWorkers) {
  const auto photos = source();
  Loader plain = training(photos, small());
  const std::vector<LoadedBatch> expected = several(plain, 30);
  for (const int workers : {1, 2, 4, 9}) {
    for (const int ahead : {1, 3}) {
      LoaderOptions options = small(workers);
      options.ahead = ahead;
      Loader loader = training(photos, options);
      const std::vector<LoadedBatch> batches = several(loader, 30);
      for (std::size_t i = 0; i < expected.size(); ++i) {
        expect_same(batches[i], expected[i]);
      }
    }
  }
}

TEST_F(Loaders, ResumeWhereTheyWereStopped) {
  const auto photos = source();
  Loader whole = training(photos, small(2));
  const std::vector<LoadedBatch> expected = several(whole, 12);
  Loader resumed = training(photos, small(3), 7);
  for (std::size_t step = 7; step < 12; ++step) {
    expect_same(resumed.next().value(), expected[step]);
  }
}

TEST_F(Loaders, DependOnTheSeed) {
  const auto photos = source();
  LoaderOptions other = small();
  other.seed = 5;
  const LoadedBatch a = training(photos, small()).next().value();
  const LoadedBatch b = training(photos, other).next().value();
  EXPECT_EQ(a.samples, b.samples) << "the samples have the sampler's seed";
  EXPECT_FALSE(torch::equal(a.inputs, b.inputs));
}

TEST_F(Loaders, FailAtTheStepThatNeedsABrokenFile) {
  const auto photos = source();
  const Sampler sampler = training_sampler(*photos);
  const std::vector<std::size_t> first = sampler.samples_of(0);
  // The first step whose samples are not all in the steps before.
  std::set<std::size_t> seen;
  std::int64_t step = 0;
  std::size_t fresh = 0;
  for (;; ++step) {
    const std::vector<std::size_t> samples = sampler.samples_of(step);
    const auto found =
        std::ranges::find_if(samples, [&](std::size_t sample) { return !seen.contains(sample); });
    if (step >= 2 && found != samples.end()) {
      fresh = *found;
      break;
    }
    seen.insert(samples.begin(), samples.end());
  }
  const std::string file = photos->sample(fresh).id;
  damage(file);
  for (const int workers : {0, 1, 4}) {
    Loader loader = training(photos, small(workers));
    for (std::int64_t i = 0; i < step; ++i) {
      EXPECT_EQ(loader.next().value().step, i);
    }
    for (int time = 0; time < 2; ++time) {
      EXPECT_THAT([&] { (void)loader.next(); },
                  ThrowsMessage<std::runtime_error>(AllOf(HasSubstr(file + ": "), HasSubstr("nd"))));
    }
  }
}

TEST_F(Loaders, SkipBrokenFilesAndReportEachOnce) {
  for (const char* file : {"art/cat/0.jpg", "art/dog/3.png", "sketch/cat/5.png", "sketch/dog/2.jpg"}) {
    damage(file);
  }
  const auto photos = source();
  std::set<std::string> broken_in_training;
  for (const std::size_t sample : all_of(*photos, Split::train)) {
    try {
      (void)photos->read(sample);
    } catch (const BrokenImage&) {
      broken_in_training.insert(photos->sample(sample).id);
    }
  }
  ASSERT_GE(broken_in_training.size(), 2U);
  LoaderOptions options = small();
  options.broken = BrokenFiles::skip;
  Loader plain = training(photos, options);
  const std::vector<LoadedBatch> expected = several(plain, 30);
  const std::vector<BrokenFile> notices = plain.take_notices();
  std::set<std::string> reported;
  for (const BrokenFile& notice : notices) {
    EXPECT_TRUE(reported.insert(notice.id).second) << "each once";
    EXPECT_THAT(notice.reason, HasSubstr(notice.id + ": "));
  }
  EXPECT_EQ(reported, broken_in_training);
  EXPECT_GT(plain.skipped(), static_cast<std::int64_t>(notices.size()));
  EXPECT_THAT(plain.take_notices(), IsEmpty());
  for (const LoadedBatch& batch : expected) {
    EXPECT_THAT(batch.sizes, ElementsAre(5, 5));
    EXPECT_THAT(batch.environments, ElementsAre(0, 2));
    for (std::size_t i = 0; i < batch.samples.size(); ++i) {
      EXPECT_FALSE(broken_in_training.contains(photos->sample(batch.samples[i]).id));
      EXPECT_EQ(batch.labels[static_cast<std::int64_t>(i)].item<std::int64_t>(),
                photos->sample(batch.samples[i]).label);
    }
  }

  for (const int workers : {1, 4}) {
    options.workers = workers;
    Loader loader = training(photos, options);
    std::vector<BrokenFile> found;
    for (const LoadedBatch& batch : expected) {
      expect_same(loader.next().value(), batch);
      std::ranges::copy(loader.take_notices(), std::back_inserter(found));
    }
    EXPECT_EQ(loader.skipped(), plain.skipped());
    ASSERT_EQ(found.size(), notices.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      EXPECT_EQ(found[i].id, notices[i].id);
    }
  }
}

TEST_F(Loaders, GiveUpWhereAWholeEnvironmentIsBroken) {
  for (const auto& entry : fs::recursive_directory_iterator(root() / "sketch")) {
    if (entry.is_regular_file()) {
      fs::resize_file(entry.path(), 10);
    }
  }
  LoaderOptions options = small(2);
  options.broken = BrokenFiles::skip;
  Loader loader = training(source(), options);
  EXPECT_THAT([&] { (void)loader.next(); },
              ThrowsMessage<std::runtime_error>(
                  AllOf(HasSubstr("expected at least one valid image"), HasSubstr("sketch"))));
}

TEST_F(Loaders, DoNotTakeAMissingFileForABrokenOne) {
  const auto photos = source();
  fs::remove_all(root() / "art");
  LoaderOptions options = small(2);
  options.broken = BrokenFiles::skip;
  Loader loader = training(photos, options);
  EXPECT_THAT([&] { (void)loader.next(); }, ThrowsMessage<std::runtime_error>(HasSubstr("art")));
}

TEST_F(Loaders, PassOverASplitInOrder) {
  const auto photos = source();
  const std::vector<std::size_t> samples = all_of(*photos, Split::id_val);
  ASSERT_EQ(samples.size(), 6U);
  for (const int workers : {0, 1, 4}) {
    Loader loader = Loader::ordered(photos, samples, 4, small(workers));
    std::vector<std::size_t> seen;
    std::vector<std::int64_t> counts;
    while (const auto batch = loader.next()) {
      counts.push_back(batch->inputs.size(0));
      for (std::size_t i = 0; i < batch->samples.size(); ++i) {
        EXPECT_TRUE(torch::equal(batch->inputs[static_cast<std::int64_t>(i)],
                                 expected_picture(*photos, batch->samples[i], false)));
      }
      seen.insert(seen.end(), batch->samples.begin(), batch->samples.end());
      if (batch->step == 0) {
        EXPECT_THAT(batch->sizes, ElementsAre(3, 1));
        EXPECT_THAT(batch->environments, ElementsAre(0, 2));
      }
    }
    EXPECT_TRUE(loader.done());
    EXPECT_EQ(seen, samples);
    EXPECT_THAT(counts, ElementsAre(4, 2));
    EXPECT_FALSE(loader.next().has_value());
  }
  EXPECT_TRUE(Loader::ordered(photos, {}, 4, small(2)).done());
}

TEST_F(Loaders, LeaveBrokenFilesOutOfAnOrderedPass) {
  damage("photo/cat/1.png");
  damage("photo/cat/2.jpg");
  damage("photo/cat/3.png");
  const auto photos = source();
  const std::vector<std::size_t> samples = all_of(*photos, Split::test);
  ASSERT_EQ(samples.size(), 16U);
  LoaderOptions options = small(3);
  EXPECT_THAT([&] { (void)Loader::ordered(photos, samples, 3, options).next(); },
              ThrowsMessage<std::runtime_error>(HasSubstr("photo/cat/1.png")));
  options.broken = BrokenFiles::skip;
  // Three at a time, the second to fourth are broken; one at a time, whole batches are.
  for (const std::int64_t batch_size : {1, 3}) {
    Loader loader = Loader::ordered(photos, samples, batch_size, options);
    std::vector<std::string> seen;
    while (const auto batch = loader.next()) {
      ASSERT_EQ(batch->inputs.size(0), static_cast<std::int64_t>(batch->samples.size()));
      ASSERT_GT(batch->inputs.size(0), 0);
      for (std::size_t i = 0; i < batch->samples.size(); ++i) {
        seen.push_back(photos->sample(batch->samples[i]).id);
        EXPECT_TRUE(torch::equal(batch->inputs[static_cast<std::int64_t>(i)],
                                 expected_picture(*photos, batch->samples[i], false)));
      }
    }
    EXPECT_EQ(seen.size(), 13U);
    EXPECT_EQ(seen[1], "photo/cat/4.jpg");
    EXPECT_EQ(loader.skipped(), 3);
    EXPECT_EQ(loader.take_notices().size(), 3U);
  }
}

TEST_F(Loaders, RefuseOptionsOutOfRange) {
  const auto photos = source();
  const auto refused = [&](auto change, const std::string& sentence) {
    LoaderOptions options = small();
    change(options);
    EXPECT_THAT([&] { (void)training(photos, options); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(sentence)));
  };
  refused([](LoaderOptions& options) { options.rows = 0; },
          "rows: expected an integer from 1 to 16384, got 0");
  refused([](LoaderOptions& options) { options.columns = 20'000; },
          "columns: expected an integer from 1 to 16384");
  refused([](LoaderOptions& options) { options.workers = -1; },
          "workers: expected an integer from 0 to 256, got -1");
  refused([](LoaderOptions& options) { options.ahead = 0; },
          "ahead: expected an integer from 1 to 64, got 0");
  refused([](LoaderOptions& options) { options.flip = 1.5; },
          "flip: expected a probability from 0 to 1, got 1.5");
  if (!torch::cuda::is_available()) {
    refused([](LoaderOptions& options) { options.pinned = true; }, "pinned: expected a CUDA device");
  }
  EXPECT_THROW((void)training(photos, small(), -1), std::invalid_argument);
  EXPECT_THROW((void)Loader::ordered(photos, {0}, 0, small()), std::invalid_argument);
}

TEST_F(Loaders, InPinnedMemoryWhereThereIsADevice) {
  if (!torch::cuda::is_available()) {
    GTEST_SKIP() << "no CUDA device here";
  }
  LoaderOptions options = small(2);
  options.pinned = true;
  const LoadedBatch batch = training(source(), options).next().value();
  EXPECT_TRUE(batch.inputs.is_pinned() && batch.labels.is_pinned());
}

// A source whose reading waits until the test lets it: two environments, a sample each.
class GatedSource : public Source {
 public:
  [[nodiscard]] std::size_t size() const override { return 2; }
  [[nodiscard]] SampleInfo sample(std::size_t index) const override {
    return {std::to_string(index), 0, static_cast<std::int32_t>(index), Split::train};
  }
  [[nodiscard]] std::span<const std::string> classes() const override { return names_; }
  [[nodiscard]] std::span<const std::string> environments() const override { return names_; }
  [[nodiscard]] Image read(std::size_t /*index*/) const override {
    std::unique_lock lock(mutex_);
    ++begun_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return open_; });
    ++ended_;
    return {2, 2, std::vector<std::uint8_t>(12, 9)};
  }
  void open() const {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void wait_until_begun(int count) const {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return begun_ >= count; });
  }
  [[nodiscard]] int begun() const {
    const std::lock_guard lock(mutex_);
    return begun_;
  }
  [[nodiscard]] int ended() const {
    const std::lock_guard lock(mutex_);
    return ended_;
  }

 private:
  std::vector<std::string> names_{"a", "b"};
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  mutable bool open_ = false;
  mutable int begun_ = 0;
  mutable int ended_ = 0;
};

// Batches of five samples from each environment, which has one.
Loader training_on_gated(const std::shared_ptr<const Source>& source, int workers, std::int64_t first = 0) {
  return Loader::training(source, Sampler({{0}, {1}}, {.seed = 4, .batch = 5}),
                          {.rows = 2, .columns = 2, .workers = workers, .ahead = 4}, first);
}

TEST(LoaderThreads, AreAllGoneWithTheLoader) {
  const auto source = std::make_shared<GatedSource>();
  std::jthread opener;
  {
    Loader loader = training_on_gated(source, 3);
    source->wait_until_begun(3);
    // The destructor has to wait for what has begun.
    opener = std::jthread([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(30));
      source->open();
    });
  }
  const int begun = source->begun();
  EXPECT_EQ(begun, source->ended()) << "nobody is left in read()";
  EXPECT_EQ(source.use_count(), 1);
}

TEST(LoaderThreads, ReadNoFurtherThanTheBatchesAhead) {
  const auto source = std::make_shared<GatedSource>();
  source->open();
  Loader loader = training_on_gated(source, 2);
  source->wait_until_begun(40);
  (void)loader.next();
  source->wait_until_begun(50);
  // No work is left now. A worker that continued nevertheless would show here, if not in every run.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(source->begun(), 50);
}

TEST(LoaderThreads, LetTheCallerStopWaiting) {
  const auto source = std::make_shared<GatedSource>();
  Loader loader = training_on_gated(source, 2);
  int asked = 0;
  EXPECT_FALSE(loader.next([&] { return ++asked == 3; }).has_value());
  EXPECT_EQ(asked, 3);
  EXPECT_FALSE(loader.done());
  EXPECT_EQ(loader.step(), 0);
  source->open();
  EXPECT_EQ(loader.next([] { return false; }).value().step, 0) << "a later call continues";
  EXPECT_EQ(loader.next().value().step, 1);
}

TEST(LoaderThreads, LetTheCallerStopWithoutWorkersToo) {
  const auto source = std::make_shared<GatedSource>();
  source->open();
  Loader loader = training_on_gated(source, 0);
  int asked = 0;
  EXPECT_FALSE(loader.next([&] { return ++asked == 4; }).has_value());
  EXPECT_EQ(source->begun(), 3);
  EXPECT_EQ(loader.next().value().step, 0);
  EXPECT_EQ(source->begun(), 10) << "what was read is not read again";
}

TEST(LoaderThreads, MayBeMovedAndDroppedAtAnyMoment) {
  const auto source = std::make_shared<GatedSource>();
  source->open();
  for (int i = 0; i < 100; ++i) {
    Loader loader = training_on_gated(source, 1 + i % 4, i);
    for (int step = 0; step < i % 5; ++step) {
      EXPECT_EQ(loader.next().value().step, i + step);
    }
    Loader moved = std::move(loader);
    EXPECT_EQ(moved.step(), i + i % 5);
  }
  EXPECT_EQ(source.use_count(), 1);
}

// With a smaller size, so that files are decoded at half of theirs.
TEST_F(Loaders, DecodeFastInTrainingAloneAndTheSameForAnyNumberOfWorkers) {
  const auto photos = source();
  LoaderOptions fast = small();
  fast.rows = 3;
  fast.columns = 3;
  fast.augment = domainbed_augmentation;
  fast.fast_decode = true;
  LoaderOptions exact = fast;
  exact.fast_decode = false;
  LoaderOptions many = fast;
  many.workers = 3;
  Loader one = training(photos, fast);
  Loader other = training(photos, many);
  Loader slow = training(photos, exact);
  for (int i = 0; i < 6; ++i) {
    const LoadedBatch batch = one.next().value();
    expect_same(batch, other.next().value());
    const LoadedBatch exactly = slow.next().value();
    EXPECT_EQ(batch.samples, exactly.samples);
    EXPECT_TRUE(torch::equal(batch.labels, exactly.labels));
  }
  Loader in_order = Loader::ordered(photos, {0, 1, 2}, 3, fast);
  Loader exactly = Loader::ordered(photos, {0, 1, 2}, 3, exact);
  expect_same(in_order.next().value(), exactly.next().value());
}

}  // namespace
}  // namespace pair::data::testing::loader_test
