#include "pair/data/store.h"

#include <gmock/gmock.h>

#include <thread>

#include "tests/data/fixtures.h"
#include "tests/support/without_permissions.h"

namespace pair::data::testing::store_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

const Download& tiny = tiny_download();
const DataFile& images = tiny.files[0];

TEST(Store, LivesWherePairDataSaysElseUnderTheHome) {
  const Variable home("HOME", "/home/someone");
  {
    const Variable data("PAIR_DATA", "/data/pair");
    EXPECT_EQ(Store::from_environment().root(), "/data/pair");
  }
  {
    const Variable data("PAIR_DATA", "");
    EXPECT_EQ(Store::from_environment().root(), "/home/someone/.cache/pair");
  }
  const Variable data("PAIR_DATA", nullptr);
  EXPECT_EQ(Store::from_environment().root(), "/home/someone/.cache/pair");
  const Variable homeless("HOME", nullptr);
  EXPECT_THAT([] { Store::from_environment(); },
              ThrowsMessage<std::runtime_error>(AllOf(HasSubstr("PAIR_DATA"), HasSubstr("HOME"))));
}

TEST(Store, ReturnsStoredFiles) {
  const Scratch scratch;
  const Store store(scratch / "not/yet/there");
  EXPECT_EQ(store.check(tiny, images).state, FileState::missing);
  store.place(tiny, images, tiny_images());
  EXPECT_EQ(store.check(tiny, images).state, FileState::right);
  EXPECT_EQ(store.read(tiny, images), tiny_images());
  EXPECT_THAT(names_in(store.folder(tiny)), ElementsAre("tiny-images")) << "and nothing besides";
}

TEST(Store, RefusesBytesThatAreNotTheFiles) {
  const Scratch scratch;
  const Store store(scratch.path());
  Bytes altered = tiny_images();
  altered.back() ^= 1U;
  EXPECT_THAT([&] { store.place(tiny, images, altered); },
              ThrowsMessage<std::runtime_error>(AllOf(HasSubstr("SHA-256"), HasSubstr(images.sha256))));
  EXPECT_THAT([&] { store.place(tiny, images, without_last(tiny_images(), 1)); },
              ThrowsMessage<std::runtime_error>(HasSubstr("is 27 bytes long; expected 28")));
  EXPECT_THAT(names_in(scratch.path()), IsEmpty());
}

TEST(Store, KeepsTheRightFileWhenAPlacingIsRefused) {
  const Scratch scratch;
  const Store store(scratch.path());
  store.place(tiny, images, tiny_images());
  EXPECT_THROW(store.place(tiny, images, tiny_labels()), std::runtime_error);
  EXPECT_EQ(store.read(tiny, images), tiny_images());
}

TEST(Store, ReplacesAWrongFile) {
  const Scratch scratch;
  const Store store(scratch.path());
  write(store.path(tiny, images), bytes_of("half"));
  EXPECT_EQ(store.check(tiny, images).state, FileState::wrong);
  store.place(tiny, images, tiny_images());
  EXPECT_EQ(store.check(tiny, images).state, FileState::right);
}

TEST(Store, DoesNotReportUnreadableFilesAsMissing) {
  const Scratch scratch;
  std::filesystem::permissions(scratch.path(), std::filesystem::perms::all);
  const Store store(scratch.path());
  store.place(tiny, images, tiny_images());
  std::filesystem::permissions(store.folder(tiny), std::filesystem::perms::none);
  const tests::WithoutPermissions nobody;
  EXPECT_THAT([&] { (void)store.read(tiny, images); },
              ThrowsMessage<std::runtime_error>(HasSubstr("Permission denied")));
  EXPECT_EQ(store.check(tiny, images).state, FileState::wrong);
}

TEST(Store, LeavesNoTraceWhenTheDiskRefuses) {
  const Scratch scratch;
  const Store store(scratch.path());
  std::filesystem::create_directories(store.path(tiny, images));  // a folder where the file should be
  EXPECT_THAT([&] { store.place(tiny, images, tiny_images()); },
              ThrowsMessage<std::runtime_error>(AllOf(HasSubstr("cannot write"), HasSubstr("tiny-images"))));
  EXPECT_THAT(names_in(store.folder(tiny)), ElementsAre("tiny-images"));
  EXPECT_EQ(store.check(tiny, images).state, FileState::wrong);

  write(scratch / "file", {});
  EXPECT_THAT([&] { Store(scratch / "file").place(tiny, images, tiny_images()); },
              ThrowsMessage<std::runtime_error>(HasSubstr("cannot create the folder")));
}

TEST(Store, IsNeverSeenHalfWrittenWhileManyPlaceTheSameFile) {
  const Scratch scratch;
  const Store store(scratch.path());
  store.place(tiny, images, tiny_images());
  std::vector<std::thread> writers;
  writers.reserve(4);
  for (int writer = 0; writer < 4; ++writer) {
    writers.emplace_back([&] {
      for (int i = 0; i < 5; ++i) {
        store.place(tiny, images, tiny_images());
      }
    });
  }
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(store.check(tiny, images).state, FileState::right);
  }
  for (std::thread& writer : writers) {
    writer.join();
  }
  EXPECT_THAT(names_in(store.folder(tiny)), ElementsAre("tiny-images"));
}

TEST(Store, SaysHowToRepairUnreadableFiles) {
  const Scratch scratch;
  const Store store(scratch.path());
  EXPECT_THAT([&] { (void)store.read(tiny, images); },
              ThrowsMessage<std::runtime_error>(
                  AllOf(HasSubstr("tiny-images is missing"), HasSubstr("'pair data get tiny' fetches it"))));
  write(store.path(tiny, images), without_last(tiny_images(), 5));
  EXPECT_THAT([&] { (void)store.read(tiny, images); },
              ThrowsMessage<std::runtime_error>(
                  AllOf(HasSubstr("is 23 bytes long; expected 28"), HasSubstr("fetches it again"))));
}

TEST(StoredMnist, IsRefusedWhereItIsMissingOrDamaged) {
  const Scratch scratch;
  const Store store(scratch.path());
  EXPECT_THAT([&] { stored_mnist(store, MnistSplit::train); },
              ThrowsMessage<std::runtime_error>(HasSubstr("'pair data get mnist' fetches it")));
  write(store.path(mnist_download(), mnist_download().files[2]), tiny_images());
  EXPECT_THAT([&] { stored_mnist(store, MnistSplit::test); },
              ThrowsMessage<std::runtime_error>(HasSubstr("is 28 bytes long; expected")));
}

TEST(Holdings, TellMissingIncompleteAndDamagedApart) {
  const Scratch scratch;
  const Store store(scratch.path());
  const auto mnist = [&] { return holdings(store).at(1); };
  EXPECT_EQ(mnist().name, "mnist");
  EXPECT_EQ(mnist().state, Holding::State::missing);
  EXPECT_EQ(mnist().where, scratch / "mnist");
  EXPECT_THAT(mnist().problems, SizeIs(4));
  write(scratch / "mnist/train-labels-idx1-ubyte", bytes_of("broken"));
  EXPECT_EQ(mnist().state, Holding::State::damaged);
  EXPECT_THAT(mnist().problems, ::testing::Contains(HasSubstr("is 6 bytes long")));
  EXPECT_EQ(to_string(mnist().state), "damaged");
}

TEST(Holdings, StartWithTheEmbeddedDigits) {
  const Holding embedded = holdings(Store("/nowhere")).at(0);
  EXPECT_EQ(embedded.name, "mnist14");
  EXPECT_EQ(embedded.state, Holding::State::ready);
  EXPECT_TRUE(embedded.where.empty());
  EXPECT_EQ(embedded.bytes, 60'000U * 197);
  EXPECT_THAT(embedded.problems, IsEmpty());
}

TEST(Download, IsFoundByName) {
  EXPECT_EQ(&download_named("mnist"), &mnist_download());
  EXPECT_THAT([] { download_named("mnsit"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("did you mean 'mnist'?")));
}

}  // namespace
}  // namespace pair::data::testing::store_test
