// The worked examples of CONTRIBUTING.md together, as a user meets them: the program that has them lists
// them, trains with them, draws their options in a sweep and selects from it.

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "pair/data/numpy_random.h"
#include "pair/runs/run_spec.h"
#include "pair/sweep/distribution.h"
#include "pair/sweep/hparams.h"
#include "tests/runs/program.h"
#include "tests/support/scratch.h"

namespace pair::examples_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ContainsRegex;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using tests::Scratch;
using Words = std::vector<std::string>;

struct Ended {
  int status = 0;
  std::string out;
  std::string err;
};

Ended pair(const Words& arguments, const fs::path& folder = fs::temp_directory_path()) {
  runs::testing::Program program(arguments, folder);
  const int status = program.wait();
  return {status, program.out(), program.err()};
}

std::string list(const std::string& kind) {
  const Ended listed = pair({"list", kind});
  EXPECT_EQ(listed.status, 0) << listed.err;
  return listed.out;
}

std::vector<json> records_in(const fs::path& run) {
  std::vector<json> records;
  std::ifstream file(run / "results.jsonl");
  for (std::string line; std::getline(file, line);) {
    records.push_back(json::parse(line));
  }
  return records;
}

std::vector<std::string> drawn_names(const runs::RunSpec& spec) {
  std::vector<std::string> names;
  for (const sweep::Hparam& hparam : sweep::domainbed_hparams(spec, sweep::Search::domainbed)) {
    names.push_back(hparam.key + ": " + base::as_text(hparam.distribution));
  }
  return names;
}

TEST(WorkedExamples, AreListedLastOfTheirKind) {
  const std::string end = "[^\n]*\n$";
  EXPECT_THAT(list("objectives"), ContainsRegex("\nrisk_range +range of the risks" + end));
  EXPECT_THAT(
      list("solvers"),
      ContainsRegex("\nshare +weights in proportion[^\n]*\n +share_power +power of the losses' shares "
                    ".default: 1. .accepted: numbers from 0 to 10.\n$"));
  EXPECT_THAT(list("datasets"), ContainsRegex("\ntoy-signs +two signs" + end));
  EXPECT_THAT(list("models"), ContainsRegex("\ntanh_net +one hidden layer" + end));
  EXPECT_THAT(list("algorithms"), ContainsRegex("\ntoy-sgd +SGD on the mean risk" + end));
}

TEST(WorkedExamples, HaveTheirOptionsAmongTheSettings) {
  EXPECT_THAT(
      pair({"list", "settings", "--verbose"}).out,
      AllOf(ContainsRegex(
                "\n +risk_range_power +[^\n]*default: 2[^\n]*numbers from 1 to 4[^\n]*objective risk_range"),
            ContainsRegex("\n +share_power +[^\n]*default: 1.[^\n]*numbers from 0 to 10[^\n]*solver share"),
            ContainsRegex(
                "\n +toy_points +[^\n]*default: 300[^\n]*integers from 10 to 1000000[^\n]*dataset toy-signs"),
            ContainsRegex("\n +units +[^\n]*default: 16[^\n]*integers from 1 to 65536[^\n]*model tanh_net"),
            ContainsRegex(
                "\n +toy_shrink +[^\n]*default: 0.01[^\n]*numbers from 0 to 1000[^\n]*algorithm toy-sgd")));
}

TEST(WorkedExamples, HaveWhatSweepsDrawAmongTheHparams) {
  EXPECT_THAT(
      list("hparams"),
      AllOf(ContainsRegex("\ntoy-sgd.toy_shrink +10\\^Uniform\\(-3, -1\\)[^\n]*by: DomainBed[^\n]*toy-signs"),
            ContainsRegex("\ntoy-sgd.toy_shrink +[^\n]*by: CONTRIBUTING.md[^\n]*cmnist"),
            ContainsRegex("\nirmv1.penalty [^\n]*toy-signs")));
}

// Its file alone declares the names, and DomainBed seeds each draw with a name.
TEST(WorkedExamples, AnAlgorithmDrawsByItsNamesInDomainBed) {
  const Ended drawn =
      pair({"list", "hparams", "--dataset", "PACS", "--algorithm", "ToySGD", "--seed", "7", "--json"});
  ASSERT_EQ(drawn.status, 0) << drawn.err;
  const json object = json::parse(drawn.out);
  EXPECT_EQ(object.at("algorithm"), "toy-sgd");
  const double shrink = object.at("hparams").at("shrink").get<double>();
  EXPECT_EQ(std::stod(object.at("settings").at("toy_shrink").get<std::string>()), shrink);
  EXPECT_EQ(std::stod(object.at("settings").at("lr").get<std::string>()),
            object.at("hparams").at("lr").get<double>());
  std::vector<data::NumpyRandom> random;
  random.emplace_back(data::domainbed_seed(data::domainbed_seed(7, 0), "shrink"));
  EXPECT_EQ(std::stod(sweep::draw(base::LogUniform{10, -3, -1}, random, 1.0)), shrink);
}

TEST(WorkedExamples, DeclareDistributionsThatApplyWhereARunHasTheOption) {
  const base::Assignments both = {{"objectives", "erm,risk_range"}, {"model", "tanh_net"}};
  EXPECT_THAT(drawn_names(runs::resolve("toy-signs", "vrex", both)),
              AllOf(Contains("risk_range_power: Uniform(1, 3)"), Contains("units: one of 8, 16, 32")));
  EXPECT_THAT(drawn_names(runs::resolve("toy-signs", "vrex")), Each(Not(HasSubstr("risk_range"))));
  const base::Assignments share = {{"solver", "share"}};
  EXPECT_THAT(drawn_names(runs::resolve("toy-signs", "pair", share)),
              Contains("share_power: Uniform(0.5, 2)"));
  EXPECT_THAT(drawn_names(runs::resolve("toy-signs", "vrex", share)), Each(Not(HasSubstr("share_power"))))
      << "a linear scheme has no solver";
}

TEST(WorkedExamples, TrainTogetherAndAreRecorded) {
  const Scratch scratch;
  const Ended ended =
      pair({"train", "--dataset", "toy-signs", "--algorithm", "toy-sgd", "--out", "run", "--json", "--quiet",
            "--set", "model=tanh_net", "units=6", "toy_points=200", "toy_shrink=0.001"},
           scratch.path());
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::vector<json> records = records_in(scratch / "run");
  ASSERT_GT(records.size(), 5U);
  const json& last = records.back();
  EXPECT_EQ(last.at("hparams").at("units"), 6);
  EXPECT_EQ(last.at("hparams").at("toy_shrink"), 0.001);
  EXPECT_EQ(last.at("hparams").at("lr"), 0.1);
  EXPECT_LT(last.at("risk").get<double>(), 0.5);
  EXPECT_GT(last.at("size").get<double>(), 0.0);
  EXPECT_EQ(last.at("args").at("losses"), json::array({json::array({"risk", "size"})}));
  // It relies on the sign that turns.
  EXPECT_GT(last.at("env0_out_acc").get<double>(), 0.8);
  EXPECT_LT(last.at("worst_test_acc").get<double>(), 0.5);
}

TEST(WorkedExamples, RefuseAnOptionOutOfRangeOnTheCommandLine) {
  const Scratch scratch;
  const Ended ended = pair(
      {"train", "--dataset", "toy-signs", "--algorithm", "toy-sgd", "--set", "toy_points=3"}, scratch.path());
  EXPECT_EQ(ended.status, 2);
  EXPECT_THAT(ended.err, HasSubstr("toy_points: expected an integer from 10 to 1000000, got '3'"));
}

TEST(WorkedExamples, AnObjectiveIsWeighedByPairAndMinimisedByAPenalty) {
  const Scratch scratch;
  for (const std::string scheme : {"pair", "linear"}) {
    SCOPED_TRACE(scheme);
    const Ended ended =
        pair({"train", "--dataset", "toy-signs", "--objectives", "erm,risk_range", "--out", scheme, "--quiet",
              "--set", "scheme=" + scheme, "model=tanh_net", "risk_range_power=1.5", "pretrain=50"},
             scratch.path());
    ASSERT_EQ(ended.status, 0) << ended.err;
    const std::vector<json> records = records_in(scratch / scheme);
    ASSERT_GT(records.size(), 5U);
    EXPECT_EQ(records.back().at("hparams").at("risk_range_power"), 1.5);
    EXPECT_GT(records.back().at("losses").at("risk_range").get<double>(), 0.0);
    // Not in every step: PAIR-o gives an objective that is met no weight.
    const auto weighed = [](const json& record) {
      return record.at("weights").at("risk_range").get<double>() > 0.0;
    };
    EXPECT_TRUE(std::any_of(records.begin(), records.end(), weighed));
  }
}

TEST(WorkedExamples, ASolverWeighsProblemsOfPairSolve) {
  const Scratch scratch;
  // The losses' shares are 1/4 and 3/4.
  std::ofstream(scratch / "problems.jsonl")
      << R"({"losses": [1, 1], "gram": [[1, 0], [0, 1]], "preference": [1, 3]})"
      << "\n"
      << R"({"losses": [1, 1], "gram": [[1, 0], [0, 1]], "preference": [1, 3], "share_power": 0})"
      << "\n";
  const Ended ended =
      pair({"solve", "--solver", "share", "--share-power", "2", "problems.jsonl"}, scratch.path());
  ASSERT_EQ(ended.status, 0) << ended.err;
  const std::size_t second = ended.out.find('\n') + 1;
  const json weights = json::parse(ended.out.substr(0, second)).at("weights");
  EXPECT_NEAR(weights.at(0).get<double>(), 0.1, 1e-12);
  EXPECT_NEAR(weights.at(1).get<double>(), 0.9, 1e-12);
  EXPECT_EQ(json::parse(ended.out.substr(second)).at("weights"), json({0.5, 0.5}));

  const Ended refused = pair({"solve", "--solver", "share", "--set", "share_power=11"}, scratch.path());
  EXPECT_EQ(refused.status, 2);
  EXPECT_THAT(refused.err, HasSubstr("share_power: expected a number from 0 to 10, got '11'"));
}

TEST(WorkedExamples, ASolverTrainsAndItsOptionIsSwept) {
  const Scratch scratch;
  const Ended trained =
      pair({"train", "--dataset", "toy-signs", "--algorithm", "pair", "--solver", "share", "--out", "run",
            "--quiet", "--set", "share_power=3", "pretrain=50", "steps=100", "preference=1,10,10"},
           scratch.path());
  ASSERT_EQ(trained.status, 0) << trained.err;
  const json last = records_in(scratch / "run").back();
  EXPECT_EQ(last.at("hparams").at("solver"), "share");
  EXPECT_EQ(last.at("hparams").at("share_power"), 3);
  for (const auto& [objective, weight] : last.at("weights").items()) {
    EXPECT_GT(weight.get<double>(), 0.0) << objective;
  }

  const Ended swept =
      pair({"sweep",        "launch",       "--out",       "sweep", "--datasets",   "toy-signs",
            "--algorithms", "pair",         "--n-hparams", "3",     "--n-trials",   "1",
            "--steps",      "20",           "--json",      "--set", "solver=share", "lr=0.01",
            "pretrain=5",   "eval_every=10"},
           scratch.path());
  ASSERT_EQ(swept.status, 0) << swept.err;
  std::set<double> powers;
  for (const auto& entry : fs::directory_iterator(scratch / "sweep")) {
    if (entry.is_directory()) {
      powers.insert(records_in(entry.path()).back().at("hparams").at("share_power").get<double>());
    }
  }
  EXPECT_EQ(powers.size(), 3U);
  EXPECT_EQ(powers.count(1.0), 1U);
  EXPECT_GE(*powers.begin(), 0.5);
  EXPECT_LE(*powers.rbegin(), 2.0);
}

TEST(WorkedExamples, AreSweptAndSelectedFrom) {
  const Scratch scratch;
  const Ended swept = pair({"sweep", "launch", "--out", "sweep", "--datasets", "toy-signs", "--algorithms",
                            "toy-sgd", "--n-hparams", "3", "--n-trials", "1", "--steps", "60", "--json",
                            "--set", "model=tanh_net", "lr=0.1", "eval_every=10"},
                           scratch.path());
  ASSERT_EQ(swept.status, 0) << swept.err;
  EXPECT_EQ(json::parse(swept.out).at("done"), 3);

  // The first draw is the default; the others are within the distribution that the option declares.
  std::set<double> shrinks;
  for (const auto& entry : fs::directory_iterator(scratch / "sweep")) {
    if (entry.is_directory()) {
      const json hparams = records_in(entry.path()).back().at("hparams");
      EXPECT_EQ(hparams.at("model"), "tanh_net");
      shrinks.insert(hparams.at("toy_shrink").get<double>());
    }
  }
  EXPECT_EQ(shrinks.size(), 3U);
  EXPECT_EQ(shrinks.count(0.01), 1U);
  EXPECT_GE(*shrinks.begin(), 1e-3);
  EXPECT_LE(*shrinks.rbegin(), 1e-1);

  const Ended selected = pair({"select", "sweep", "--criterion", "pair", "--format", "json"}, scratch.path());
  ASSERT_EQ(selected.status, 0) << selected.err;
  const json choice = json::parse(selected.out).at("criteria").at(0).at("choices").at(0);
  EXPECT_EQ(choice.at("dataset"), "toy-signs");
  EXPECT_EQ(choice.at("algorithm"), "toy-sgd");
  EXPECT_EQ(choice.at("test_envs"), json({2}));
  EXPECT_EQ(choice.at("losses"), json({"risk", "size"}));
  EXPECT_EQ(shrinks.count(choice.at("chosen").at("hparams").at("toy_shrink").get<double>()), 1U);
}

}  // namespace
}  // namespace pair::examples_test
