#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/process.h"
#include "tests/select/fixtures.h"
#include "tests/support/file_limit.h"

// pair select and pair bench select as a user meets them.

namespace pair::cli::test::select_test {
namespace {

using nlohmann::json;
using select::testing::domainbed_line;
using select::testing::Scratch;
using select::testing::write;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

// IRM with three draws of hyperparameters in each of three test environments: the more accurate, the larger
// the penalty.
class Select : public ::testing::Test {
 protected:
  void SetUp() override {
    for (int test_env = 0; test_env < 3; ++test_env) {
      for (int draw = 0; draw < 3; ++draw) {
        const std::string name = "run" + std::to_string(test_env) + std::to_string(draw);
        std::string text;
        for (int step = 0; step < 4; ++step) {
          text += domainbed_line("IRM", test_env, draw, 100 * step, 0.5 + 0.1 * draw + 0.01 * step);
        }
        write(scratch / name / "results.jsonl", text);
        write(scratch / name / "done", "done");
      }
    }
  }

  [[nodiscard]] Finished run(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"select", folder()});
    return run_pair(arguments);
  }
  [[nodiscard]] std::string folder() const { return scratch.path().string(); }

  Scratch scratch;
};

TEST_F(Select, PrintsTablesAndChoicesOfEveryCriterion) {
  const Finished finished = run({});
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.out, StartsWith("9 runs, 36 records\n"));
  for (const char* title : {"PAIR-s, training-domain validation set", "PAIR-s, test-domain validation set",
                            "training-domain validation set", "test-domain validation set (oracle)"}) {
    EXPECT_THAT(finished.out, HasSubstr(std::string("Averages, model selection method: ") + title + "\n"));
    EXPECT_THAT(finished.out, HasSubstr(std::string("-------- Chosen: ") + title + "\n"));
  }
  EXPECT_THAT(finished.out, Not(HasSubstr("model selection method: leave-one-domain-out")));
  EXPECT_THAT(finished.out, HasSubstr("-------- Chosen: leave-one-domain-out cross-validation\nnothing\n"));
  EXPECT_THAT(finished.err, HasSubstr("leave-one-domain-out needs, for each training domain"));
}

// A record of ERM or IRMv1 on cmnist, which has three test environments and holds nothing out.
std::string cmnist_line(const std::string& algorithm, int draw, int step) {
  const json record{{"args",
                     {{"algorithm", algorithm},
                      {"dataset", "cmnist"},
                      {"test_envs", {2, 3, 4}},
                      {"env_names", {"beta 0.1", "beta 0.2", "beta 0.9", "beta 0.1", "beta 0.5"}},
                      {"trial_seed", 0},
                      {"hparams_seed", draw}}},
                    {"hparams", {{"lr", 0.001 * (draw + 1)}}},
                    {"step", step},
                    {"losses", algorithm == "erm" ? json{{"erm", 0.4}} : json{{"erm", 0.4}, {"irmv1", 0.1}}},
                    {"env0_in_acc", 0.8 + 0.01 * draw},
                    {"env1_in_acc", 0.8 + 0.01 * draw},
                    {"env2_out_acc", 0.2},
                    {"env3_out_acc", 0.9},
                    {"env4_out_acc", 0.5}};
  return record.dump() + "\n";
}

TEST(SelectFromOurs, ChoosesByTrainingAccuracyWhereNothingIsHeldOut) {
  const Scratch scratch;
  for (const char* const algorithm : {"erm", "irmv1"}) {
    for (int draw = 0; draw < 2; ++draw) {
      write(scratch / (algorithm + std::to_string(draw)) / "results.jsonl",
            cmnist_line(algorithm, draw, 10) + cmnist_line(algorithm, draw, 20));
    }
  }
  const Finished finished = run_pair({"select", scratch.path().string()});
  EXPECT_EQ(finished.status, 0) << finished.err;
  for (const char* const title :
       {"PAIR-s, training accuracy", "training accuracy", "test-domain validation set (oracle)"}) {
    EXPECT_THAT(finished.out,
                HasSubstr(std::string("Dataset: cmnist, model selection method: ") + title + "\n"));
  }
  EXPECT_THAT(finished.out, HasSubstr("beta 0.9"));
  EXPECT_THAT(finished.err, HasSubstr("using training accuracy instead"));
  EXPECT_THAT(finished.out, Not(HasSubstr("model selection method: leave-one-domain-out")));
  const json oracle = json::parse(
      run_pair({"select", scratch.path().string(), "--criterion", "oracle", "--format", "json"}).out);
  EXPECT_EQ(oracle["criteria"][0]["choices"].size(), 2U);
}

TEST(SelectFromOurs, ExplainsAnX) {
  const Scratch scratch;
  write(scratch / "a/results.jsonl", cmnist_line("erm", 0, 10));
  write(scratch / "b/results.jsonl", cmnist_line("irmv1", 0, 10));
  const std::string x = "\nX: no run was selected; a row with an X has no average.\n";
  for (const char* const format : {"text", "markdown"}) {
    EXPECT_THAT(run_pair({"select", scratch.path().string(), "--criterion", "pair", "--format", format}).out,
                HasSubstr(x));
    EXPECT_THAT(
        run_pair({"select", scratch.path().string(), "--criterion", "oracle", "--format", format}).out,
        Not(HasSubstr(x)));
  }
}

TEST(SelectFromOurs, SaysWhyRegressionsCannotBeSelected) {
  const Scratch scratch;
  json record = json::parse(cmnist_line("erm", 0, 10));
  for (int i = 0; i < 5; ++i) {
    record.erase("env" + std::to_string(i) + "_in_acc");
    record.erase("env" + std::to_string(i) + "_out_acc");
    record["env" + std::to_string(i) + "_in_mse"] = 0.5;
  }
  write(scratch / "a/results.jsonl", record.dump() + "\n");
  const Finished finished = run_pair({"select", scratch.path().string()});
  EXPECT_EQ(finished.status, 1);
  EXPECT_THAT(finished.err, HasSubstr("was left out: its records are those of a regression"));
  EXPECT_THAT(finished.err, Not(HasSubstr("env{i}")));
}

TEST(SelectFromOurs, FailsWithOneSentenceWhereNothingCouldBeChosen) {
  const Scratch scratch;
  write(scratch / "a/results.jsonl", cmnist_line("erm", 0, 10));
  const Finished finished = run_pair({"select", scratch.path().string(), "--criterion", "leave-one-out"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_THAT(finished.err, HasSubstr("pair: no model could be chosen from 1 run; the lines above say what "
                                      "each criterion needs\n"));
  EXPECT_THAT(finished.out, Not(HasSubstr(" X ")));
}

TEST(SelectFromOurs, NamesRunsThatFailedBeforeTheirFirstRecord) {
  const Scratch scratch;
  write(scratch / "a/results.jsonl", cmnist_line("erm", 0, 10));
  write(scratch / "b/results.jsonl", "");
  write(scratch / "b/failed", "no memory\n");
  const Finished finished = run_pair({"select", scratch.path().string()});
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.err, HasSubstr("b failed before its first record: no memory\n"));
  EXPECT_THAT(finished.err, Not(HasSubstr("b was left out")));
}

TEST_F(Select, TradesAccuracyForPenaltiesAboveTheBar) {
  // All last steps count; the bar at half the way keeps draws 1 and 2, and 1 has the smaller penalty.
  const json pair = json::parse(run({"--criterion", "pair", "--format", "json"}).out);
  const json chosen = pair["criteria"][0]["choices"][0]["chosen"];
  EXPECT_EQ(chosen["hparams_seed"], 1);
  EXPECT_EQ(chosen["losses"]["penalty"], 0.02);
  EXPECT_LT(chosen["score"], 0.0);
  EXPECT_EQ(pair["criteria"][0]["choices"][0]["decided_by"], "score");
  const json accurate = json::parse(run({"--criterion", "train-domain", "--format", "json"}).out);
  EXPECT_EQ(accurate["criteria"][0]["choices"][0]["chosen"]["hparams_seed"], 2);
  const json low = json::parse(run({"--criterion", "pair", "--percentile", "0", "--format", "json"}).out);
  EXPECT_EQ(low["criteria"][0]["choices"][0]["chosen"]["hparams_seed"], 0);
}

TEST_F(Select, WritesEveryFormat) {
  const std::string latex = run({"--format", "latex"}).out;
  EXPECT_THAT(latex, StartsWith("\\documentclass{article}\n"));
  EXPECT_THAT(latex, HasSubstr("\\textbf{+90\\%}"));
  EXPECT_THAT(latex, ::testing::EndsWith("\\end{document}\n"));

  const std::string markdown = run({"--format", "markdown", "--criterion", "oracle"}).out;
  EXPECT_THAT(markdown, HasSubstr("| Algorithm | +90% | +80% | -90% | Avg |\n|---|---:|---:|---:|---:|\n"));
  EXPECT_THAT(markdown, HasSubstr("### Chosen: test-domain validation set (oracle)\n"));

  std::istringstream csv(run({"--format", "csv", "--criterion", "oracle"}).out);
  std::string line;
  std::getline(csv, line);
  EXPECT_EQ(
      line,
      "criterion,dataset,algorithm,trial_seed,test_envs,run,hparams_seed,step,validation,accuracy,score,"
      "losses,hparams,rank");
  std::getline(csv, line);
  EXPECT_EQ(line,
            "oracle,ColoredMNIST,IRM,0,0," + folder() + "/run02,2,300,0.73,0.73,,,batch_size=64;lr=0.003,1");

  const json report = json::parse(run({"--format", "json"}).out);
  EXPECT_EQ(report["runs"], 9);
  EXPECT_EQ(report["criteria"].size(), 5U);
  const json oracle = report["criteria"][4];
  EXPECT_EQ(oracle["criterion"], "oracle");
  EXPECT_EQ(oracle["tables"][0]["columns"], json({"+90%", "+80%", "-90%"}));
  EXPECT_NEAR(oracle["tables"][0]["rows"][0]["average"].get<double>(), 73.0, 1e-9);
  EXPECT_EQ(oracle["choices"][0]["chosen"]["hparams"]["lr"], 0.003);
  EXPECT_FALSE(oracle["choices"][0].contains("candidates"));
}

TEST_F(Select, ExplainsWithEveryCandidate) {
  const Finished finished = run({"--criterion", "pair", "--explain"});
  EXPECT_THAT(finished.out, HasSubstr("IRM on ColoredMNIST, trial 0, tested in +90%: score = -("));
  EXPECT_THAT(finished.out, HasSubstr("among the 2 of 3 runs with a validation accuracy of at least"));
  EXPECT_THAT(finished.out, HasSubstr("below the bar"));
  EXPECT_THAT(finished.out, HasSubstr("lr=0.002"));
  EXPECT_THAT(finished.out, Not(HasSubstr("batch_size"))) << "which does not vary";
  const json report = json::parse(run({"--criterion", "pair", "--explain", "--format", "json"}).out);
  EXPECT_EQ(report["criteria"][0]["choices"][0]["candidates"].size(), 3U);

  std::istringstream csv(run({"--criterion", "oracle", "--explain", "--format", "csv"}).out);
  std::string line;
  std::getline(csv, line);
  for (const std::string rank : {",1", ",2", ",3", ",1"}) {
    std::getline(csv, line);
    EXPECT_THAT(line, ::testing::EndsWith(rank));
  }
  const Finished latex = run({"--explain", "--format", "latex"});
  EXPECT_EQ(latex.status, 2);
  EXPECT_THAT(latex.err, HasSubstr("--explain does not apply to --format latex"));
}

TEST_F(Select, NormalisesThePreferenceThatIsGiven) {
  const json one = json::parse(run({"--criterion", "pair", "--preference", "1,3", "--format", "json"}).out);
  const json other =
      json::parse(run({"--criterion", "pair", "--preference", "1e5,3e5", "--format", "json"}).out);
  EXPECT_EQ(one["criteria"][0]["choices"][0]["preference"], json({0.25, 0.75}));
  EXPECT_EQ(one["criteria"], other["criteria"]);
}

// A record of ours with its objectives in this order, each loss its place in it.
std::string own_line(int draw, int step, const std::vector<std::string>& objectives) {
  json record{{"args",
               {{"algorithm", "pair"},
                {"dataset", "ColoredMNIST"},
                {"test_envs", {0}},
                {"trial_seed", 0},
                {"hparams_seed", draw}}},
              {"hparams", {{"objectives", objectives}}},
              {"step", step}};
  for (std::size_t i = 0; i < objectives.size(); ++i) {
    record["losses"][objectives[i]] = 0.1 * static_cast<double>(i + 1);
  }
  for (int i = 0; i < 3; ++i) {
    record["env" + std::to_string(i) + "_in_acc"] = 0.6;
    record["env" + std::to_string(i) + "_out_acc"] = 0.6;
  }
  return record.dump() + "\n";
}

TEST_F(Select, GivesThePreferencesNumbersToTheObjectivesInTheRunsOrder) {
  write(scratch / "own/results.jsonl", own_line(0, 0, {"erm", "irmv1", "ib"}));
  const json report = json::parse(
      run({"--criterion", "pair", "--algorithms", "pair", "--preference", "1,7,2", "--format", "json"}).out);
  const json choice = report["criteria"][0]["choices"][0];
  EXPECT_EQ(choice["losses"], json({"erm", "irmv1", "ib"}));
  EXPECT_NEAR(choice["preference"][1].get<double>(), 0.7, 1e-12);
  // -(0.1 * 0.1 + 0.7 * 0.2 + 0.2 * 0.3).
  EXPECT_NEAR(choice["chosen"]["score"].get<double>(), -0.21, 1e-12);
}

TEST_F(Select, LeavesOutAlgorithmsThatThePreferenceIsNotFor) {
  write(scratch / "own/results.jsonl", own_line(0, 0, {"erm", "irmv1", "ib"}));
  const Finished three = run({"--criterion", "pair", "--preference", "1,7,2", "--format", "json"});
  ASSERT_EQ(three.status, 0) << three.err;
  EXPECT_EQ(json::parse(three.out)["criteria"][0]["choices"].size(), 1U);
  EXPECT_THAT(three.err,
              HasSubstr("9 runs were left out, such as " + folder() +
                        "/run00: the preference has 3 numbers, but IRM has 2 losses: nll, penalty"));
  const Finished two = run({"--criterion", "all", "--preference", "1,7", "--format", "json"});
  ASSERT_EQ(two.status, 0) << two.err;
  EXPECT_EQ(json::parse(two.out)["criteria"][0]["choices"].size(), 3U);
  EXPECT_THAT(two.err, HasSubstr("own was left out: the preference has 2 numbers, but pair has 3 losses"));
  const Finished none = run({"--preference", "1,2,3,4"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("the preference has 4 numbers, but IRM has 2 losses"));
}

TEST_F(Select, KeepsTheNamedAlgorithmsAndDatasets) {
  write(scratch / "erm/results.jsonl", domainbed_line("ERM", 0, 0, 0, 0.5));
  for (const char* name : {"IRM", "irm", "irmv1"}) {
    const Finished finished =
        run({"--criterion", "oracle", "--algorithms", name, "--datasets", "ColoredMNIST"});
    EXPECT_THAT(finished.out, StartsWith("9 runs, 36 records\n")) << finished.err;
    EXPECT_THAT(finished.out, Not(HasSubstr("ERM")));
  }
  EXPECT_THAT(run({"--criterion", "oracle", "--algorithms", "IRM,ERM"}).out,
              StartsWith("10 runs, 37 records\n"));
  const Finished unknown = run({"--algorithms", "IRN"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("unknown algorithm 'IRN'; did you mean 'IRM'?"));
  EXPECT_THAT(run({"--datasets", "PACS"}).err, HasSubstr("unknown dataset 'PACS'"));
}

TEST_F(Select, KeepsMethodsWhoseNamesHaveCommas) {
  write(scratch / "two/results.jsonl", own_line(0, 0, {"erm", "irmv1"}));
  write(scratch / "three/results.jsonl", own_line(0, 0, {"erm", "irmv1", "ib"}));
  EXPECT_THAT(run({"--criterion", "oracle", "--algorithms", "pair (erm, irmv1)"}).out,
              StartsWith("1 run, 1 record\n"));
  EXPECT_THAT(run({"--criterion", "oracle", "--algorithms", "pair (erm, irmv1, ib),IRM,"}).out,
              StartsWith("10 runs, 37 records\n"));
}

TEST(SelectFromOurs, KeepsDatasetsWhoseNamesHaveCommas) {
  const Scratch scratch;
  const auto write_run = [&scratch](const std::string& file, const std::string& label) {
    json record = json::parse(cmnist_line("erm", 0, 10));
    record["args"]["dataset"] = "table";
    record["hparams"] = {
        {"file", "/data/" + file}, {"file_sha256", file}, {"label", label}, {"environment", {"site"}}};
    write(scratch / (file + label) / "results.jsonl", record.dump() + "\n");
  };
  write_run("mine.csv", "out=come");
  write_run("mine.csv", "death");
  write_run("other.csv", "death");
  const auto kept = [&scratch](const std::string& names) {
    return run_pair({"select", scratch.path().string(), "--criterion", "oracle", "--datasets", names});
  };
  EXPECT_THAT(kept("table (mine.csv, label 'out=come')").out, StartsWith("1 run, 1 record\n"));
  EXPECT_THAT(kept("table (mine.csv, label 'out=come'),table (other.csv, label 'death')").out,
              StartsWith("2 runs, 2 records\n"));
  EXPECT_THAT(kept("table").out, StartsWith("3 runs, 3 records\n"));
  EXPECT_THAT(kept("table (mine.csv, label 'birth')").err,
              HasSubstr("unknown dataset 'table (mine.csv, label 'birth')'"));
  for (const char* const nothing : {"", ","}) {
    EXPECT_EQ(kept(nothing).status, 2);
    EXPECT_THAT(kept(nothing).err, HasSubstr("--datasets: expected a name, got none"));
  }
}

TEST_F(Select, ReportsWhatItLeftOutAndContinues) {
  write(scratch / "bad/results.jsonl", domainbed_line("IRM", 0, 0, 0, 0.5) + "{\"step\": NaN\n");
  write(scratch / "half/results.jsonl", domainbed_line("IRM", 0, 7, 0, 0.5) + "{\"step\"");
  std::filesystem::create_directories(scratch / "empty");
  const Finished finished = run({"--criterion", "oracle"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.out, StartsWith("11 runs, 38 records\n"));
  EXPECT_THAT(finished.err, HasSubstr("bad/results.jsonl, line 2, is not JSON\n"));
  EXPECT_THAT(finished.err, HasSubstr("half/results.jsonl, line 2, has no end"));
  EXPECT_THAT(finished.err, HasSubstr("empty has no results.jsonl\n"));
  EXPECT_THAT(finished.err, HasSubstr("2 runs are not finished, such as " + folder() + "/bad;"));
}

TEST_F(Select, NamesEveryBadLineInJsonAndExplained) {
  write(scratch / "bad/results.jsonl", "{\n" + domainbed_line("IRM", 0, 0, 0, 0.5) + "[]\n\n");
  const Finished brief = run({"--criterion", "oracle"});
  EXPECT_THAT(brief.err, HasSubstr("bad/results.jsonl, line 1, is not JSON (and 2 more lines)\n"));
  EXPECT_THAT(brief.err, Not(HasSubstr("line 3")));
  const Finished explained = run({"--criterion", "oracle", "--explain"});
  for (const char* sentence :
       {"bad/results.jsonl, line 1, is not JSON\n", "bad/results.jsonl, line 3, is not a JSON object\n",
        "bad/results.jsonl, line 4, is empty\n"}) {
    EXPECT_THAT(explained.err, HasSubstr(sentence));
  }
  const json left_out = json::parse(run({"--criterion", "oracle", "--format", "json"}).out)["left_out"][0];
  EXPECT_EQ(left_out["line"], 1);
  EXPECT_EQ(left_out["more_lines"], 2);
  EXPECT_EQ(left_out["lines"].size(), 3U);
  EXPECT_EQ(left_out["lines"][1], (json{{"line", 3}, {"what", "is not a JSON object"}}));
  EXPECT_EQ(left_out["lines_not_listed"], 0);
}

TEST_F(Select, IsBriefAboutManyOmissions) {
  for (int i = 0; i < 30; ++i) {
    std::filesystem::create_directories(scratch / ("empty" + std::to_string(i)));
  }
  const std::string err = run({"--criterion", "oracle"}).err;
  EXPECT_EQ(std::count(err.begin(), err.end(), '\n'), 11);
  EXPECT_THAT(err, HasSubstr("left out: 20 more; --explain names all"));
  const std::string all = run({"--criterion", "oracle", "--explain"}).err;
  EXPECT_EQ(std::count(all.begin(), all.end(), '\n'), 30);
}

TEST_F(Select, SaysThatDomainBedsRecordsHaveNoHeldOutLosses) {
  const Finished finished = run({"--criterion", "pair", "--losses-from", "held-out"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_THAT(finished.err, HasSubstr("on held-out samples"));
  EXPECT_THAT(finished.err, HasSubstr("PAIR-s, training-domain validation set, held-out losses: 9 runs"));
}

TEST_F(Select, ExitsWith2WhereTheArgumentsAreWrong) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"--criterion", "oracel"},
       "pair: --criterion: expected pair, pair-run, train-domain, leave-one-out, oracle or "
       "all, got 'oracel'; did you mean 'oracle'?\n"},
      {{"--format", "yaml"}, "--format: expected text, latex, markdown, csv or json, got 'yaml'\n"},
      {{"--format", "csv", "--json"}, "--json: expected without --format csv, got both\n"},
      {{"--validation", "test"},
       "--validation: expected train-domain, test-domain, leave-one-out or training, got 'test'; "
       "did you mean 'test-domain'?\n"},
      {{"--criterion", "pair-run", "--validation", "test-domain"},
       "--validation: expected train-domain or training with the criterion pair-run, got 'test-domain'\n"},
      {{"--across", "scores"},
       "--across: expected paper, score or validation, got 'scores'; did you mean 'score'?\n"},
      {{"--rule", "releas"}, "--rule: expected paper or release, got 'releas'; did you mean 'release'?\n"},
      {{"--losses-from", "test"}, "--losses-from: expected train or held-out, got 'test'\n"},
      {{"--losses-from", "heldout"}, "did you mean 'held-out'?"},
      {{"--losses", "nll,penalti"}, "unknown loss 'penalti'; did you mean 'penalty'?"},
      {{"--losses", "nll,nll"}, "--losses: expected each loss once, got 'nll' twice"},
      {{"--losses", "env0_in_acc"}, "--losses: expected losses, got 'env0_in_acc', which is an accuracy\n"},
      {{"--preference", "1,x"}, "--preference: expected auto or numbers, such as 1,1e10,1e12, got '1,x'"},
      {{"--preference", ""}, "got ''"},
      {{"--preference", "1,0"}, "--preference: expected finite numbers above 0, got 0"},
      {{"--preference", "1,2,3"}, "the preference has 3 numbers, but IRM has 2 losses: nll, penalty"},
      {{"--percentile", "2"}, "--percentile: expected a number from 0 to 1, got 2"},
      {{"--percentile", "nan"}, "--percentile: expected a number from 0 to 1, got nan"},
      {{"--last", "0"}, "--last: expected an integer of at least 1, got 0\n"},
      {{"--last", "5", "--skip-steps", "5"}, "--skip-steps: expected without --last, got both\n"},
      {{"--skip", "-2"}, "--skip-steps: expected an integer of at least 0, got -2\n"},
      {{"--export", "x"},
       "--export: expected one --criterion (pair, pair-run, train-domain, leave-one-out or "
       "oracle), got all\n"},
      {{"--skip-steps", "-1"}, "--skip-steps: expected an integer of at least 0, got -1\n"},
      {{"--last", "-1"}, "--last: expected an integer of at least 1, got -1\n"},
  };
  for (const auto& [arguments, sentence] : cases) {
    const Finished finished = run(arguments);
    EXPECT_EQ(finished.status, 2) << sentence;
    EXPECT_THAT(finished.err, HasSubstr(sentence));
    EXPECT_LT(finished.err.size(), 300U) << "one that can be read";
    EXPECT_THAT(finished.out, IsEmpty());
  }
}

TEST_F(Select, PrintsNoControlCharactersOfFolderNames) {
  std::filesystem::rename(scratch / "run01", scratch / "run\x1b[31m\a\n01");
  std::filesystem::create_directory(scratch / "empty\x1b[31m");
  write(scratch / "open\x1b[31m/results.jsonl", domainbed_line("IRM", 0, 5, 0, 0.9));
  for (const char* const format : {"text", "markdown", "csv", "latex", "json"}) {
    const Finished finished = format == std::string_view("latex") ? run({"--format", format})
                                                                  : run({"--format", format, "--explain"});
    EXPECT_EQ(finished.status, 0) << finished.err;
    for (const std::string& text : {finished.out, finished.err}) {
      EXPECT_TRUE(
          std::all_of(text.begin(), text.end(), [](unsigned char c) { return c == '\n' || c >= 0x20; }))
          << format << ": " << text;
    }
  }
  const Finished report = run_pair({"report", folder(), "-o", (scratch / "page.html").string()});
  EXPECT_THAT(report.err, HasSubstr("empty?[31m has no results.jsonl"));
  EXPECT_THAT(report.err, Not(HasSubstr("\x1b")));
  const std::string page = (scratch / "page\x1b[31m.html").string();
  EXPECT_EQ(run_pair({"report", folder(), "-o", page}).out, (scratch / "page?[31m.html\n").string());
  EXPECT_TRUE(std::filesystem::exists(page));
}

TEST_F(Select, LeavesOutADoneRunWhoseRecordsWereAlteredAndSaysSo) {
  write(scratch / "run01/done", R"({"records":4,"records_digest":"0"})");
  const std::string sentence = "pair: left out: " + folder() +
                               "/run01/results.jsonl does not hold the records that the run ended with";
  const Finished selected = run({});
  EXPECT_THAT(selected.out, StartsWith("8 runs, 32 records\n"));
  EXPECT_THAT(selected.err, HasSubstr(sentence));
  const Finished report = run_pair({"report", folder(), "--json"});
  EXPECT_EQ(report.status, 0);
  EXPECT_THAT(report.err, HasSubstr(sentence));
  EXPECT_EQ(json::parse(report.out)["runs"].size(), 8U);
}

TEST_F(Select, LeavesOutARunWhoseDoneIsDamagedAndSaysSo) {
  const std::string sentence = "pair: left out: " + folder() + "/run01/done is damaged: expected ";
  for (const char* const done : {"", R"({"steps":4,"seconds":1.0})"}) {
    write(scratch / "run01/done", done);
    const Finished selected = run({});
    EXPECT_THAT(selected.out, StartsWith("8 runs, 32 records\n"));
    EXPECT_THAT(selected.err, HasSubstr(sentence));
    const Finished report = run_pair({"report", folder(), "--json"});
    EXPECT_EQ(report.status, 0);
    EXPECT_THAT(report.err, HasSubstr(sentence));
    EXPECT_EQ(json::parse(report.out)["runs"].size(), 8U);
  }
}

TEST_F(Select, SaysWhichRunsAreNotTheSweeps) {
  json folders = json::array();
  for (const auto& entry : std::filesystem::directory_iterator(scratch.path())) {
    folders.push_back(entry.path().filename().string());
  }
  const auto put = [&](const json& sweep) { write(scratch / "sweep.json", sweep.dump()); };
  put({{"format", 1}, {"sweeps", json::array()}, {"folders", folders}});
  EXPECT_THAT(run({}).err, Not(HasSubstr("sweep")));
  folders.erase(0);
  put({{"format", 1}, {"sweeps", json::array()}, {"folders", folders}});
  const std::string sentence = "1 folder holds runs that are not among the sweep's runs, such as run";
  const Finished finished = run({});
  EXPECT_THAT(finished.err, HasSubstr(sentence));
  EXPECT_THAT(finished.out, StartsWith("9 runs, 36 records\n")) << "they count";
  EXPECT_THAT(run_pair({"report", folder(), "--json"}).err, HasSubstr(sentence));
  write(scratch / "sweep.json", "{");
  EXPECT_THAT(run({}).err, HasSubstr("sweep.json is not a JSON object; all runs in"));
}

TEST_F(Select, ReportReplacesOnlyPages) {
  const std::filesystem::path table = scratch / "ow.csv";
  write(table, "a,b\n1,2\n");
  const Finished refused = run_pair({"report", folder(), "-o", table.string()});
  EXPECT_EQ(refused.status, 2);
  EXPECT_EQ(refused.err, "pair: --out: expected a new file, or an HTML page to replace, got '" +
                             table.string() +
                             "', which is not an HTML page; give another name or remove it first\n");
  EXPECT_EQ(std::filesystem::file_size(table), 8U);
  for (const char* const page : {"", "<!DOCTYPE HTML>\n<p>", "<!doctype html>"}) {
    write(table, page);
    EXPECT_EQ(run_pair({"report", folder(), "-o", table.string()}).status, 0) << page;
  }
}

TEST_F(Select, ReportLeavesAGoodPageWhereTheDiskIsFull) {
  const std::string page = (scratch / "page.html").string();
  ASSERT_EQ(run_pair({"report", folder(), "-o", page}).status, 0);
  const auto size = std::filesystem::file_size(page);
  {
    const tests::FileLimit full(1000);
    const Finished finished = run_pair({"report", folder(), "-o", page});
    EXPECT_EQ(finished.status, 1);
    EXPECT_THAT(finished.err, HasSubstr("cannot write " + page));
  }
  EXPECT_EQ(std::filesystem::file_size(page), size);
}

TEST(SelectProgram, ExitsWith2WithoutRuns) {
  const Scratch scratch;
  const Finished empty = run_pair({"select", scratch.path().string()});
  EXPECT_EQ(empty.status, 2);
  EXPECT_THAT(empty.err, HasSubstr("no run found in '" + scratch.path().string() + "'"));
  const Finished missing = run_pair({"select", "/nonexistent"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, HasSubstr("'/nonexistent' does not exist; expected a folder of run folders"));
  EXPECT_EQ(run_pair({"select"}).status, 2);
}

TEST(SelectProgram, HelpsWithExamples) {
  for (const std::vector<std::string>& command :
       std::vector<std::vector<std::string>>{{"select", "--help"}, {"bench", "select", "--help"}}) {
    const Finished finished = run_pair(command);
    EXPECT_EQ(finished.status, 0);
    EXPECT_THAT(finished.out, HasSubstr("Example:\n  pair "));
  }
}

// Every command of docs/selection.md that is about the example.
TEST(SelectProgram, DoesWhatItsDocumentationShows) {
  const std::filesystem::path root = std::filesystem::path(PAIR_TEST_DATA).parent_path().parent_path();
  std::ifstream documentation(root / "docs" / "selection.md");
  int commands = 0;
  for (std::string line; std::getline(documentation, line);) {
    if (!line.starts_with("    pair select examples/sweep")) {
      continue;
    }
    ++commands;
    std::istringstream words(line);
    std::vector<std::string> arguments;
    for (std::string word; words >> word;) {
      arguments.push_back(word == "examples/sweep" ? (root / word).string() : word);
    }
    arguments.erase(arguments.begin());
    const Finished finished = run_pair(arguments);
    EXPECT_EQ(finished.status, 0) << line << "\n" << finished.err;
    EXPECT_THAT(finished.out, HasSubstr("IRM"));
    EXPECT_THAT(finished.out, HasSubstr("examples/sweep/irm-test2-draw"));
  }
  EXPECT_GE(commands, 6);
}

TEST(SelectProgram, MeasuresItself) {
  const Finished finished = run_pair({"bench", "select", "--runs", "400", "--records", "5", "--json"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const json report = json::parse(finished.out);
  EXPECT_EQ(report["runs"], 400);
  EXPECT_EQ(report["records"], 2000);
  EXPECT_GT(report["choices"], 0);
  EXPECT_GT(report["total_median_s"], 0.0);
  EXPECT_GT(report["peak_mb"], 1.0);
  EXPECT_EQ(report["median_s"].size(), 6U);
}

}  // namespace
}  // namespace pair::cli::test::select_test
