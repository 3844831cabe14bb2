// The datasets of WILDS as a user meets them, on made-up folders.

#include <gmock/gmock.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "pair/data/wilds.h"
#include "pair/data/wilds_generate.h"
#include "pair/runs/file.h"
#include "pair/runs/records.h"
#include "pair/runs/run_directory.h"
#include "tests/runs/fixtures.h"
#include "tests/runs/program.h"

namespace pair::runs::testing::wilds_program_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Not;

// Twenty steps on small images.
std::vector<std::string> wilds_run(const std::string& dataset, const std::string& algorithm,
                                   const std::string& out, const std::vector<std::string>& more = {}) {
  std::vector<std::string> arguments = {"train",
                                        "--dataset",
                                        dataset,
                                        "--data-root",
                                        "data",
                                        "--algorithm",
                                        algorithm,
                                        "--out",
                                        out,
                                        "--steps",
                                        "20",
                                        "--set",
                                        "batch=2",
                                        "image_size=32",
                                        "environments=2",
                                        "eval_every=10",
                                        "checkpoint_every=20",
                                        "warmup=0"};
  if (algorithm == "pair") {
    arguments.emplace_back("pretrain=10");
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

class PairWilds : public ::testing::TestWithParam<const char*> {
 protected:
  PairWilds() { data::generate_wilds(GetParam(), scratch_ / "data", {.samples = 2}); }
  Scratch scratch_;
};

TEST_P(PairWilds, TrainsWithErmAndPairAndRecordsWildsMetrics) {
  const std::string selection = data::wilds_named(GetParam()).metrics.front();
  for (const char* const algorithm : {"erm", "pair"}) {
    const Answer answer = pair_in(scratch_.path(), wilds_run(GetParam(), algorithm, algorithm));
    ASSERT_EQ(answer.status, 0) << answer.err;
    EXPECT_THAT(answer.out, AllOf(ContainsRegex("validation +val"), ContainsRegex("test +test")));
    const std::vector<nlohmann::json> records = read_records(results_file(scratch_ / algorithm));
    ASSERT_EQ(records.size(), 2U);
    EXPECT_THAT(records[1].at("test_" + selection).get<double>(), AllOf(Ge(-1.0), Le(1.0)));
    EXPECT_EQ(records[1].at("args").at("selection"), "val_" + selection);
    EXPECT_EQ(records[1].at("phase"), std::string(algorithm) == "pair" ? "balance" : "descent");
    // The training environments are not scored: that would read all of their images.
    EXPECT_FALSE(records[1].contains("env0_in_acc") || records[1].contains("env0_in_mse"));
  }
}

INSTANTIATE_TEST_SUITE_P(Images, PairWilds,
                         ::testing::Values("camelyon17", "fmow", "iwildcam", "poverty", "rxrx1"),
                         [](const auto& one) { return std::string(one.param); });

TEST(PairWildsRuns, GiveTheSameBytesWithAnyNumberOfWorkers) {
  const Scratch scratch;
  data::generate_wilds("rxrx1", scratch / "data", {.samples = 2});  // with random turns and mirrors
  std::vector<std::string> results;
  for (const char* const workers : {"1", "4"}) {
    const std::string out = std::string("run") + workers;
    const Answer answer =
        pair_in(scratch.path(),
                wilds_run("rxrx1", "erm", out, {std::string("workers=") + workers, "model=mnist_cnn"}));
    ASSERT_EQ(answer.status, 0) << answer.err;
    results.push_back(read_file(results_file(scratch / out)));
  }
  EXPECT_EQ(results[0], results[1]);
}

TEST(PairWildsRuns, ResumeAfterAKillWithTheSameRecords) {
  const Scratch scratch;
  data::generate_wilds("camelyon17", scratch / "data", {.samples = 2});
  const auto run = [](const std::string& out) {
    return wilds_run("camelyon17", "pair", out,
                     {"model=mnist_cnn", "eval_every=2", "checkpoint_every=1", "amsgrad=true",
                      "balance_optimizer=adam", "optimizer=adam"});
  };
  const Answer whole = pair_in(scratch.path(), run("whole"));
  ASSERT_EQ(whole.status, 0) << whole.err;
  const fs::path results = results_file(scratch / "run");
  {
    Program program(run("run"), scratch.path());
    std::error_code missing;
    while (program.running() && !(fs::file_size(results, missing) > 5000 && !missing)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    program.signal(SIGKILL);
    (void)program.wait();
  }
  const Answer again = pair_in(scratch.path(), run("run"));
  ASSERT_EQ(again.status, 0) << again.err;
  EXPECT_EQ(read_file(results), read_file(results_file(scratch / "whole")));
}

TEST(PairWildsRuns, PredictInFilesThatScoreAsTheRecordsDo) {
  const Scratch scratch;
  data::generate_wilds("camelyon17", scratch / "data", {.samples = 2});
  ASSERT_EQ(pair_in(scratch.path(), wilds_run("camelyon17", "erm", "run", {"model=mnist_cnn"})).status, 0);
  const Answer predicted =
      pair_in(scratch.path(), {"predict", "run", "--splits", "val,test,id_val", "-o", "predictions"});
  ASSERT_EQ(predicted.status, 0) << predicted.err;
  const std::string file = "predictions/camelyon17_split:test_seed:0_epoch:last_pred.csv";
  EXPECT_THAT(predicted.out, HasSubstr(file));
  const Answer scored = pair_in(scratch.path(), {"score", "camelyon17", "--data-root", "data", "--split",
                                                 "test", "--predictions", file, "--json"});
  ASSERT_EQ(scored.status, 0) << scored.err;
  const nlohmann::json record = read_records(results_file(scratch / "run")).back();
  EXPECT_EQ(nlohmann::json::parse(scored.out).at("acc_avg"), record.at("test_acc_avg"));
  const Answer shown = pair_in(scratch.path(), {"score", "camelyon17", "--data-root", "data", "--split",
                                                "test", "--predictions", file});
  EXPECT_THAT(shown.out, ContainsRegex("acc_avg +[01]\\.[0-9]{4}"));
}

TEST(PairWildsRuns, RefuseBadInputWithStatus2) {
  const Scratch scratch;
  data::generate_wilds("camelyon17", scratch / "data", {.samples = 1});
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& sentence) {
    const Answer answer = pair_in(scratch.path(), arguments);
    EXPECT_EQ(answer.status, 2) << sentence;
    EXPECT_THAT(answer.err, HasSubstr(sentence));
  };
  refused({"train", "--dataset", "camelyon17"},
          "data_root: expected the folder that holds 'camelyon17_v1.0', got none");
  refused({"train", "--dataset", "fmow", "--data-root", "data"},
          "data/fmow_v1.1: expected the folder of fmow 1.1");
  refused(wilds_run("camelyon17", "erm", "run", {"score_splits=val"}), "score_splits: expected splits among");
  refused(wilds_run("poverty", "erm", "run", {"fold=F"}), "fold: expected A, B, C, D, E or seed, got 'F'");
  refused({"score", "camelyon17", "--data-root", "data", "--split", "later", "--predictions", "p.csv"},
          "--split: expected train, id_val, val, id_test or test, got 'later'");
  refused({"score", "camelyon17", "--split", "test", "--predictions", "p.csv"},
          "--data-root: expected the folder");
  write(scratch / "p.csv", "0\n");
  refused({"score", "camelyon17", "--data-root", "data", "--split", "test", "--predictions", "p.csv"},
          "p.csv: expected one prediction per sample of the split (4), got 1");
  refused({"predict", "run"}, "INPUTS is required");
}

TEST(PairWildsRuns, NameAnImageThatIsMissing) {
  const Scratch scratch;
  data::generate_wilds("camelyon17", scratch / "data", {.samples = 1});
  fs::remove_all(scratch / "data/camelyon17_v1.0/patches");
  const Answer described =
      pair_in(scratch.path(), {"data", "describe", "camelyon17", "--data-root", "data", "--json"});
  EXPECT_EQ(described.status, 1);
  EXPECT_EQ(nlohmann::json::parse(described.out).at("missing").size(), 20U);
  const Answer trained = pair_in(scratch.path(), wilds_run("camelyon17", "erm", "run", {"model=mnist_cnn"}));
  EXPECT_EQ(trained.status, 1);
  EXPECT_THAT(trained.err, HasSubstr("patches/patient_"));
}

TEST(PairPaperWilds, MakesTable2AndTable5QuicklyOnMadeUpFolders) {
  const Scratch scratch;
  const std::vector<std::string> table{"paper",     "table2",   "--quick", "--datasets", "camelyon17,fmow",
                                       "--methods", "erm,pair", "--seeds", "0-1",        "--out",
                                       "runs",      "--format", "json"};
  const Answer first = pair_in(scratch.path(), table);
  ASSERT_EQ(first.status, 0) << first.err;
  const auto result = nlohmann::json::parse(first.out);
  EXPECT_EQ(result.at("rows").size(), 2U);
  EXPECT_EQ(result.at("rows")[1].at("cells")[0].at("values").size(), 2U);
  EXPECT_EQ(result.at("rows")[1].at("cells")[0].at("paper").at("mean"), 74.0);
  EXPECT_TRUE(result.at("rows")[0].at("rank").is_number());
  // Finished runs are read, not repeated.
  const Answer again = pair_in(scratch.path(), table);
  EXPECT_EQ(nlohmann::json::parse(again.out).at("rows"), result.at("rows"));
  const Answer five =
      pair_in(scratch.path(), {"paper", "table5", "--quick", "--seeds", "0", "--out", "runs"});
  ASSERT_EQ(five.status, 0) << five.err;
  EXPECT_THAT(five.out, AllOf(HasSubstr("IRMX, penalties 1e-2/1e2"), HasSubstr("13.1 +- 1.6")));
  const Answer unknown = pair_in(scratch.path(), {"paper", "table2", "--quick", "--datasets", "amazon"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("unknown dataset of table2 'amazon'"));
  const Answer missing = pair_in(scratch.path(), {"paper", "table2"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err,
              HasSubstr("--data-root: expected the folder that holds WILDS' datasets, got none"));
}

TEST(PairDataWilds, DescribesAndListsSamples) {
  const Scratch scratch;
  data::generate_wilds("fmow", scratch / "data", {.samples = 2});
  const Answer described =
      pair_in(scratch.path(), {"data", "describe", "fmow", "--data-root", "data", "--json"});
  ASSERT_EQ(described.status, 0) << described.err;
  const auto object = nlohmann::json::parse(described.out);
  EXPECT_EQ(object.at("classes"), 62);
  EXPECT_EQ(object.at("splits").at("train").at("environments").at("Europe 2003"), 1);
  const Answer listed =
      pair_in(scratch.path(), {"data", "samples", "fmow", "--data-root", "data", "--split", "val", "--json"});
  std::istringstream lines(listed.out);
  std::string line;
  std::vector<std::int64_t> ids;
  while (std::getline(lines, line)) {
    const auto sample = nlohmann::json::parse(line);
    ids.push_back(sample.at("id"));
    EXPECT_THAT(sample.at("path").get<std::string>(), ContainsRegex("^images/rgb_img_[0-9]+\\.png$"));
    EXPECT_THAT(sample.at("environment").get<std::string>(), HasSubstr("2014"));
    EXPECT_EQ(sample.at("metadata").at("y"), sample.at("label"));
  }
  EXPECT_EQ(ids.size(), object.at("splits").at("val").at("samples").get<std::size_t>());
  EXPECT_TRUE(std::is_sorted(ids.begin(), ids.end()));
  const Answer none =
      pair_in(scratch.path(), {"data", "samples", "camelyon17", "--data-root", "data", "--split", "val"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, AllOf(HasSubstr("data/camelyon17_v1.0"), Not(HasSubstr("\n\n"))));
}

TEST(PairDataWilds, SaysWhichSplitADatasetDoesNotHave) {
  const Scratch scratch;
  data::generate_wilds("rxrx1", scratch / "data", {.samples = 1});
  const Answer answer =
      pair_in(scratch.path(), {"data", "samples", "rxrx1", "--data-root", "data", "--split", "id_val"});
  EXPECT_EQ(answer.status, 2);
  EXPECT_THAT(answer.err,
              HasSubstr("--split: expected a split of rxrx1, got 'id_val', which it does not have"));
}

}  // namespace
}  // namespace pair::runs::testing::wilds_program_test
