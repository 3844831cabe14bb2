#include "pair/sweep/sweep_file.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <thread>

#include "pair/runs/file.h"
#include "tests/runs/fixtures.h"

namespace pair::sweep::sweep_file_test {
namespace {

using runs::testing::Scratch;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

Definition small() {
  Definition definition;
  definition.datasets = {"cmnist"};
  definition.algorithms = {"erm"};
  definition.n_hparams = 3;
  definition.n_trials = 2;
  definition.set = {{"steps", "5"}};
  return definition;
}

TEST(Definitions, SurviveJson) {
  Definition definition = small();
  definition.test_envs = {{0}, {0, 2}};
  definition.single_test_envs = true;
  definition.search = Search::paper;
  EXPECT_EQ(as_json(definition_from_json(as_json(definition))), as_json(definition));
  for (const char* text : {"{}", "[]", "1", R"({"datasets": 3})"}) {
    EXPECT_THROW((void)definition_from_json(nlohmann::json::parse(text)), std::invalid_argument) << text;
  }
}

TEST(SweepFile, KeepsTheDefinition) {
  const Scratch scratch;
  const auto folder = scratch / "new/sweep";
  EXPECT_TRUE(read_sweep(folder).empty());
  const Added added = add_to_sweep(folder, small());
  EXPECT_EQ(added.before, 0U);
  EXPECT_EQ(added.jobs, 6U);
  const std::vector<Definition> read = read_sweep(folder);
  ASSERT_EQ(read.size(), 1U);
  EXPECT_EQ(as_json(read[0]), as_json(small()));
}

TEST(SweepFile, AddsMissingJobs) {
  const Scratch scratch;
  add_to_sweep(scratch.path(), small());
  EXPECT_EQ(add_to_sweep(scratch.path(), small()).jobs, 0U);
  Definition fewer = small();
  fewer.n_hparams = 2;
  EXPECT_EQ(add_to_sweep(scratch.path(), fewer).jobs, 0U);
  EXPECT_EQ(read_sweep(scratch.path()).size(), 1U);
  Definition more = small();
  more.algorithms = {"erm", "vrex"};
  more.n_trials = 1;
  const Added added = add_to_sweep(scratch.path(), more);
  EXPECT_EQ(added.before, 6U);
  EXPECT_EQ(added.jobs, 3U);
  EXPECT_EQ(jobs_of(read_sweep(scratch.path())).size(), 9U);
}

TEST(SweepFile, ListsTheFoldersOfItsJobs) {
  const Scratch scratch;
  add_to_sweep(scratch.path(), small());
  Definition more = small();
  more.n_hparams += 1;
  add_to_sweep(scratch.path(), more);
  std::vector<std::string> folders;
  for (const Job& job : jobs_of(read_sweep(scratch.path()))) {
    folders.push_back(job.folder);
  }
  const auto file = nlohmann::json::parse(runs::read_file(sweep_file(scratch.path())));
  EXPECT_EQ(file.at("folders"), nlohmann::json(folders));
}

TEST(SweepFile, RefusesOtherSettingsForTheSameCell) {
  const Scratch scratch;
  add_to_sweep(scratch.path(), small());
  Definition longer = small();
  longer.set = {{"steps", "9"}};
  try {
    add_to_sweep(scratch.path(), longer);
    FAIL();
  } catch (const std::invalid_argument& error) {
    EXPECT_THAT(error.what(), HasSubstr("holds a different sweep"));
    EXPECT_THAT(error.what(), HasSubstr("its steps is 5, here 9"));
  }
  EXPECT_EQ(read_sweep(scratch.path()).size(), 1U);
}

TEST(SweepFile, OfGarbageIsRefusedAndKept) {
  for (const char* text : {"", "{", "[]", "{}", R"({"format": 2, "sweeps": []})", R"({"format": 1})",
                           R"({"format": 1, "sweeps": [3]})", R"({"format": "1", "sweeps": []})"}) {
    const Scratch scratch;
    runs::testing::write(sweep_file(scratch.path()), text);
    EXPECT_THROW((void)read_sweep(scratch.path()), std::invalid_argument) << text;
    EXPECT_THROW(add_to_sweep(scratch.path(), small()), std::invalid_argument) << text;
  }
}

TEST(SweepFile, ThatWasChangedIsRefused) {
  const Scratch scratch;
  add_to_sweep(scratch.path(), small());
  const auto file = nlohmann::json::parse(runs::read_file(sweep_file(scratch.path())));
  const auto refuses = [&](const nlohmann::json& changed, const std::string& reason) {
    runs::testing::write(sweep_file(scratch.path()), changed.dump());
    const auto message = ThrowsMessage<std::invalid_argument>(
        HasSubstr("sweep.json was changed, or another version of pair wrote it: " + reason));
    EXPECT_THAT([&] { (void)read_sweep(scratch.path()); }, message);
    EXPECT_THAT([&] { add_to_sweep(scratch.path(), small()); }, message);
  };
  nlohmann::json changed = file;
  // Without its digest, the file says the same.
  changed.erase("digest");
  runs::testing::write(sweep_file(scratch.path()), changed.dump());
  EXPECT_EQ(read_sweep(scratch.path()).size(), 1U);
  changed = file;
  changed["sweeps"][0]["n_hparams"] = 2;
  refuses(changed, "expected the folders of its 4 runs, got 6");
  changed = file;
  changed["sweeps"][0]["set"][0][1] = "9";
  refuses(changed, "expected the folder ");
  changed = file;
  changed["folders"][5] = 3;
  refuses(changed, "expected the folder ");
  changed["digest"] = 3;
  refuses(changed, "expected the folder ");
  changed["folders"] = "none";
  refuses(changed, "expected the folders of its 6 runs, got \"none\"");
  // Older sweeps do not list them.
  changed.erase("folders");
  runs::testing::write(sweep_file(scratch.path()), changed.dump());
  EXPECT_EQ(read_sweep(scratch.path()).size(), 1U);
}

TEST(SweepFile, LosesNothingToLaunchersAtTheSameTime) {
  const Scratch scratch;
  {
    std::vector<std::jthread> launchers;
    for (const char* algorithm : {"erm", "vrex", "irmv1", "pair"}) {
      launchers.emplace_back([&scratch, algorithm] {
        Definition definition = small();
        definition.algorithms = {algorithm};
        add_to_sweep(scratch.path(), definition);
      });
    }
  }
  EXPECT_EQ(jobs_of(read_sweep(scratch.path())).size(), 4U * 6);
}

TEST(SweepFile, NeedsAFolder) {
  const Scratch scratch;
  runs::testing::write(scratch / "file", "x");
  EXPECT_THROW(add_to_sweep(scratch / "file", small()), std::invalid_argument);
}

}  // namespace
}  // namespace pair::sweep::sweep_file_test
