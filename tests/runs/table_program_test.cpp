// 'pair train' on a CSV file as a user meets it.

#include <gmock/gmock.h>

#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "pair/runs/file.h"
#include "pair/runs/run_directory.h"
#include "tests/runs/fixtures.h"
#include "tests/runs/program.h"

namespace pair::runs::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::Not;

void write_text(const fs::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

// 40 rows per hospital. The label is a function of the row's number.
std::string patients(const std::function<std::string(int)>& label) {
  std::string text = "id,hospital,age,sex,outcome\n";
  for (int i = 0; i < 120; ++i) {
    const char* const hospitals[] = {"St. Mary", "Eastside", "Lakeview, North"};
    text += "P" + std::to_string(i) + ",\"" + hospitals[i % 3] + "\"," + std::to_string(30 + i * 7 % 50) +
            "," + (i % 4 == 0 ? "F" : "M") + "," + label(i) + "\n";
  }
  return text;
}

std::string two_classes() {
  return patients([](int i) { return i % 5 < 2 ? "yes" : "no"; });
}

std::vector<std::string> table_run(const std::vector<std::string>& more = {},
                                   const std::string& file = "p.csv") {
  std::vector<std::string> arguments = {"train",         "--data",     file,          "--label", "outcome",
                                        "--environment", "hospital",   "--steps",     "6",       "--set",
                                        "model=linear",  "pretrain=3", "eval_every=3"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

struct Ran {
  int status = 0;
  std::string out;
  std::string err;
};

Ran ran(const Scratch& scratch, const std::vector<std::string>& arguments) {
  Program program(arguments, scratch.path());
  Ran run;
  run.status = program.wait();
  run.out = program.out();
  run.err = program.err();
  return run;
}

TEST(PairTrainTable, ShowsTheColumnsThenTrainsAndShowsEnvironmentsByName) {
  const Scratch scratch;
  write_text(scratch / "p.csv", two_classes());
  const Ran run = ran(scratch, table_run({"--ignore", "id", "--test-envs", "St. Mary", "--out", "run"}));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(
      run.out,
      AllOf(HasSubstr("120 rows, 2 columns, 3 inputs"), HasSubstr("2 classes, 'no' and 'yes'"),
            HasSubstr("trained on 'Eastside' and 'Lakeview, North'; tested on 'St. Mary'"),
            ContainsRegex("age +number +0 +mean"), ContainsRegex("sex +category +0 +2: 'F' and 'M'")));
  EXPECT_THAT(run.out, AllOf(ContainsRegex("0  train +Eastside +[0-9.]+%"),
                             ContainsRegex("2  test +St. Mary +[0-9.]+%")));
  const auto spec = nlohmann::json::parse(read_file(scratch / "run" / "spec.json"));
  EXPECT_EQ(spec.at("dataset"), "table");
  EXPECT_EQ(spec.at("test_envs"), nlohmann::json({2}));
  EXPECT_EQ(spec.at("file"), (fs::canonical(scratch.path()) / "p.csv").string());

  // Done is done, and the file that the run was made of is part of its settings.
  const Ran again = ran(scratch, table_run({"--ignore", "id", "--test-envs", "2", "--out", "run"}));
  EXPECT_EQ(again.status, 0) << again.err;
  EXPECT_THAT(again.out, AllOf(HasSubstr("Already finished"), Not(HasSubstr("120 rows"))));
  write_text(scratch / "p.csv", two_classes() + "P120,Eastside,50,F,no\n");
  const Ran changed = ran(scratch, table_run({"--ignore", "id", "--test-envs", "2", "--out", "run"}));
  EXPECT_NE(changed.status, 0);
  EXPECT_THAT(changed.err, HasSubstr("file_sha256"));
}

// Both name the rows alike, and 'worst test' is over the rows 'test'.
TEST(PairTrainTable, TheWorstTestScoreIsThatOfTheRowsTestInTrainAndScore) {
  const Scratch scratch;
  write_text(scratch / "p.csv", two_classes());
  const Ran run = ran(scratch, table_run({"--ignore", "id", "--test-envs", "0,2", "--out", "run"}));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out,
              AllOf(ContainsRegex("1  train +Lakeview"), ContainsRegex("1  train, held out +Lakeview"),
                    ContainsRegex("2  test +St. Mary"), ContainsRegex("2  test, held out +St. Mary"),
                    ContainsRegex("worst test +of rows 'test' +[0-9.]+%")));
  const auto scores = nlohmann::json::parse(ran(scratch, {"score", "run", "--json"}).out);
  double worst = 1.0;
  double worst_training = 1.0;
  for (const auto& environment : scores.at("environments")) {
    const auto accuracy = environment.at("scores").at("accuracy").get<double>();
    if (environment.at("part") == "test") {
      worst = std::min(worst, accuracy);
    } else if (environment.at("part") != "test, held out") {
      worst_training = std::min(worst_training, accuracy);
    }
  }
  EXPECT_EQ(scores.at("worst_test").at("accuracy"), worst);
  EXPECT_EQ(scores.at("worst_training").at("accuracy"), worst_training);
  const std::string lines = read_file(scratch / "run" / "results.jsonl");
  const auto last = nlohmann::json::parse(lines.substr(lines.rfind('\n', lines.size() - 2) + 1));
  EXPECT_EQ(last.at("worst_test_acc"), worst);
  const Ran shown = ran(scratch, {"score", "run"});
  EXPECT_THAT(shown.out,
              AllOf(ContainsRegex("\nworst training +[0-9.]+"), ContainsRegex("\nworst test +[0-9.]+"),
                    ContainsRegex("St. Mary +env2_out +test, held out")));
}

// Whichever way the rows are divided, their inputs are those of the run's own encoding.
TEST(PairTrainTable, IsScoredOnOtherDivisionsOfItsRows) {
  const Scratch scratch;
  write_text(scratch / "p.csv", two_classes());
  const Ran run = ran(scratch, table_run({"--ignore", "id", "--test-envs", "0", "--out", "run"}));
  ASSERT_EQ(run.status, 0) << run.err;
  // The correct answers in each environment, and the samples of all rows that are held out.
  const auto scored = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments = {"score", "run", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ran answer = ran(scratch, arguments);
    EXPECT_EQ(answer.status, 0) << answer.err;
    std::map<std::string, double> correct;
    double held_out = 0;
    const auto scores = nlohmann::json::parse(answer.out);
    for (const auto& environment : scores.at("environments")) {
      const auto samples = environment.at("samples").get<double>();
      correct[environment.at("name")] += samples * environment.at("scores").at("accuracy").get<double>();
      held_out += environment.at("key").get<std::string>().ends_with("_out") ? samples : 0;
    }
    return std::pair(correct, held_out);
  };
  const auto [own, own_held_out] = scored({});
  const auto [share, share_held_out] = scored({"--set", "holdout=0.5"});
  const auto [seed, seed_held_out] = scored({"--seed", "1"});
  EXPECT_EQ(own_held_out, 24);
  EXPECT_EQ(share_held_out, 60);
  EXPECT_EQ(seed_held_out, 24);
  for (const auto& [name, correct] : own) {
    EXPECT_NEAR(share.at(name), correct, 1e-6) << name;
    EXPECT_NEAR(seed.at(name), correct, 1e-6) << name;
  }
}

TEST(PairTrainTable, GivesTheSameRecordsFromAGzippedFile) {
  const Scratch scratch;
  write_text(scratch / "p.csv", two_classes());
  ASSERT_EQ(std::system(("gzip -k '" + (scratch / "p.csv").string() + "'").c_str()), 0);
  const auto record = [&](const std::string& file) {
    const Ran run = ran(scratch, table_run({"ignore=id", "--json", "--out", file + ".run"}, file));
    EXPECT_EQ(run.status, 0) << run.err;
    return nlohmann::json::parse(run.out).at("record").at("env0_in_acc");
  };
  EXPECT_EQ(record("p.csv"), record("p.csv.gz"));
}

TEST(PairTrainTable, LeavesOutEachEnvironmentInTurn) {
  const Scratch scratch;
  write_text(scratch / "p.csv", two_classes());
  const Ran run = ran(scratch, table_run({"--ignore", "id", "--test-envs", "each", "--out", "runs3"}));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("with each environment left out in turn"),
                             ContainsRegex("Lakeview, North +[0-9.]+% +[0-9.]+%"),
                             ContainsRegex("mean +[0-9.]+%"), ContainsRegex("worst +[0-9.]+%")));
  EXPECT_EQ(std::distance(fs::directory_iterator(scratch / "runs3"), fs::directory_iterator()), 3);
  const Ran json =
      ran(scratch, table_run({"--ignore", "id", "--test-envs", "each", "--out", "runs3", "--json"}));
  const auto summary = nlohmann::json::parse(json.out);
  const auto& all = summary.at("runs");
  ASSERT_EQ(all.size(), 3U);
  double sum = 0.0;
  double worst = 1.0;
  for (const auto& row : summary.at("left_out")) {
    sum += row.at("score").get<double>();
    worst = std::min(worst, row.at("score").get<double>());
  }
  EXPECT_EQ(summary.at("left_out")[1].at("environment"), "Lakeview, North");
  EXPECT_EQ(summary.at("metric"), "accuracy");
  EXPECT_NEAR(summary.at("mean").get<double>(), sum / 3.0, 1e-12);
  EXPECT_EQ(summary.at("worst"), worst);
  EXPECT_EQ(all[1].at("record").at("args").at("test_envs"), nlohmann::json({1}));
  EXPECT_TRUE(all[1].at("was_done").get<bool>());
}

TEST(PairTrainTable, TheModelPredictsNewRows) {
  const Scratch scratch;
  write_text(scratch / "p.csv", two_classes());
  ASSERT_EQ(ran(scratch, table_run({"--ignore", "id", "--out", "run"})).status, 0);
  write_text(scratch / "new.csv", "sex;age\nF;50\nX;\n");
  const Ran run = ran(scratch, {"predict", "run", "new.csv"});
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, AllOf(HasSubstr("input,class,p_no,p_yes\n"),
                             ContainsRegex("new.csv:2,(no|yes),0.[0-9]+,0.[0-9]+"), HasSubstr("new.csv:3,")));
  write_text(scratch / "n.csv", patients([](int i) { return std::to_string(1000 + i * i) + ".5"; }));
  ASSERT_EQ(ran(scratch, table_run({"--ignore", "id", "--out", "numbers"}, "n.csv")).status, 0);
  // In the label's own units.
  EXPECT_THAT(ran(scratch, {"predict", "numbers", "new.csv"}).out,
              ContainsRegex("new.csv:2,[0-9][0-9][0-9][0-9]"));
}

TEST(PairTrainTable, PredictDoesNotReplaceItsInput) {
  const Scratch scratch;
  write_text(scratch / "p.csv", two_classes());
  ASSERT_EQ(ran(scratch, table_run({"--ignore", "id", "--out", "run"})).status, 0);
  fs::create_hard_link(scratch / "p.csv", scratch / "link.csv");
  for (const char* const out : {"p.csv", "./p.csv", "link.csv"}) {
    const Ran refused = ran(scratch, {"predict", "run", "p.csv", "-o", out});
    EXPECT_EQ(refused.status, 2) << out;
    EXPECT_EQ(refused.err, "pair: --out: expected another file than the input 'p.csv', got the same\n");
  }
  EXPECT_EQ(read_file(scratch / "p.csv"), two_classes());
  const Ran image = ran(scratch, {"predict", "run", "p.csv", "-o", "p.PNG"});
  EXPECT_EQ(image.status, 2);
  EXPECT_EQ(
      image.err,
      "pair: --out: expected the name of a CSV or JSON lines file, got 'p.PNG', the name of an image\n");
  const Ran none = ran(scratch, {"predict", "run"});
  EXPECT_EQ(none.status, 2);
  EXPECT_EQ(none.err, "pair: INPUTS: expected files, folders, or - for standard input, got none\n");
}

TEST(PairTrainTable, NamesTheUnitOfTheErrorsOfARegression) {
  const Scratch scratch;
  write_text(scratch / "p.csv", patients([](int i) { return std::to_string(1000 + i * i) + ".5"; }));
  constexpr const char* unit =
      "(of the standardised label; on the training rows, predicting their mean gives 1):\n";
  const Ran run = ran(scratch, table_run({"--ignore", "id", "--out", "run"}));
  EXPECT_THAT(run.out, HasSubstr(std::string("Mean squared error after step 6 ") + unit)) << run.err;
  const Ran json = ran(scratch, table_run({"--ignore", "id", "--out", "run", "--json"}));
  EXPECT_EQ(nlohmann::json::parse(json.out).at("standardised_label"), true);
  const Ran each = ran(scratch, table_run({"--ignore", "id", "--test-envs", "each", "--out", "runs3"}));
  EXPECT_THAT(each.out,
              HasSubstr(std::string("Mean squared error with each environment left out in turn ") + unit));
  write_text(scratch / "p.csv", two_classes());
  const Ran classes = ran(scratch, table_run({"--ignore", "id", "--out", "classes", "--json"}));
  EXPECT_FALSE(nlohmann::json::parse(classes.out).contains("standardised_label"));
}

TEST(PairTrainTable, SeveralColumnsNameAnEnvironment) {
  const Scratch scratch;
  write_text(scratch / "p.csv", two_classes());
  const Ran run = ran(scratch, table_run({"environment=hospital,sex", "--ignore", "id", "--test-envs",
                                          "Eastside/F", "--out", "r"}));
  ASSERT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.out, ContainsRegex("0  test +Eastside/F +[0-9.]+%"));
}

TEST(PairTrainTable, TrainsOnManyClassesAndOnNumbersWithEveryModel) {
  const Scratch scratch;
  write_text(scratch / "classes.csv", patients([](int i) { return std::string(1, "abcd"[i % 4]); }));
  write_text(scratch / "numbers.csv", patients([](int i) { return std::to_string(1000 + i * i) + ".5"; }));
  const std::vector<std::pair<const char*, const char*>> ways{
      {"model=linear", "pair"}, {"model=linear", "irmv1"}, {"model=linear", "fishr"},
      {"model=mlp", "pair"},    {"model=mlp", "vrex"},     {"model=mlp", "groupdro"}};
  for (const auto& [model, algorithm] : ways) {
    const std::string out = std::string(model) + algorithm;
    const Ran classes =
        ran(scratch,
            table_run({model, "ignore=id", "--algorithm", algorithm, "--out", out + "c"}, "classes.csv"));
    EXPECT_EQ(classes.status, 0) << out << classes.err;
    EXPECT_THAT(classes.out,
                AllOf(HasSubstr("4 classes, 'a', 'b', 'c' and 'd'"), HasSubstr("Accuracy after")));
    const Ran numbers =
        ran(scratch,
            table_run({model, "ignore=id", "--algorithm", algorithm, "--out", out + "n"}, "numbers.csv"));
    EXPECT_EQ(numbers.status, 0) << out << numbers.err;
    EXPECT_THAT(numbers.out, AllOf(HasSubstr("a regression, mean"), HasSubstr("Mean squared error after")));
  }
}

// examples/table: within three hospitals the tone of a scan predicts best, and at the fourth it is reversed.
TEST(PairTrainTable, OnTheExamplePairHoldsUpWhereErmFails) {
  const Scratch scratch;
  const fs::path patients = fs::path(PAIR_TEST_DATA) / "../../examples/table/patients.csv";
  const auto at_st_mary = [&](const std::string& algorithm) {
    const Ran run = ran(scratch, {"train", "--data", patients.string(), "--label", "outcome", "--environment",
                                  "hospital", "--ignore", "patient", "--test-envs", "St. Mary", "--algorithm",
                                  algorithm, "--out", algorithm, "--json", "--quiet"});
    EXPECT_EQ(run.status, 0) << run.err;
    return nlohmann::json::parse(run.out).at("record").at("env3_in_acc").get<double>();
  };
  EXPECT_LT(at_st_mary("erm"), 0.4);
  EXPECT_GT(at_st_mary("pair"), 0.55);
}

TEST(PairTrainTable, TheExampleIsWhatItsScriptWrites) {
  const Scratch scratch;
  const fs::path folder = fs::path(PAIR_TEST_DATA) / "../../examples/table";
  const fs::path written = scratch / "patients.csv";
  const std::string command = "'" + (folder / "make-patients").string() + "' > '" + written.string() + "'";
  if (std::system("python3 -c '' 2>/dev/null") != 0) {
    GTEST_SKIP() << "python3 is not installed";
  }
  ASSERT_EQ(std::system(command.c_str()), 0);
  EXPECT_EQ(read_file(written), read_file(folder / "patients.csv"));
}

TEST(PairTrainTable, SaysWhereAnEnvironmentLacksAClass) {
  const Scratch scratch;
  write_text(scratch / "p.csv", patients([](int i) { return i % 3 == 1 ? "no" : i % 5 < 2 ? "yes" : "no"; }));
  const Ran run = ran(scratch, table_run({"--ignore", "id", "--out", "r"}));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_THAT(run.err, HasSubstr("environments that lack a class: 1, 'Eastside' without 'yes'"));
}

TEST(PairTrainTable, SaysEachNoteOnce) {
  const Scratch scratch;
  write_text(scratch / "p.csv", patients([](int i) { return i == 50 ? "?" : i % 5 < 2 ? "1" : "0"; }));
  const Ran run =
      ran(scratch, table_run({"--ignore", "id", "--test-envs", "each", "--algorithm", "vrex", "--out", "r"}));
  EXPECT_EQ(run.status, 0) << run.err;
  const auto count = [&](std::string_view text) {
    std::size_t found = 0;
    for (std::size_t at = run.err.find(text); at != std::string::npos; at = run.err.find(text, at + 1)) {
      ++found;
    }
    return found;
  };
  EXPECT_EQ(count("pair: warning: "), 1U) << run.err;
  EXPECT_EQ(count("label 'outcome': 119 of 120 cells are numbers; line 52 has '?'"), 1U) << run.err;
  EXPECT_EQ(count("environments that lack a class"), 1U) << run.err;
  EXPECT_EQ(count("pair: "), count("pair: note: ") + count("pair: warning: ")) << run.err;
}

TEST(PairTrainTable, QuietKeepsWarnings) {
  const Scratch scratch;
  write_text(scratch / "p.csv", patients([](int i) { return i == 50 ? "?" : i % 5 < 2 ? "1" : "0"; }));
  const Ran run = ran(scratch, table_run({"--ignore", "id", "--test-envs", "0,1", "--algorithm", "vrex",
                                          "--quiet", "--out", "r"}));
  EXPECT_EQ(run.status, 0) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_THAT(run.err, AllOf(HasSubstr("pair: warning: "), HasSubstr("119 of 120 cells are numbers"),
                             HasSubstr("pair: warning: vrex compares environments; with one training "
                                       "environment it has no effect"),
                             Not(HasSubstr("pair: note: "))));
}

TEST(PairTrainTable, RefusesBadInputWithOneSentence) {
  const Scratch scratch;
  write_text(scratch / "p.csv", two_classes());
  fs::create_directory(scratch / "empty");
  const auto refuses = [&](const std::vector<std::string>& more, std::string_view sentence,
                           const std::string& file = "p.csv") {
    const Ran run = ran(scratch, table_run(more, file));
    EXPECT_EQ(run.status, 2) << run.err;
    EXPECT_THAT(run.err, HasSubstr(std::string(sentence)));
    EXPECT_FALSE(fs::exists(scratch / "runs")) << "no run was begun";
  };
  const auto refuses_text = [&](std::string_view text, std::string_view sentence,
                                const std::vector<std::string>& more = {}) {
    write_text(scratch / "bad.csv", text);
    refuses(more, sentence, "bad.csv");
  };
  refuses(
      {"label=outcme"},
      "p.csv, which has 'id', 'hospital', 'age', 'sex' and 'outcome', got 'outcme'; did you mean 'outcome'?");
  refuses(
      {"--ignore", "id", "--test-envs", "St. Marie"},
      "--test-envs: expected environments ('Eastside', 'Lakeview, North' and 'St. Mary', or numbers from 0 "
      "to 2) or "
      "each, got 'St. Marie'; did you mean 'St. Mary'?");
  refuses({"--ignore", "id", "--test-envs", "3"}, "got '3'");
  refuses(
      {},
      "column 'id': expected categories that several rows share, got 120 texts in 120 rows, such as 'P0'; "
      "--ignore id leaves it out");
  refuses({}, "--data: expected a CSV file or a folder of images, got 'none.csv', which does not exist",
          "none.csv");
  refuses({"--dataset", "cmnist"},
          "--data: expected no data for dataset cmnist, which has its own, got 'p.csv'");
  const std::string head = "hospital,age,outcome\n";
  refuses_text(head, "bad.csv: expected rows below the column names, got none");
  refuses_text("", "bad.csv: expected a row of column names and rows below it, got nothing");
  refuses_text(head + "A,1,no\nA,2,no\nB,3,no\nB,4,no\n",
               "label 'outcome': expected at least 2 classes, got 'no'", {"holdout=0.5"});
  refuses_text(head + "A,1,no\nA,2,yes\n",
               "environment: expected at least 2 environments, got 'A' in every row");
  refuses_text(
      head + "A,1,no\nA,1,yes\nB,1,no\nB,2,yes\n",
      "column 'age': expected values that differ, got the same in every training row; --ignore age leaves it "
      "out",
      {"holdout=0.5"});
  refuses_text(head + "A,1,no\nA,yes\nB,1,no\n",
               "bad.csv, line 3: expected 3 fields as in line 1 (separator ,), got 2");
  refuses_text(head + "A,1,no\nA,\"2,yes\nB,1,no\n",
               "line 3: expected a closing quote for field 2, got the end of the file");
  refuses_text(head + "A,1,no\nB\xe9,2,yes\n", "line 3: expected UTF-8, got byte 0xe9");
  refuses_text("hospital,day,outcome\nA,2021-03-04,no\nA,2021-03-05,yes\nB,2021-03-04,no\nB,2021-03-05,yes\n",
               "column 'day': expected numbers or categories, got dates such as '2021-03-04'; --ignore day "
               "leaves it out",
               {"holdout=0.5"});
}

}  // namespace
}  // namespace pair::runs::testing
