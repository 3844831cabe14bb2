// The datasets of WILDS as a user meets them, on made-up folders.

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <thread>

#include "pair/data/wilds.h"
#include "pair/data/wilds_generate.h"
#include "pair/data/wordpiece.h"
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

// A few steps on small images.
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
                                        "4",
                                        "--set",
                                        "batch=2",
                                        "image_size=32",
                                        "environments=2",
                                        "eval_every=2",
                                        "checkpoint_every=4",
                                        "warmup=0"};
  if (algorithm == "pair") {
    arguments.emplace_back("pretrain=2");
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

class PairWilds : public ::testing::TestWithParam<const char*> {
 protected:
  PairWilds() { data::generate_wilds(GetParam(), scratch / "data", {.samples = 2}); }
  Scratch scratch;
};

TEST_P(PairWilds, TrainsWithErmAndPairAndRecordsWildsMetrics) {
  const std::string selection = data::wilds_named(GetParam()).metrics.front();
  for (const char* const algorithm : {"erm", "pair"}) {
    const Answer answer = pair_in(scratch.path(), wilds_run(GetParam(), algorithm, algorithm));
    ASSERT_EQ(answer.status, 0) << answer.err;
    EXPECT_THAT(answer.out, AllOf(ContainsRegex("validation +val"), ContainsRegex("test +test")));
    const std::vector<nlohmann::json> records = read_records(results_file(scratch / algorithm));
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

// The device of the small runs: PAIR_TEST_DEVICE, by default the CPU. scripts/gpu-check sets it to cuda.
std::string test_device() {
  const char* const given = std::getenv("PAIR_TEST_DEVICE");
  return given != nullptr ? given : "cpu";
}

// Twenty steps of the smallest networks that the datasets take. Records every four steps, so that a run can be
// interrupted between them; a checkpoint after each.
std::vector<std::string> small_run(const std::string& dataset, const std::string& algorithm,
                                   const std::string& out, const std::vector<std::string>& more) {
  std::vector<std::string> arguments = {"train",   "--dataset", dataset, "--data-root", "data", "--algorithm",
                                        algorithm, "--out",     out,     "--steps",     "20",   "--quiet"};
  const bool texts = dataset == "civilcomments";
  if (texts) {
    arguments.insert(arguments.end(), {"--vocab", "data/civilcomments_vocab.txt"});
  }
  arguments.insert(arguments.end(), {"--device", test_device()});
  arguments.insert(arguments.end(), {"--set", "batch=2", "environments=2", "eval_every=4",
                                     "checkpoint_every=1", "warmup=6", "lr=1e-3"});
  const std::vector<std::string> network =
      texts ? std::vector<std::string>{"max_tokens=16",          "distilbert_layers=1",
                                       "distilbert_heads=2",     "distilbert_dim=8",
                                       "distilbert_hidden=12",   "distilbert_vocabulary=128",
                                       "distilbert_positions=16"}
            : std::vector<std::string>{"model=mnist_cnn",
                                       dataset == "poverty" ? "image_size=28" : "image_size=32"};
  arguments.insert(arguments.end(), network.begin(), network.end());
  // Steps of ERM first, except with ERM itself and with LISA, which has none.
  if (algorithm == "fish" || algorithm == "pair") {
    arguments.emplace_back("pretrain=8");
  }
  if (algorithm == "pair") {
    arguments.emplace_back("balance_lr=1e-3");
  }
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

std::size_t lines_in(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  return static_cast<std::size_t>(
      std::count(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>(), '\n'));
}

// Starts the run and kills it after its second record. Whether it was not yet finished.
bool killed_early(const Scratch& scratch, const std::vector<std::string>& run, const std::string& out) {
  fs::remove_all(scratch / out);
  Program program(run, scratch.path());
  while (program.running() && lines_in(results_file(scratch / out)) < 2) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  program.signal(SIGKILL);
  (void)program.wait();
  return !fs::exists(scratch / out / "done");
}

// Most places of the countries of fold A's val and test move to Kenya, which is trained on: scores of the made-up
// thousands of images would take most of the test's time.
void move_most_places(const fs::path& table) {
  std::ifstream in(table);
  std::string text;
  std::map<std::string, int> seen;
  for (std::string line; std::getline(in, line);) {
    for (const char* const country : {"angola", "cote_d_ivoire", "ethiopia", "mali", "rwanda", "benin",
                                      "burkina_faso", "guinea", "sierra_leone", "tanzania"}) {
      const std::string cell = "," + std::string(country) + ",";
      if (const std::size_t at = line.find(cell); at != std::string::npos && ++seen[country] > 4) {
        line.replace(at, cell.size(), ",kenya,");
        break;
      }
    }
    text += line + "\n";
  }
  in.close();
  write(table, text);
}

// The records are the same bytes with 1 worker, with 4, and after a kill -9. One run per dataset is killed, each
// algorithm's at least once.
void expect_exact_runs(const std::string& dataset) {
  const Scratch scratch;
  data::generate_wilds(dataset, scratch / "data", {.samples = 2});
  if (dataset == "poverty") {
    move_most_places(scratch / "data/poverty_v1.1/dhs_metadata.csv");
  }
  const auto number = static_cast<std::size_t>(data::find_wilds(dataset) - data::wilds_kinds().data());
  const std::vector<std::string> algorithms{"erm", "fish", "lisa", "pair"};
  for (std::size_t a = 0; a < algorithms.size(); ++a) {
    SCOPED_TRACE(algorithms[a]);
    const auto run = [&](const std::string& out, const char* workers) {
      return small_run(dataset, algorithms[a], out, {workers});
    };
    const std::string whole = "whole-" + algorithms[a];
    const std::string other = "other-" + algorithms[a];
    const Answer answer = pair_in(scratch.path(), run(whole, "workers=1"));
    ASSERT_EQ(answer.status, 0) << answer.err;
    if (a == number % algorithms.size()) {
      bool killed = false;
      for (int attempt = 0; attempt < 5 && !killed; ++attempt) {
        killed = killed_early(scratch, run(other, "workers=4"), other);
      }
      EXPECT_TRUE(killed) << "every attempt finished before it was killed";
    }
    const Answer again = pair_in(scratch.path(), run(other, "workers=4"));
    ASSERT_EQ(again.status, 0) << again.err;
    const std::string records = read_file(results_file(scratch / whole));
    EXPECT_EQ(read_file(results_file(scratch / other)), records);
    const std::vector<nlohmann::json> list = read_records(results_file(scratch / whole));
    ASSERT_EQ(list.size(), 5U);
    const std::string selection = list.back().at("args").at("selection");
    EXPECT_TRUE(list.back().contains(selection));
    EXPECT_EQ(list.back().at("hparams").at("freeze_featurizer"), dataset == "iwildcam" || dataset == "rxrx1");
    // The learning rate rises over six steps.
    EXPECT_NE(list.front().at("lr"), list.back().at("lr"));
  }
}

class PairWildsSmall : public ::testing::TestWithParam<const char*> {};

TEST_P(PairWildsSmall, TrainsTwentyStepsWithErmFishLisaAndPairAndResumesExactly) {
  expect_exact_runs(GetParam());
}

INSTANTIATE_TEST_SUITE_P(Images, PairWildsSmall,
                         ::testing::Values("camelyon17", "fmow", "iwildcam", "poverty", "rxrx1"),
                         [](const auto& one) { return std::string(one.param); });

// A suite of its own: CTest skips an entry whose output has the message of a feature that is not built in, and
// must not hide failures of the others.
TEST(PairWildsSmallTexts, TrainTwentyStepsWithErmFishLisaAndPairAndResumeExactly) {
  try {
    (void)data::WordPiece::from_text("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n", "a vocabulary");
  } catch (const std::runtime_error& error) {
    const std::string_view message = error.what();
    ASSERT_THAT(message, HasSubstr("pair was built without ICU"));
    GTEST_SKIP() << message;
  }
  expect_exact_runs("civilcomments");
}

TEST(PairWildsRuns, OfCommentsLearnPredictAndScoreAsTheRecordsDo) {
  const Scratch scratch;
  data::generate_wilds("civilcomments", scratch / "data", {.samples = 3});
  const Answer trained =
      pair_in(scratch.path(), small_run("civilcomments", "erm", "run",
                                        {"steps=60", "eval_every=30", "batch=8", "environments=6", "lr=3e-3",
                                         "distilbert_dim=16", "distilbert_hidden=32", "distilbert_dropout=0",
                                         "distilbert_attention_dropout=0", "distilbert_head_dropout=0"}));
  ASSERT_EQ(trained.status, 0) << trained.err;
  const nlohmann::json record = read_records(results_file(scratch / "run")).back();
  EXPECT_EQ(record.at("args").at("selection"), "val_acc_wg");
  EXPECT_GT(record.at("test_acc_wg").get<double>(), 0.6) << "toxic words are easy to learn";
  EXPECT_FALSE(record.contains("env0_in_acc"));
  // The model knows its vocabulary.
  fs::remove(scratch / "data/civilcomments_vocab.txt");
  const Answer predicted =
      pair_in(scratch.path(), {"predict", "run", "--splits", "val,test", "-o", "predictions"});
  ASSERT_EQ(predicted.status, 0) << predicted.err;
  for (const std::string split : {"val", "test"}) {
    const Answer scored =
        pair_in(scratch.path(),
                {"score", "civilcomments", "--data-root", "data", "--split", split, "--predictions",
                 "predictions/civilcomments_split:" + split + "_seed:0_epoch:last_pred.csv", "--json"});
    ASSERT_EQ(scored.status, 0) << scored.err;
    const auto scores = nlohmann::json::parse(scored.out);
    EXPECT_EQ(scores.at("acc_wg"), record.at(split + "_acc_wg"));
    EXPECT_EQ(scores.at("acc_avg"), record.at(split + "_acc_avg"));
  }
  const Answer none = pair_in(scratch.path(), {"predict", "run", "--splits", "id_val", "-o", "predictions"});
  EXPECT_EQ(none.status, 2);
  EXPECT_THAT(none.err, HasSubstr("splits: expected splits that civilcomments has, got 'id_val'"));
  write(scratch / "new.csv",
        "comment_text,label\nThis white opinion is stupid,toxic\nThis white opinion is fair,not toxic\n");
  const Answer scored = pair_in(scratch.path(), {"score", "run", "new.csv"});
  EXPECT_EQ(scored.status, 0) << scored.err;
  EXPECT_THAT(scored.out, HasSubstr("1.0000"));
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
  data::generate_wilds("civilcomments", scratch / "data", {.samples = 1});
  refused({"train", "--dataset", "civilcomments", "--data-root", "data"},
          "vocab: expected BERT's vocabulary, got none; '--vocab vocab.txt' names it");
  refused(small_run("civilcomments", "erm", "run", {"image_size=32"}),
          "image_size does not apply to civilcomments with erm");
  refused(wilds_run("camelyon17", "pair", "run", {"preference=choice:5"}),
          "preference: expected auto, or a list of");
  refused({"score", "camelyon17", "--data-root", "data", "--split", "later", "--predictions", "p.csv"},
          "--split: expected train, id_val, val, id_test or test, got 'later'");
  refused({"score", "camelyon17", "--split", "test", "--predictions", "p.csv"},
          "--data-root: expected the folder");
  write(scratch / "p.csv", "0\n");
  refused({"score", "camelyon17", "--data-root", "data", "--split", "test", "--predictions", "p.csv"},
          "p.csv: expected one prediction per sample of the split (4), got 1");
  refused({"predict", "run"}, "INPUTS: expected files, folders, or - for standard input, got none");
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

// The datasets have no option that skips images, so none is suggested.
TEST(PairWildsRuns, NameABrokenImage) {
  const Scratch scratch;
  data::generate_wilds("camelyon17", scratch / "data", {.samples = 1});
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(scratch / "data")) {
    if (entry.path().extension() == ".png") {
      fs::resize_file(entry.path(), 20);
    }
  }
  const Answer trained = pair_in(scratch.path(), wilds_run("camelyon17", "erm", "run", {"model=mnist_cnn"}));
  EXPECT_EQ(trained.status, 2);
  EXPECT_THAT(trained.err, AllOf(HasSubstr("patches/patient_"), Not(HasSubstr("broken=skip"))));
}

TEST(PairPaperWilds, MakesTable2AndTable5QuicklyOnMadeUpFolders) {
  const Scratch scratch;
  const std::vector<std::string> table{
      "paper",     "table2",   "--quick", "--datasets", "camelyon17,civilcomments",
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
  EXPECT_THAT(five.out, AllOf(HasSubstr("IRMX, penalties 1e-2/1e2"), HasSubstr("13.1 +- 1.6"),
                              HasSubstr("civilcomments acc_wg"), HasSubstr("75.2 +- 0.7")));
  const Answer unknown = pair_in(scratch.path(), {"paper", "table2", "--quick", "--datasets", "amazon"});
  EXPECT_EQ(unknown.status, 2);
  EXPECT_THAT(unknown.err, HasSubstr("unknown dataset of table2 'amazon'"));
  const auto refused = [&](const std::vector<std::string>& more, const std::string& sentence) {
    std::vector<std::string> arguments{"paper", "table2", "--data-root", "runs/made-up"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Answer answer = pair_in(scratch.path(), arguments);
    EXPECT_EQ(answer.status, 2) << sentence;
    EXPECT_THAT(answer.err, HasSubstr(sentence));
  };
  refused({}, "--vocab: expected BERT's vocabulary, vocab.txt, for civilcomments, got none");
  refused({"--weights", "resnet18=w.pth"}, "--weights: expected MODEL=FILE with densenet121, resnet50 or");
  refused({"--weights", "resnet50=w.pth"}, "got 'w.pth', which does not exist");
  for (const char* none : {"resnet50", "resnet50=", "resnet50=none"}) {
    refused({"--weights", none}, "got '" + std::string(none) + "'");
  }
  const Answer missing = pair_in(scratch.path(), {"paper", "table2", "--datasets", "fmow"});
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
