#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/process.h"
#include "tests/support/scratch.h"

// Options of the commands that need LibTorch: suggestions, shorthands, groups and other names.

namespace pair::cli::test::arguments_test {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using tests::Scratch;

void refuses(const std::vector<std::string>& arguments, const std::string& sentence) {
  const Finished ended = run_pair(arguments);
  EXPECT_EQ(ended.status, 2) << sentence;
  EXPECT_EQ(ended.err, "pair: " + sentence + "\n");
  EXPECT_EQ(ended.out, "");
}

TEST(Arguments, SuggestTheSettingOfAnUnknownOption) {
  refuses({"train", "--epsilon", "0.1"},
          "unknown option '--epsilon' of 'pair train'; did you mean '--set epsilon=0.1'?");
  refuses({"train", "--eval-every=5"},
          "unknown option '--eval-every' of 'pair train'; did you mean '--set eval_every=5'?");
  refuses({"train", "--eval-every"},
          "unknown option '--eval-every' of 'pair train'; did you mean '--set eval_every=VALUE'?");
  refuses({"sweep", "launch", "--out", "s", "--lr", "0.1"},
          "unknown option '--lr' of 'pair sweep launch'; did you mean '--set lr=0.1'?");
  refuses({"train", "--algoritm", "erm"},
          "unknown option '--algoritm' of 'pair train'; did you mean '--algorithm'?");
  refuses({"train", "--epochs", "3"},
          "unknown option '--epochs' of 'pair train'; 'pair train --help' lists its options");
  refuses({"score", "run", "--lr", "0.1"},
          "unknown option '--lr' of 'pair score'; 'pair score --help' lists its options");
  refuses({"train", "extra"}, "'pair train': expected no further argument, got 'extra'");
}

TEST(Arguments, NameTheOptionThatASettingCameFrom) {
  refuses({"train", "--steps", "-3"}, "--steps: expected an integer from 1 to 1000000000, got '-3'");
  refuses({"train", "--set", "steps=-3"}, "steps: expected an integer from 1 to 1000000000, got '-3'");
  refuses({"train", "--lr", "0"}, "--lr: expected a number above 0 and up to 1000, got '0'");
  refuses({"train", "--steps"}, "--steps: expected a value, got none");
  refuses({"train", "--steps", "21", "--steps", "0"}, "--steps: expected once, got twice");
  refuses({"train", "--ignore", "a", "--ignore", "b", "--ignore", "c"},
          "--ignore: expected once, got 3 times; separate columns by commas");
  refuses({"train", "--objectives", "erm", "--objectives", "vrex"},
          "--objectives: expected once, got twice; separate values by commas");
  refuses({"train", "--penalty", "3"},
          "penalty does not apply to algorithm 'pair', which weighs the objectives with a solver");
  refuses({"sweep", "launch", "--out", "s", "--jobs", "0"},
          "--jobs: expected auto or an integer from 1 to 1024, got '0'");
  refuses({"sweep", "launch"}, "--out: expected a value, which 'pair sweep launch' needs, got none");
  for (const char* const command : {"status", "collect", "delete-incomplete", "cancel"}) {
    refuses({"sweep", command}, "DIR: expected the sweep's folder, got none");
    refuses({"sweep", command, "a", "--out", "b"}, "DIR: expected without --out, got both");
  }
  refuses({"paper", "table1", "--seeds", "3-1"},
          "--seeds: expected increasing ranges of up to 10000 seeds, got '3-1'");
  refuses({"paper", "table1", "--seeds", "0,x"},
          "--seeds: expected numbers and ranges, such as 0-9 or 0,2,5-7, got '0,x'");
}

TEST(Arguments, OfFlagsForSettingsAreTrueOrFalse) {
  refuses({"train", "--half=7"}, "--half: expected true or false, got '7'");
  refuses({"train", "--tf32=-1"}, "--tf32: expected true or false, got '-1'");
  refuses({"train", "--no-restart=maybe"}, "--no-restart: expected true or false, got 'maybe'");
}

TEST(Arguments, RefuseHalfInRecipesWithoutItsModel) {
  for (const std::string name : {"table1", "table2", "table5", "table6", "fig-sweep", "fig-extrapolation"}) {
    refuses({"paper", name, "--half"},
            "--half does not apply to 'pair paper " + name +
                "'; it belongs to the model mnist_cnn, which its runs do not have");
    EXPECT_THAT(run_pair({"paper", name, "--help"}).out, Not(HasSubstr("--half"))) << name;
  }
  EXPECT_THAT(run_pair({"paper", "table3", "--help"}).out, HasSubstr("--half"));
}

TEST(Arguments, SuggestTheNearestSettingsOfTooManyToList) {
  const Finished typo = run_pair({"train", "--set", "stpes=5"});
  EXPECT_EQ(typo.status, 2);
  EXPECT_THAT(typo.err,
              AllOf(StartsWith("pair: unknown setting 'stpes'; did you mean 'steps'? Known: steps, "),
                    HasSubstr(", ...; 'pair list settings' has all\n")));
  EXPECT_LT(typo.err.size(), 150U);
  refuses({"list", "settings", "stpes"},
          typo.err.substr(6, typo.err.find(", ...") - 6) + "; 'pair list settings' has all");
}

TEST(Arguments, HaveShorthandsForTheCommonSettings) {
  const Scratch scratch;
  const std::vector<std::string> small{"train_digits=500", "test_digits=100", "eval_every=1"};
  std::vector<std::string> plain{"train",    "--algorithm", "irmv1",    "--quiet",
                                 "--json",   "--no-models", "--out",    (scratch / "a").string(),
                                 "--steps",  "2",           "--set",    "lr=0.01",
                                 "batch=32", "pretrain=1",  "penalty=5"};
  std::vector<std::string> brief{"train",     "--algorithm", "irmv1",      "--quiet",
                                 "--json",    "--no-model",  "--out",      (scratch / "b").string(),
                                 "--steps",   "2",           "--lr",       "0.01",
                                 "--batch",   "32",          "--pretrain", "1",
                                 "--penalty", "5",           "--set"};
  plain.insert(plain.end(), small.begin(), small.end());
  brief.insert(brief.end(), small.begin(), small.end());
  const Finished one = run_pair(plain);
  const Finished other = run_pair(brief);
  ASSERT_EQ(one.status, 0) << one.err;
  ASSERT_EQ(other.status, 0) << other.err;
  EXPECT_EQ(json::parse(one.out)["hash"], json::parse(other.out)["hash"]);
  EXPECT_FALSE(std::filesystem::exists(scratch / "a" / "model.safetensors")) << "--no-models";
}

TEST(Arguments, AskForJsonInTheSameWayEverywhere) {
  const Scratch scratch;
  const std::string run = (scratch / "run").string();
  const std::string file = (scratch / "weights.safetensors").string();
  const Finished trained = run_pair({"train", "--dataset", "extrapolation-uniform", "--algorithm", "erm",
                                     "--quiet", "--steps", "2", "--out", run, "--set", "points=50"});
  ASSERT_EQ(trained.status, 0) << trained.err;
  const Finished lines = run_pair({"predict", run, "-", "--format", "jsonl"}, "0.1,0.2\n");
  ASSERT_EQ(lines.status, 0) << lines.err;
  EXPECT_TRUE(json::parse(lines.out).contains("value"));
  EXPECT_EQ(run_pair({"predict", run, "-", "--json"}, "0.1,0.2\n").out, lines.out);
  refuses({"predict", run, "-", "--format", "csv", "--json"},
          "--json: expected without --format csv, got both");
  const Finished exported = run_pair({"export", run, "-o", file, "--json"});
  EXPECT_EQ(json::parse(exported.out), (json{{"run", run}, {"step", nullptr}, {"file", file}}));
  EXPECT_TRUE(std::filesystem::exists(file));
  const std::string own = run + "/model.safetensors";
  refuses({"export", run, "-o", own},
          "--out: expected another file than the input '" + own + "', got the same");
  const std::string root = (scratch / "wilds").string();
  const Finished made =
      run_pair({"data", "generate", "poverty", "--data-root", root, "--samples", "1", "--json"});
  ASSERT_EQ(made.status, 0) << made.err;
  const json folders = json::parse(made.out);
  ASSERT_EQ(folders.size(), 1U);
  EXPECT_EQ(folders[0]["name"], "poverty");
  EXPECT_TRUE(std::filesystem::is_directory(folders[0]["folder"].get<std::string>()));
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"demo"},
                                             {"data", "get"},
                                             {"data", "check"},
                                             {"data", "list"},
                                             {"data", "describe"},
                                             {"data", "samples"},
                                             {"sweep", "launch"},
                                             {"sweep", "status"},
                                             {"sweep", "collect"},
                                             {"sweep", "delete-incomplete"},
                                             {"sweep", "cancel"},
                                             {"train"},
                                             {"score"},
                                             {"select"},
                                             {"report"},
                                             {"watch"},
                                             {"list"},
                                             {"solve"},
                                             {"paper", "table1"},
                                             {"paper", "robustness"},
                                             {"paper", "table7"},
                                             {"paper", "fig-failure"}}) {
    std::vector<std::string> words = command;
    words.emplace_back("--help");
    EXPECT_THAT(run_pair(words).out, HasSubstr("\n  --json ")) << command.back();
  }
}

// The lines of the help that describe options.
std::vector<std::string> option_lines(const std::string& help) {
  std::vector<std::string> lines;
  std::istringstream stream(help);
  for (std::string line; std::getline(stream, line);) {
    if (std::regex_search(line, std::regex("^  (-|--)[a-z]"))) {
      lines.push_back(line);
    }
  }
  return lines;
}

TEST(TrainHelp, HasGroupsAndNamesTheValues) {
  const std::string help = run_pair({"train", "--help"}).out;
  std::size_t last = 0;
  for (const char* const group :
       {"\nOptions:\n", "\nData:\n", "\nMethod:\n", "\nTraining:\n", "\nOutput:\n"}) {
    const std::size_t at = help.find(group);
    ASSERT_NE(at, std::string::npos) << group;
    EXPECT_GT(at, last) << group;
    last = at;
  }
  const std::vector<std::string> lines = option_lines(help);
  EXPECT_GT(lines.size(), 40U);
  for (const std::string& line : lines) {
    EXPECT_THAT(line, Not(HasSubstr(" TEXT"))) << "an option that arrange_help does not name";
  }
  const std::size_t data = help.find("\nData:\n");
  for (const char* const first :
       {"--data ", "--dataset ", "--algorithm ", "--test-envs ", "--seed ", "--steps ", "--out ", "--set "}) {
    EXPECT_LT(help.find(first), data) << first;
  }
  EXPECT_THAT(help, HasSubstr("(default: the dataset's, 501 on cmnist)"));
}

TEST(ListSettings, HasGroupsAndShortLines) {
  const std::string text = run_pair({"list", "settings"}).out;
  std::size_t last = 0;
  for (const char* const group : {"Training:\n", "PAIR-o:\n", "Fixed penalties:\n", "Solvers:\n", "Data:\n",
                                  "Models:\n", "Objectives:\n", "Algorithms:\n"}) {
    const std::size_t at = text.find("\n\n" + std::string(group));
    ASSERT_NE(at, std::string::npos) << group;
    EXPECT_GT(at, last) << group;
    last = at;
  }
  EXPECT_THAT(text, StartsWith("Run:\n  seed "));
  EXPECT_THAT(text, Not(HasSubstr("(accepted: ")));
  EXPECT_THAT(text, HasSubstr("(of: model mlp)")) << "not of the first dataset that has the model";
  EXPECT_THAT(text, HasSubstr("see 'pair list objectives' (default: erm,irmv1,vrex)"))
      << "as of pair on cmnist, which the list claims";
  EXPECT_THAT(run_pair({"list", "settings", "--verbose"}).out,
              HasSubstr("(default: 0) (accepted: integers from 0 to 18446744073709551615)"));
  const json all = json::parse(run_pair({"list", "settings", "--json"}).out);
  for (const json& entry : all) {
    EXPECT_NE(entry.value("group", ""), "") << entry;
  }
  const std::string own = run_pair({"list", "settings", "--algorithm", "irmv1", "--dataset", "cmnist"}).out;
  EXPECT_THAT(own, AllOf(StartsWith("Run:\n"), HasSubstr("\nFixed penalties:\n  penalty "),
                         Not(HasSubstr("PAIR-o:"))));
}

TEST(ListSettings, ShowsOneWithEverythingAboutIt) {
  EXPECT_EQ(run_pair({"list", "settings", "irmv1_constant"}).status, 0);
  EXPECT_THAT(run_pair({"list", "settings", "holdout"}).out,
              AllOf(HasSubstr("  default   0 or "), HasSubstr("  defaults  0 (cmnist, "), HasSubstr("0.2 ("),
                    HasSubstr("numbers from 0 to 0.9 (cmnist, ")));
  const Finished steps = run_pair({"list", "settings", "steps"});
  EXPECT_EQ(steps.out,
            "steps: total number of updates\n"
            "  default   501\n"
            "  accepted  integers from 1 to 1000000000\n"
            "  group     Training\n");
  const json one = json::parse(run_pair({"list", "settings", "steps", "--json"}).out);
  ASSERT_EQ(one.size(), 1U);
  EXPECT_EQ(one[0]["default"], "501");
  const Finished other =
      run_pair({"list", "settings", "steps", "--dataset", "ColoredMNIST", "--algorithm", "erm"});
  EXPECT_THAT(other.out, HasSubstr("  default   5001\n"));
  EXPECT_THAT(run_pair({"list", "solvers", "epo_smooth"}).out,
              AllOf(StartsWith("epo_smooth: "), HasSubstr("  smoothing ")));
  refuses({"list", "datasets", "cmnits"},
          "unknown dataset 'cmnits'; did you mean 'cmnist'? Known: cmnist, cmnist-m, cmnist-11; 'pair list "
          "datasets' has all");
}

TEST(PaperOptions, HaveOneNameAndKeepTheOldOnes) {
  for (const auto& [command, method] : std::vector<std::pair<std::string, std::string>>{
           {"table1", "erm"}, {"table3", "erm"}, {"table6", "vrex"}}) {
    const std::string help = run_pair({"paper", command, "--help"}).out;
    EXPECT_THAT(
        help, AllOf(HasSubstr("--methods"), HasSubstr("-o,--save"), HasSubstr("--out "), HasSubstr("--json")))
        << command;
  }
  for (const char* const command : {"table2", "table5", "fig-extrapolation", "fig-sweep"}) {
    EXPECT_THAT(run_pair({"paper", command, "--help"}).out,
                AllOf(HasSubstr("-o,--save"), HasSubstr("--json"), HasSubstr("such as 0-9 or 0,2,5-7")))
        << command;
  }
  EXPECT_THAT(run_pair({"paper", "table3", "--algorithms", "nothing"}).err, HasSubstr("unknown"));
  EXPECT_THAT(run_pair({"paper", "table6", "--objectives", "nothing", "--out", "nowhere"}).err,
              HasSubstr("unknown"));
}

}  // namespace
}  // namespace pair::cli::test::arguments_test
