#include "pair/cli/train_data.h"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <stdexcept>

#include "pair/cli/train_arguments.h"
#include "pair/cli/train_specs.h"
#include "pair/data/sha256.h"
#include "pair/objectives/objective.h"
#include "pair/objectives/registry.h"
#include "pair/runs/settings.h"
#include "tests/support/scratch.h"
#include "tests/support/without_permissions.h"

namespace pair::cli {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const std::vector<std::string> hospitals{"Eastside", "Lakeview, North", "St. Mary"};

TEST(TrainData, EnvironmentsAreNamedByNameOrNumber) {
  EXPECT_THAT(environments_named("St. Mary", hospitals), ElementsAre(2));
  EXPECT_THAT(environments_named(" 1 ", hospitals), ElementsAre(1));
  EXPECT_THAT(environments_named("St. Mary, 0", hospitals), ElementsAre(2, 0));
}

TEST(TrainData, ANameMayHaveAComma) {
  EXPECT_THAT(environments_named("Lakeview, North", hospitals), ElementsAre(1));
  EXPECT_THAT(environments_named("\"Lakeview, North\",Eastside", hospitals), ElementsAre(1, 0));
}

TEST(TrainData, ANameGoesBeforeANumber) {
  EXPECT_THAT(environments_named("2", {"1", "2", "3"}), ElementsAre(1));
  EXPECT_THAT(environments_named("0", {"1", "2", "3"}), ElementsAre(0));
}

TEST(TrainData, SaysWhichNumberIsNotAName) {
  const std::vector<std::string> years{"2010", "2011", "2012"};
  EXPECT_EQ(note_of_number("2011,0", years),
            "--test-envs: no environment is named '0'; as a number from 0, it means '2010'");
  EXPECT_EQ(note_of_number("2011, 2010", years), "");
  EXPECT_EQ(note_of_number("0", hospitals), "");
}

TEST(TrainData, RefusesNoEnvironments) {
  for (const char* const none : {"", " "}) {
    EXPECT_THAT([none] { (void)environments_named(none, hospitals); },
                ThrowsMessage<std::invalid_argument>(HasSubstr("or numbers from 0 to 2) or each, got ''")));
  }
}

TEST(TrainData, ListsTheEnvironmentsWhereOneIsNotKnown) {
  EXPECT_THAT([] { (void)environments_named("Mary", hospitals); },
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("expected environments ('Eastside', 'Lakeview, North' and "
                            "'St. Mary', or numbers from 0 to 2) or each, got 'Mary'")));
  EXPECT_THAT([] { (void)environments_named("3", hospitals); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("got '3'")));
  EXPECT_THAT([] { (void)environments_named("-1", hospitals); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("got '-1'")));
}

TEST(TrainData, AFileIsATableAndAFolderIsPictures) {
  const tests::Scratch scratch;
  std::ofstream(scratch / "p.csv") << "a,b\n1,2\n";
  const NamedData table = data_named((scratch / "p.csv").string(), "");
  EXPECT_EQ(table.dataset, "table");
  EXPECT_EQ(table.setting, base::Assignment("file", (scratch / "p.csv").string()));
  const NamedData images = data_named(scratch.path().string(), "");
  EXPECT_EQ(images.dataset, "images");
  EXPECT_EQ(images.setting, base::Assignment("folder", scratch.path().string()));
  EXPECT_EQ(data_named(scratch.path().string(), "ColoredMNIST").dataset, "ColoredMNIST");
}

TEST(TrainData, RefusesOtherData) {
  const tests::Scratch scratch;
  std::ofstream(scratch / "p.xlsx") << "PK";
  const auto refuses = [](const std::string& path, std::string_view dataset, const char* sentence) {
    EXPECT_THAT([&] { (void)data_named(path, dataset); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(sentence)));
  };
  refuses((scratch / "none").string(), "", "which does not exist");
  refuses("/dev/null", "", "which is a device or pipe");
  namespace fs = std::filesystem;
  fs::permissions(scratch.path(), fs::perms::all);
  fs::create_directory(scratch / "closed");
  fs::permissions(scratch / "closed", fs::perms::none);
  {
    const tests::WithoutPermissions nobody;
    refuses((scratch / "closed/p.csv").string(), "", "which cannot be read: Permission denied");
  }
  refuses((scratch / "p.xlsx").string(), "", "the program that wrote it can export CSV");
  std::ofstream(scratch / "0.csv", std::ios::binary) << "\x89PNG\r\n\x1a\n";
  refuses((scratch / "0.csv").string(), "",
          "which is a PNG image; give the folder that holds ENVIRONMENT/CLASS/IMAGE");
  std::ofstream(scratch / "cat.webp", std::ios::binary) << "RIFF" << std::string(4, '\0') << "WEBP";
  refuses((scratch / "cat.webp").string(), "", "another RIFF file; give the folder that holds ENVIRONMENT/");
  std::ofstream(scratch / "scan.TIF", std::ios::binary) << "II*" << std::string(5, '\0') << "\xff, and more";
  refuses((scratch / "scan.TIF").string(), "",
          "which is a binary file; give the folder that holds ENVIRONMENT/");
  std::ofstream(scratch / "1.csv", std::ios::binary) << "PK\x03\x04";
  refuses((scratch / "1.csv").string(), "table",
          "which is a ZIP archive, such as an .xlsx file; the program that");
  refuses(scratch.path().string(), "table", "--data: expected a file for dataset table");
  std::ofstream(scratch / "p.csv") << "a,b\n1,2\n";
  refuses((scratch / "p.csv").string(), "ColoredMNIST", "--data: expected a folder for dataset ColoredMNIST");
  for (const std::string& path : {scratch.path().string(), (scratch / "p.csv").string()}) {
    refuses(path, "cmnist", "--data: expected no data for dataset cmnist, which has its own, got '");
  }
  refuses(scratch.path().string(), "nosuch", "unknown dataset 'nosuch'");
}

TEST(TrainData, SaysWhyADatasetTakesNoColumns) {
  const auto refuses = [](const base::Assignments& settings, const char* sentence) {
    EXPECT_THAT([&] { refuse_columns("images", settings); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(sentence)));
  };
  refuses({{"folder", "/pets"}, {"label", "y"}},
          "--label applies to CSV files (--data FILE), got '/pets', which is a folder of images");
  refuses({{"manifest", "/list.csv"}, {"ignore", "y"}},
          "--ignore applies to CSV files (--data FILE), got '/list.csv', which is a list of images, since it "
          "has a column path");
  refuses({{"batch", "4"}, {"environment", "y"}}, "got the dataset images");
  EXPECT_NO_THROW(
      refuse_columns("images", {{"manifest", "/list.csv"}, {"label", "y"}, {"environment", "z"}}));
}

TEST(TrainData, ListsOfImagesAreKnownByTheirPaths) {
  const tests::Scratch scratch;
  std::ofstream(scratch / "list.csv") << "path,label,year\na/1.jpg,cat,2019\n";
  std::ofstream(scratch / "p.csv") << "path,outcome,year\nleft,1,2019\n";
  EXPECT_EQ(data_named((scratch / "list.csv").string(), "").dataset, "images");
  EXPECT_EQ(data_named((scratch / "list.csv").string(), "table").setting.first, "file");
  EXPECT_EQ(data_named((scratch / "p.csv").string(), "").dataset, "table");
  // If the dataset is named, its reader reports the fault of the file.
  EXPECT_EQ(data_named((scratch / "p.csv").string(), "images").setting,
            base::Assignment("manifest", (scratch / "p.csv").string()));
}

TEST(TrainData, PathsAndDigestsOfDataAreSettled) {
  const tests::Scratch scratch;
  std::ofstream(scratch / "p.csv") << "a,b\n1,2\n";
  const std::string file = (scratch / "x/../p.csv").string();
  base::Assignments settings{{"steps", "3"}, {"file", file}, {"folder", "pets"}, {"manifest", "none"}};
  complete_paths(settings);
  EXPECT_EQ(settings[1].second, (scratch / "p.csv").string());
  EXPECT_TRUE(std::filesystem::path(settings[2].second).is_absolute());
  EXPECT_EQ(settings[3].second, "none");
  ASSERT_EQ(settings.size(), 5U);
  EXPECT_EQ(settings[4].first, "file_sha256");
  EXPECT_EQ(settings[4].second.size(), 64U);
  complete_paths(settings);
  EXPECT_EQ(settings.size(), 5U) << "once";
}

TEST(TrainData, OfSeveralFilesTheLastIsTheOneWhoseDigestCounts) {
  const tests::Scratch scratch;
  std::ofstream(scratch / "p.csv") << "a,b\n1,2\n";
  std::ofstream(scratch / "q.csv") << "a,b\n1,3\n";
  base::Assignments settings{{"file", (scratch / "p.csv").string()}, {"file", (scratch / "q.csv").string()}};
  complete_paths(settings);
  ASSERT_EQ(settings.size(), 3U);
  EXPECT_EQ(settings[2].second, data::sha256_of_file(scratch / "q.csv"));

  base::Assignments first_missing{{"weights", "missing.pt"}, {"weights", (scratch / "p.csv").string()}};
  complete_paths(first_missing);
  ASSERT_EQ(first_missing.size(), 3U);
  EXPECT_EQ(first_missing[2].second, data::sha256_of_file(scratch / "p.csv"));

  base::Assignments taken_back{{"weights", (scratch / "p.csv").string()}, {"weights", "none"}};
  complete_paths(taken_back);
  EXPECT_EQ(taken_back.size(), 2U) << "no digest where no file is left";
}

TEST(TrainData, FilesWithoutAKnownDigestMustBeReadable) {
  const tests::Scratch scratch;
  for (const auto& [name, kind] :
       base::Assignments{{"file", "CSV file"},
                         {"manifest", "CSV file of images"},
                         {"vocab", "file with one token per line"},
                         {"weights", "file, safetensors or PyTorch's .pt or .pth"}}) {
    base::Assignments missing{{name, (scratch / "none").string()}};
    const auto refusal =
        ThrowsMessage<std::invalid_argument>(HasSubstr(name + ": expected a " + kind + ", got '"));
    EXPECT_THAT([&] { complete_paths(missing); }, refusal);
    EXPECT_THAT([&] { check_files(missing); }, refusal);
    base::Assignments known{{name, "none.csv"}, {name + "_sha256", std::string(64, 'a')}};
    EXPECT_NO_THROW(check_files(known));
    EXPECT_NO_THROW(complete_paths(known));
    EXPECT_EQ(known.front().second, std::filesystem::absolute("none.csv").string())
        << "by its digest, unread";
    EXPECT_EQ(known.size(), 2U);
  }
}

TEST(TrainData, FilesAreCheckedWithoutReadingThem) {
  const tests::Scratch scratch;
  // Its digest would take hours.
  std::ofstream(scratch / "huge.pt") << "x";
  std::filesystem::resize_file(scratch / "huge.pt", std::uintmax_t{1} << 40U);
  EXPECT_NO_THROW(check_files({{"weights", (scratch / "huge.pt").string()}}));
}

TEST(TrainData, PathsAreMadeAbsoluteWithoutReadingTheFiles) {
  base::Assignments settings{
      {"data_root", "sets"}, {"vocab", "a/../none.txt"}, {"weights", "none"}, {"l2", "1"}};
  make_paths_absolute(settings);
  EXPECT_EQ(settings, (base::Assignments{{"data_root", std::filesystem::absolute("sets").string()},
                                         {"vocab", std::filesystem::absolute("none.txt").string()},
                                         {"weights", "none"},
                                         {"l2", "1"}}));
}

struct PathsOptions {
  std::string list;
  std::string list_sha256;
  std::string place;
};

void describe(base::Fields<PathsOptions>& field) {
  field.text("toy_list", &PathsOptions::list, "files", "the toys")
      .names_file("list of toys", "toy_list_sha256");
  field.text("toy_list_sha256", &PathsOptions::list_sha256, "digests", "digest of the list");
  field.text("toy_place", &PathsOptions::place, "folders", "where the toys are").names_folder();
}

// In a process of its own, since an extension must be added before the lists are first used.
int with_paths_of_an_extension(const std::string& list) {
  objectives::add_objective(objectives::objective_entry<PathsOptions>(
      "toy", "an objective with paths",
      [](const PathsOptions& /*options*/) { return std::unique_ptr<objectives::Objective>(); },
      objectives::Compares::environments));
  base::Assignments settings{{"toy_list", list}, {"toy_place", "toys"}};
  complete_paths(settings);
  return settings == base::Assignments{{"toy_list", list},
                                       {"toy_place", std::filesystem::absolute("toys").string()},
                                       {"toy_list_sha256", data::sha256_of_file(list)}}
             ? 0
             : 3;
}

TEST(TrainData, PathsOfExtensionsAreSettledToo) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const tests::Scratch scratch;
  std::ofstream(scratch / "toys") << "ball\n";
  EXPECT_EXIT(std::exit(with_paths_of_an_extension((scratch / "toys").string())),
              ::testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        try {
          with_paths_of_an_extension((scratch / "none").string());
        } catch (const std::invalid_argument& refused) {
          std::cerr << refused.what() << '\n';
          std::exit(2);
        }
      },
      ::testing::ExitedWithCode(2), "toy_list: expected a list of toys, got .*none', which does not exist");
}

TEST(TrainData, FilesOfTrainAreStoredByAbsolutePathAndDigest) {
  const tests::Scratch scratch;
  std::ofstream(scratch / "p.csv") << "y,site,x\n1,a,1\n0,a,2\n1,b,3\n0,b,4\n1,c,5\n0,c,6\n";
  TrainArguments arguments;
  arguments.dataset = "table";
  arguments.dataset_given = true;
  arguments.set = {"file=" + std::filesystem::relative(scratch / "p.csv").string(), "label=y",
                   "environment=site"};
  const std::vector<runs::RunSpec> specs = specs_of(arguments);
  ASSERT_EQ(specs.size(), 1U);
  EXPECT_EQ(runs::text_of(specs[0], "file"), (scratch / "p.csv").string());
  EXPECT_EQ(runs::text_of(specs[0], "file_sha256").size(), 64U);
}

TEST(TrainData, AColumnOfTextsMakesAFileTheDatasetText) {
  const tests::Scratch scratch;
  std::ofstream(scratch / "p.csv") << "a,b\n1,2\n";
  base::Assignments settings{{"text", "a"}};
  EXPECT_EQ(add_named_data((scratch / "p.csv").string(), "", settings), "text");
  EXPECT_EQ(settings.front(), base::Assignment("file", (scratch / "p.csv").string()));
  EXPECT_EQ(settings.back(), base::Assignment("text", "a"));
}

TEST(TrainData, FixedTestEnvironmentsAreNotChosen) {
  const std::string text = "0";
  EXPECT_THAT(
      [&] { (void)with_test_environments(runs::resolve("cmnist", "erm"), &text); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("--test-envs: cmnist has fixed test environments (")));
}

}  // namespace
}  // namespace pair::cli
