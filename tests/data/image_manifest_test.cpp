#include "pair/data/image_manifest.h"

#include <gmock/gmock.h>

#include <fstream>

#include "pair/data/domainbed_sets.h"
#include "pair/data/image_folder.h"
#include "tests/data/fixtures.h"
#include "tests/support/pictures.h"

namespace pair::data::testing::image_manifest_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::ThrowsMessage;

namespace fs = std::filesystem;

fs::path list_of(const Scratch& scratch, const std::string& text) {
  std::ofstream(scratch / "list.csv") << text;
  return scratch / "list.csv";
}

auto refuses_list(const std::string& sentence) {
  return ThrowsMessage<std::invalid_argument>(HasSubstr(sentence));
}

TEST(ImageManifest, ListsImagesInTheOrderOfTheFile) {
  const Scratch scratch;
  write(scratch / "b.png", tests::png(tests::picture(3, 4)));
  const ImageManifest list(list_of(scratch,
                                   "label,path,split,environment\ndog,b.png,train,zoo\n"
                                   "cat,\"sub/a, b.jpg\",id_val,zoo\ncat,c.png,test,home\n"));
  ASSERT_EQ(list.size(), 3U);
  EXPECT_TRUE(list.has_splits());
  EXPECT_THAT(list.classes(), ElementsAre("cat", "dog"));
  EXPECT_THAT(list.environments(), ElementsAre("home", "zoo"));
  EXPECT_EQ(list.sample(0).id, "b.png");
  EXPECT_EQ(list.sample(0).label, 1);
  EXPECT_EQ(list.sample(0).environment, 1);
  EXPECT_EQ(list.sample(1).id, "sub/a, b.jpg");
  EXPECT_EQ(list.sample(1).split, Split::id_val);
  EXPECT_EQ(list.sample(2).split, Split::test);
  // Relative to the list's folder.
  EXPECT_EQ(list.read(0).pixels, tests::picture(3, 4).pixels);
  EXPECT_THROW((void)list.read(2), std::runtime_error);
  EXPECT_THROW((void)list.sample(3), std::out_of_range);
}

TEST(ImageManifest, NamesTheLineOfAMistake) {
  const Scratch scratch;
  const auto read = [&](const std::string& text) {
    return [&scratch, text] { (void)ImageManifest(list_of(scratch, text)); };
  };
  EXPECT_THAT(read("file,label\na,b\n"),
              refuses_list("list.csv, line 1: expected a column 'path' with the image files, got none"));
  EXPECT_THAT(read("path,label\na,b\n"),
              refuses_list("list.csv, line 1: expected a column 'environment', got only 'path' and 'label'; "
                           "'--environment COLUMN' names another one"));
  EXPECT_THAT(read("path,label,environment\na,x,e\nb,,e\n"),
              refuses_list("line 3: expected a value in the column 'label', got none"));
  EXPECT_THAT(read("path,label,environment\na,x,e\na,y,f\n"),
              refuses_list("line 3: expected each path once, got 'a' again"));
  EXPECT_THAT(read("path,label,environment,split\na,x,e,training\n"),
              refuses_list("line 2: split: expected train, id_val, val, id_test or test, got 'training'"));
  EXPECT_THAT(read("path,label,environment\na,x,e\nb,x,f\n"),
              refuses_list("expected at least 2 classes, got 1"));
  EXPECT_THAT(read("path,label,environment\na,x,e\nb,y,e\n"),
              refuses_list("expected at least 2 environments, got 1"));
  EXPECT_THAT(read(""), refuses_list("expected a header with path, label and environment"));
}

TEST(ImageManifest, IsKnownByItsColumns) {
  const Scratch scratch;
  EXPECT_TRUE(is_image_manifest(list_of(scratch, "path,label,environment\n")));
  EXPECT_TRUE(is_image_manifest(list_of(scratch, "split;environment;label;path\n")));
  EXPECT_TRUE(is_image_manifest(list_of(scratch, "path,label,environment\na,x,e\n")));
  EXPECT_TRUE(is_image_manifest(list_of(scratch, "year,path\n2019,a/b.JPG\n")));
  EXPECT_FALSE(is_image_manifest(list_of(scratch, "path,label,environment,age\n")));
  EXPECT_FALSE(is_image_manifest(list_of(scratch, "path,label,environment,age\nleft,x,e,3\n")));
  EXPECT_FALSE(is_image_manifest(list_of(scratch, "age,label,environment\n")));
  EXPECT_FALSE(is_image_manifest(list_of(scratch, "")));
  EXPECT_FALSE(is_image_manifest(scratch / "none.csv"));
}

TEST(ImageManifest, CombinesColumnsIntoEnvironments) {
  const Scratch scratch;
  const std::string rows =
      "path,kind,site,year,note\na.png,cat,b,2019,x\nb.png,dog,a,2020,\nc.png,dog,b,2019,x\n";
  const ImageManifest list(list_of(scratch, rows), {.label = "kind", .environment = {"site", "year"}});
  EXPECT_THAT(list.environments(), ElementsAre("a/2020", "b/2019"));
  EXPECT_THAT(list.classes(), ElementsAre("cat", "dog"));
  EXPECT_EQ(list.sample(0).environment, 1);
  EXPECT_EQ(list.sample(1).environment, 0);
  EXPECT_EQ(list.sample(2).environment, 1);
  EXPECT_FALSE(list.has_splits());
  const auto read = [&](const ImageManifestOptions& options) {
    return [&scratch, &rows, options] { (void)ImageManifest(list_of(scratch, rows), options); };
  };
  EXPECT_THAT(read({.label = "kind", .environment = {"sight"}}),
              refuses_list("environment: expected a column of"));
  EXPECT_THAT(read({.label = "kind", .environment = {"note"}}),
              refuses_list("line 3: expected a value in the column 'note', got none"));
  EXPECT_THAT(read({.label = "kind", .environment = {"kind"}}),
              refuses_list("environment: expected columns that are not the label, got 'kind'"));
  EXPECT_THAT(
      [&] {
        (void)ImageManifest(list_of(scratch, "path,label,a,b\n1.png,x,p/q,r\n2.png,y,p,q/r\n"),
                            {.environment = {"a", "b"}});
      },
      refuses_list("expected names that differ when combined with '/'"));
}

TEST(ImageManifest, NamesTheLineOfAMissingFile) {
  const Scratch scratch;
  write(scratch / "a.png", {});
  const fs::path list = list_of(scratch, "path,label,environment\na.png,x,e\nb.png,y,e\nc.png,x,f\n");
  const ImageManifest images(list);
  EXPECT_THAT(images.missing(), ElementsAre(1, 2));
  EXPECT_EQ(images.line(2), 4U);
  EXPECT_THAT(
      [&] { images.require_files(); },
      refuses_list("list.csv, line 3: expected an image file, got 'b.png', which does not exist (2 such "
                   "lines); 'pair data describe "));
  EXPECT_THAT([&] { (void)images_listed_in(list); },
              refuses_list("list.csv, line 3: expected an image file, got 'b.png', which does not exist"));
  write(scratch / "b.png", {});
  write(scratch / "c.png", {});
  EXPECT_NO_THROW(images.require_files()) << "looks each time";
  EXPECT_THAT(images_listed_in(list), ElementsAre((scratch / "a.png").string(), (scratch / "b.png").string(),
                                                  (scratch / "c.png").string()));
}

// PACS in its layout, with one image per class and environment.
void make_pacs(const fs::path& root) {
  for (const char* environment : {"art_painting", "cartoon", "photo", "sketch"}) {
    for (const char* name : {"dog", "elephant", "giraffe", "guitar", "horse", "house", "person"}) {
      write(root / "PACS" / environment / name / "pic_001.jpg", tests::jpeg(tests::picture(8, 8)));
    }
  }
}

TEST(DomainBedSets, AreCheckedFolderByFolder) {
  const Scratch scratch;
  make_pacs(scratch.path());
  const CheckedSet good = check_domainbed_set(domainbed_set_named("pacs"), scratch.path());
  EXPECT_THAT(good.problems, IsEmpty());
  EXPECT_EQ(good.images, 28);
  EXPECT_THAT(good.environments,
              ElementsAre(Pair("art_painting", 7), Pair("cartoon", 7), Pair("photo", 7), Pair("sketch", 7)));
  EXPECT_THAT(good.notes, ElementsAre(HasSubstr("the published set has 9991 images, this folder 28")));

  fs::remove_all(scratch / "PACS/photo/horse");
  EXPECT_THAT(check_domainbed_set(domainbed_set_named("PACS"), scratch.path()).problems,
              ElementsAre(HasSubstr("PACS/photo: expected images of the class 'horse', got none")));
  fs::rename(scratch / "PACS/sketch", scratch / "PACS/sketches");
  EXPECT_THAT(check_domainbed_set(domainbed_set_named("PACS"), scratch.path()).problems,
              ElementsAre(HasSubstr("PACS/sketch: expected a folder of this environment, got none"),
                          HasSubstr("PACS/sketches: expected only the environments of the set")));
}

TEST(DomainBedSets, SayWhatIsMissing) {
  const Scratch scratch;
  EXPECT_THAT(
      check_domainbed_set(domainbed_set_named("OfficeHome"), scratch.path()).problems,
      ElementsAre(HasSubstr("office_home: expected the folder of OfficeHome, got a path that does not")));
  EXPECT_THAT([] { (void)domainbed_set_named("PAC"); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("did you mean 'PACS'?")));
}

}  // namespace
}  // namespace pair::data::testing::image_manifest_test
