#include "pair/data/image_folder.h"

#include <gmock/gmock.h>

#include "tests/data/fixtures.h"
#include "tests/support/pictures.h"

namespace pair::data::testing::image_folder_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class ImageFolders : public ::testing::Test {
 protected:
  void add(const std::string& file, const Bytes& bytes = {}) {
    fs::create_directories((root / file).parent_path());
    write(root / file, bytes);
  }
  auto refuses(const std::string& sentence) {
    return ThrowsMessage<std::invalid_argument>(AllOf(HasSubstr(root.string()), HasSubstr(sentence)));
  }
  Scratch scratch;
  fs::path root = scratch / "photos";
};

std::vector<std::string> ids(const Source& source) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < source.size(); ++i) {
    all.push_back(source.sample(i).id);
  }
  return all;
}

TEST_F(ImageFolders, AreListedInTheOrderOfNames) {
  for (const char* file : {"sketch/dog/b.png", "art/dog/10.jpg", "art/dog/9.JPG", "art/cat/x.jpeg",
                           "art/Zebra/1.png", "sketch/cat/a.PNG"}) {
    add(file);
  }
  const ImageFolder folder(root);
  EXPECT_THAT(folder.environments(), ElementsAre("art", "sketch"));
  EXPECT_THAT(folder.classes(), ElementsAre("Zebra", "cat", "dog"));
  EXPECT_THAT(ids(folder), ElementsAre("art/Zebra/1.png", "art/cat/x.jpeg", "art/dog/10.jpg", "art/dog/9.JPG",
                                       "sketch/cat/a.PNG", "sketch/dog/b.png"));
  EXPECT_EQ(folder.sample(3).label, 2);
  EXPECT_EQ(folder.sample(4).label, 1);
  EXPECT_EQ(folder.sample(4).environment, 1);
  EXPECT_THROW((void)folder.sample(6), std::out_of_range);
  ASSERT_EQ(folder.missing().size(), 1U);
  EXPECT_EQ(folder.missing()[0].environment, "sketch");
  EXPECT_EQ(folder.missing()[0].class_name, "Zebra");
}

TEST_F(ImageFolders, SkipAndCountFilesThatAreNotImages) {
  add("a/x/1.png");
  add("a/y/1.png");
  add("b/x/1.png");
  add("b/x/.hidden.png");
  add("b/.cache/1.png");
  add(".git/x/1.png");
  add("b/x/Thumbs.db");
  add("b/x/1.png.txt");
  add("b/x/png");
  add("b/x/.jpg");
  add("README.md");
  add("a/labels.csv");
  add("a/x/deeper/1.png");
  fs::create_directory(root / "b/empty");
  fs::create_symlink("nothing.png", root / "a/x/dangling.png");
  const ImageFolder folder(root);
  EXPECT_THAT(ids(folder), ElementsAre("a/x/1.png", "a/y/1.png", "b/x/1.png"));
  EXPECT_EQ(folder.skipped().unknown_extensions, 3U);
  EXPECT_EQ(folder.skipped().misplaced, 4U);
  EXPECT_EQ(folder.first_misplaced(), "README.md");
  EXPECT_THAT(folder.classes(), ElementsAre("x", "y"));
}

TEST_F(ImageFolders, FollowLinksButNoCycles) {
  add("a/x/1.png");
  add("a/y/1.png");
  fs::create_directory_symlink("a", root / "b");
  fs::create_directory_symlink("..", root / "a/up");  // its folders are not images
  fs::create_directory_symlink(".", root / "a/x/again");
  fs::create_symlink("loop.png", root / "a/y/loop.png");  // a link to itself
  const ImageFolder folder(root);
  EXPECT_THAT(ids(folder), ElementsAre("a/x/1.png", "a/y/1.png", "b/x/1.png", "b/y/1.png"));
}

TEST_F(ImageFolders, AreRefusedWhereThereIsNothingToLearnFrom) {
  EXPECT_THAT([&] { ImageFolder folder(root); },
              ThrowsMessage<std::runtime_error>(HasSubstr("cannot read the folder")));
  fs::create_directories(root);
  EXPECT_THAT([&] { ImageFolder folder(root); }, refuses("at least 2 environments, got 0"));
  add("a/x/1.png");
  add("a/y/1.png");
  EXPECT_THAT([&] { ImageFolder folder(root); }, refuses("at least 2 environments, got 1"));
  fs::create_directory(root / "b");
  EXPECT_THAT([&] { ImageFolder folder(root); }, refuses("got none in the environment 'b'"));
  EXPECT_EQ(ImageFolder(root, {.keep_empty = true}).size(), 2U);
  add("b/x/1.gif");
  EXPECT_THAT([&] { ImageFolder folder(root); }, refuses("got none in the environment 'b'"));
  add("b/x/1.png");
  EXPECT_NO_THROW(ImageFolder folder(root));
  fs::remove_all(root / "a/y");
  EXPECT_THAT([&] { ImageFolder folder(root); }, refuses("at least 2 classes, got only 'x'"));
}

TEST_F(ImageFolders, KnowTheFolderOfOneEnvironment) {
  add("photo/cat/1.png");
  add("photo/dog/1.png");
  EXPECT_THAT(
      [&] { ImageFolder folder(root / "photo"); },
      refuses("got none in the environment 'cat'; this looks like the folder of one environment, give its "
              "parent"));
  EXPECT_THAT([&] { ImageFolder folder(root / "photo", {.fewest = 1}); }, refuses("give its parent"));
}

TEST_F(ImageFolders, ReadPicturesAndNameTheBrokenOnes) {
  const Image image = tests::picture(4, 6);
  add("a/x/1.png", tests::png(image));
  add("a/y/named_jpg_but.jpg", tests::png(image));
  add("b/x/cut.png", without_last(tests::png(image), 20));
  add("b/x/empty.jpg");
  const ImageFolder folder(root);
  EXPECT_EQ(folder.read(0).pixels, image.pixels);
  EXPECT_EQ(folder.read(1).pixels, image.pixels);
  const auto broken = [&](std::size_t index, const std::string& file, const std::string& reason) {
    EXPECT_THAT(
        [&] { (void)folder.read(index); },
        ThrowsMessage<BrokenImage>(AllOf(HasSubstr((root / file).string() + ": "), HasSubstr(reason))));
  };
  broken(2, "b/x/cut.png", "PNG: the file ends early");
  broken(3, "b/x/empty.jpg", "the file is empty");
  // A file that is gone is not a broken image.
  fs::remove(root / "a/x/1.png");
  try {
    (void)folder.read(0);
    FAIL();
  } catch (const BrokenImage&) {
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), HasSubstr("1.png"));
  }
  const ImageFolder small(root, {.limits = {10}});
  EXPECT_THAT([&] { (void)small.read(0); },
              ThrowsMessage<BrokenImage>(HasSubstr("expected at most 10 pixels")));
}

}  // namespace
}  // namespace pair::data::testing::image_folder_test
