#include "pair/data/own_data.h"

#include <gmock/gmock.h>

#include <fstream>
#include <stdexcept>

#include "tests/support/scratch.h"
#include "tests/support/without_permissions.h"

namespace pair::data::own_data_test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;
using tests::Scratch;
using Role = OwnColumn::Role;

void write_file(const fs::path& path, const std::string& text) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

// 30 rows in three sites, each with its own name; the age of the second is missing.
std::string patients() {
  std::string text = "id,site,age,sex,seen,outcome\n";
  for (int i = 0; i < 30; ++i) {
    text += "P" + std::to_string(i) + "," + "abc"[i % 3] + "," + (i == 1 ? "" : std::to_string(30 + i)) +
            "," + (i % 2 == 0 ? "F" : "M") + ",2021-03-" + std::to_string(10 + i % 20) + "," +
            (i % 5 < 2 ? "yes" : "no") + "\n";
  }
  return text;
}

TEST(OwnData, WithoutALabelDescribesTheColumns) {
  const Scratch scratch;
  write_file(scratch / "p.csv", patients());
  const OwnData data = describe_own_data({.path = scratch / "p.csv"});
  EXPECT_EQ(data.kind, "table");
  EXPECT_EQ(data.samples, 30U);
  ASSERT_THAT(data.columns, SizeIs(6));
  EXPECT_EQ(data.columns[0].kind, ColumnKind::category);
  EXPECT_EQ(data.columns[0].categories, 30U);
  EXPECT_THAT(data.columns[0].examples, ElementsAre("P0", "P1", "P2", "P3", "P4"));
  const OwnColumn& age = data.columns[2];
  EXPECT_EQ(age.kind, ColumnKind::number);
  EXPECT_EQ(age.missing, 1U);
  EXPECT_EQ(age.low, 30.0);
  EXPECT_EQ(age.high, 59.0);
  EXPECT_NEAR(age.mean, (30 * 44.5 - 31) / 29, 1e-12);
  EXPECT_FALSE(data.task);
  EXPECT_THAT(data.problems, IsEmpty()) << "what the columns are for is not known";
}

TEST(OwnData, CountsRowsPerEnvironmentAndClassAndListsAllProblems) {
  const Scratch scratch;
  write_file(scratch / "p.csv", patients());
  OwnDataRequest request{.path = scratch / "p.csv", .label = "outcome", .environment = {"site"}};
  const OwnData data = describe_own_data(request);
  EXPECT_EQ(data.task, TableTask::classification);
  EXPECT_THAT(data.classes, ElementsAre("no", "yes"));
  ASSERT_THAT(data.environments, SizeIs(3));
  EXPECT_EQ(data.environments[0].name, "a");
  EXPECT_EQ(data.environments[0].samples, 10U);
  EXPECT_THAT(data.environments[0].classes, ElementsAre(6, 4));
  EXPECT_EQ(data.columns[1].role, Role::environment);
  EXPECT_EQ(data.columns[5].role, Role::label);
  ASSERT_THAT(data.problems, SizeIs(2));
  EXPECT_THAT(data.problems[0], HasSubstr("column 'id': expected categories that several rows share"));
  EXPECT_THAT(data.problems[1], HasSubstr("column 'seen': expected numbers or categories, got dates"));
  EXPECT_THAT(data.notes, ElementsAre("--ignore id,seen leaves these columns out"));
  request.ignore = {"seen"};
  EXPECT_THAT(describe_own_data(request).notes, ElementsAre("--ignore seen,id leaves this column out"));
  request.ignore = {"id", "seen"};
  const OwnData ready = describe_own_data(request);
  EXPECT_THAT(ready.problems, IsEmpty());
  EXPECT_EQ(ready.columns[0].role, Role::ignored);
  EXPECT_FALSE(ready.columns[0].kind);
}

TEST(OwnData, WarnsAboutTextAmongNumbers) {
  const Scratch scratch;
  std::string text = "site,age,ms,outcome\n";
  for (int i = 0; i < 60; ++i) {
    text += std::string(1, "abc"[i % 3]) + "," + (i == 30 ? "unknown" : std::to_string(30 + i % 20)) + "," +
            (i == 10 ? "?" : std::to_string(i)) + (i % 5 < 2 ? ",yes\n" : ",no\n");
  }
  write_file(scratch / "p.csv", text);
  const auto age =
      HasSubstr("warning: column 'age': 59 of 60 cells are numbers; line 32 has 'unknown', so it is");
  OwnDataRequest request{.path = scratch / "p.csv"};
  EXPECT_THAT(describe_own_data(request).notes, ElementsAre(age, HasSubstr("column 'ms': 59 of 60 cells")));
  request.label = "outcome";
  request.environment = {"site"};
  const OwnData data = describe_own_data(request);
  EXPECT_THAT(data.notes, ElementsAre(age));
  EXPECT_THAT(data.problems,
              ElementsAre(HasSubstr("got 60 texts in 60 rows; 59 of 60 cells are numbers; line 12 has '?'")));
}

TEST(OwnData, SaysWhatTrainingRefuses) {
  const Scratch scratch;
  const auto problems = [&](const std::string& text) {
    write_file(scratch / "p.csv", text);
    return describe_own_data({.path = scratch / "p.csv", .label = "y", .environment = {"e"}}).problems;
  };
  // Rows of both environments and classes. A fifth can be held out of 5 per environment, and not of 4.
  const auto rows = [](int each) {
    std::string text;
    for (int i = 0; i < 2 * each; ++i) {
      text += std::string(i % 2 == 0 ? "a," : "b,") + std::to_string(i) + (i % 4 < 2 ? ",0\n" : ",1\n");
    }
    return text;
  };
  EXPECT_THAT(problems("e,x,y\n" + rows(5)), IsEmpty());
  EXPECT_THAT(problems("e,x,y\n" + rows(4)), ElementsAre(HasSubstr("holdout: expected a share")));
  EXPECT_THAT(
      problems("e,x,y\na,1,0\nb,2,\n" + rows(5)),
      ElementsAre(HasSubstr("label 'y': expected a value in every row, got 1 row without, in line 3")));
  EXPECT_THAT(problems("e,x,y\na,1,0\na,2,1\n"), ElementsAre(HasSubstr("expected at least 2 environments")));
  EXPECT_THAT(problems("e,y\na,0\nb,1\n"),
              ::testing::Contains(HasSubstr("expected columns besides label and environment, got none")));
  std::string constant = "e,x,z,y\n";
  std::string many = "e,x,y\n";
  for (int i = 0; i < 5000; ++i) {
    const std::string rest = "," + std::to_string(i % 2) + "\n";
    constant += (i % 4 < 2 ? "a,1," : "b,1,") + std::to_string(i) + rest;
    many += (i % 4 < 2 ? "a,c" : "b,c") + std::to_string(i % 1500) + rest;
  }
  EXPECT_THAT(problems(constant),
              ElementsAre(HasSubstr("column 'x': expected values that differ, got the same in every row")));
  EXPECT_THAT(problems(many),
              ElementsAre(HasSubstr("column 'x': expected at most 1000 categories, got 1500")));
}

TEST(OwnData, KnowsARegressionByTheMeansOfItsEnvironments) {
  const Scratch scratch;
  std::string text = "e,x,y\n";
  for (int i = 0; i < 60; ++i) {
    text += (i % 2 == 0 ? "a," : "b,") + std::to_string(i) + "," +
            std::to_string((i % 2 == 0 ? 10 : 20) + i % 7) + ".5\n";
  }
  write_file(scratch / "p.csv", text);
  const OwnData data = describe_own_data({.path = scratch / "p.csv", .label = "y", .environment = {"e"}});
  EXPECT_EQ(data.task, TableTask::regression);
  ASSERT_THAT(data.environments, SizeIs(2));
  EXPECT_NEAR(data.environments[1].mean - data.environments[0].mean, 10.0, 1.0);
}

TEST(OwnData, TextsAreNotReadAsCategories) {
  const Scratch scratch;
  std::string text = "comment,source,toxic\n";
  for (int i = 0; i < 40; ++i) {
    text += "\"text, " + std::to_string(i) + "\"," + (i % 2 == 0 ? "a" : "b") + "," +
            (i % 3 == 0 ? "1" : "0") + "\n";
  }
  write_file(scratch / "c.csv", text);
  const OwnData data = describe_own_data(
      {.path = scratch / "c.csv", .label = "toxic", .environment = {"source"}, .text = "comment"});
  EXPECT_EQ(data.kind, "text");
  EXPECT_EQ(data.columns[0].role, Role::text);
  EXPECT_THAT(data.problems, IsEmpty());
  EXPECT_THAT(data.environments, SizeIs(2));
}

TEST(OwnData, CountsImagesWithoutOpeningThem) {
  const Scratch scratch;
  for (const char* file :
       {"art/cat/1.png", "art/cat/2.png", "art/dog/1.jpg", "photo/cat/1.png", "photo/notes.txt"}) {
    write_file(scratch.path() / "pets" / file, "not an image");
  }
  const OwnData data = describe_own_data({.path = scratch / "pets"});
  EXPECT_EQ(data.kind, "images");
  EXPECT_EQ(data.samples, 4U);
  EXPECT_THAT(data.classes, ElementsAre("cat", "dog"));
  EXPECT_THAT(data.environments[0].classes, ElementsAre(2, 1));
  EXPECT_THAT(data.problems, IsEmpty());
  EXPECT_THAT(data.notes,
              ElementsAre(HasSubstr("'photo' without 'dog'"),
                          HasSubstr("not at ENVIRONMENT/CLASS/FILE: 1, the first is 'photo/notes.txt'")));
}

TEST(OwnData, FindsImagesOfAListThatDoNotExist) {
  const Scratch scratch;
  write_file(scratch.path() / "images/1.png", "x");
  write_file(scratch / "list.csv",
             "path,label,environment\nimages/1.png,cat,zoo\nimages/2.png,dog,zoo\nimages/3.png,dog,street\n");
  const OwnData data = describe_own_data({.path = scratch / "list.csv"});
  EXPECT_EQ(data.samples, 3U);
  EXPECT_THAT(
      data.problems,
      ElementsAre("images that do not exist: 2 ('images/2.png' in line 3, 'images/3.png' in line 4)"));
  const OwnData table = describe_own_data({.path = scratch / "list.csv", .ignore = {"path"}});
  EXPECT_EQ(table.kind, "table");
  EXPECT_THAT(table.notes,
              ::testing::Contains(HasSubstr("is a list of images, which takes neither --text nor --ignore")));
}

TEST(OwnData, CountsImagesOfAListByTheColumnsThatAreNamed) {
  const Scratch scratch;
  write_file(scratch / "1.png", "x");
  write_file(scratch / "2.png", "x");
  write_file(scratch / "list.csv", "path,kind,site,year\n1.png,cat,a,2019\n2.png,dog,b,2020\n");
  const OwnData data =
      describe_own_data({.path = scratch / "list.csv", .label = "kind", .environment = {"site", "year"}});
  EXPECT_EQ(data.kind, "images");
  EXPECT_THAT(data.classes, ElementsAre("cat", "dog"));
  ASSERT_THAT(data.environments, SizeIs(2));
  EXPECT_EQ(data.environments[1].name, "b/2020");
  EXPECT_THAT(data.environments[1].classes, ElementsAre(0, 1));
  EXPECT_THAT(data.problems, IsEmpty());
  EXPECT_THAT([&] { (void)describe_own_data({.path = scratch / "list.csv"}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("expected a column 'label', got only")));
}

TEST(OwnData, DescribesTheOthersIfAnEnvironmentIsEmpty) {
  const Scratch scratch;
  for (const char* file : {"art/cat/1.png", "art/dog/1.png", "photo/cat/1.png"}) {
    write_file(scratch.path() / "pets" / file, "x");
  }
  fs::create_directories(scratch.path() / "pets/sketch");
  const OwnData data = describe_own_data({.path = scratch / "pets"});
  EXPECT_EQ(data.samples, 3U);
  EXPECT_THAT(data.environments, SizeIs(3));
  EXPECT_THAT(data.problems, ElementsAre("environment 'sketch': expected image files (.jpg, .png, ...) in "
                                         "folders of classes, got none"));
  EXPECT_THAT(data.notes, ElementsAre(HasSubstr("without an image of a class: 1, 'photo' without 'dog'")));
  fs::remove_all(scratch.path() / "pets/art");
  fs::remove_all(scratch.path() / "pets/photo");
  EXPECT_THAT([&] { (void)describe_own_data({.path = scratch / "pets"}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("got none in the environment 'sketch'")));
}

TEST(OwnData, RefusesWhatIsNotData) {
  const Scratch scratch;
  write_file(scratch / "p.csv", patients());
  const auto refuses = [](const OwnDataRequest& request, const char* sentence) {
    EXPECT_THAT([&] { (void)describe_own_data(request); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(sentence)));
  };
  refuses({.path = scratch / "none.csv"}, "which does not exist");
  refuses({.path = "/dev/null"}, "which is a device or pipe");
  fs::permissions(scratch.path(), fs::perms::all);
  fs::create_directory(scratch / "closed");
  fs::permissions(scratch / "closed", fs::perms::none);
  {
    const tests::WithoutPermissions nobody;
    refuses({.path = scratch / "closed/p.csv"}, "which cannot be read: Permission denied");
  }
  refuses({.path = scratch / "p.csv", .label = "outcom"}, "did you mean 'outcome'?");
  refuses({.path = scratch / "p.csv", .environment = {"hospital"}}, "environment: expected a column of");
  refuses({.path = scratch / "p.csv", .ignore = {"x"}}, "ignore: expected a column of");
  refuses({.path = scratch.path(), .label = "outcome"}, "which is a folder");
  write_file(scratch / "0.png", "\x89PNG\r\n\x1a\n");
  refuses({.path = scratch / "0.png"}, "expected a CSV file or a folder of images, got '");
  refuses({.path = scratch / "0.png"}, "which is a PNG image");
}

}  // namespace
}  // namespace pair::data::own_data_test
