// 'pair train' on DomainBed's datasets as a user meets it.

#include <gmock/gmock.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <thread>

#include "pair/runs/file.h"
#include "pair/runs/records.h"
#include "pair/runs/run_directory.h"
#include "tests/runs/fixtures.h"
#include "tests/runs/program.h"
#include "tests/runs/small_digits.h"

namespace pair::runs::testing::domainbed_program_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

std::vector<std::string> small_run(std::string_view algorithm, std::string_view out) {
  return {"train",
          "--dataset",
          "ColoredMNIST",
          "--algorithm",
          std::string(algorithm),
          "--test-envs",
          "2",
          "--steps",
          "120",
          "--out",
          std::string(out),
          "--set",
          "folder=digits",
          "digits=90",
          "batch=4",
          "eval_every=4",
          "checkpoint_every=3"};
}

TEST(PairTrainDomainBed, ResumesAnAdversaryAfterAKillWithTheSameRecords) {
  const Scratch scratch;
  write_small_digits(scratch / "digits");
  Program uninterrupted(small_run("dann", "whole"), scratch.path());
  ASSERT_EQ(uninterrupted.wait(), 0) << uninterrupted.err();
  EXPECT_THAT(uninterrupted.out(), AllOf(ContainsRegex("2  test +-90% +[0-9.]+%"),
                                         HasSubstr("test, held out"), HasSubstr("train, held out")));
  EXPECT_THAT(uninterrupted.err(),
              ContainsRegex("step 120/120  gen_loss [0-9.e+-]+  disc_loss [0-9.e+-]+  worst test"));

  const fs::path results = results_file(scratch / "run");
  {
    Program program(small_run("dann", "run"), scratch.path());
    std::error_code missing;
    while (program.running() && !(fs::file_size(results, missing) > 3000 && !missing)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    program.signal(SIGKILL);
    EXPECT_EQ(program.wait(), 128 + SIGKILL);
  }
  Program again(small_run("dann", "run"), scratch.path());
  EXPECT_EQ(again.wait(), 0);
  EXPECT_THAT(again.err(), ContainsRegex("Resumed at step [0-9]+ of 120"));
  EXPECT_EQ(read_file(results), read_file(results_file(scratch / "whole")));
}

TEST(PairTrainDomainBed, SaysWhatFetchesTheDigits) {
  const Scratch scratch;
  ::setenv("PAIR_DATA", scratch.path().c_str(), 1);
  Program program({"train", "--dataset", "ColoredMNIST", "--out", "run", "--quiet"}, scratch.path());
  EXPECT_EQ(program.wait(), 1);
  ::unsetenv("PAIR_DATA");
  EXPECT_THAT(program.err(), AllOf(HasSubstr("train-images-idx3-ubyte is missing"),
                                   HasSubstr("'pair data get mnist' fetches it")));
}

TEST(PairTrainDomainBed, RefusesBadInputWithStatus2) {
  const Scratch scratch;
  write_small_digits(scratch / "digits");
  int runs = 0;
  const auto refused = [&](const std::vector<std::string>& more, const std::string& sentence) {
    std::vector<std::string> arguments = {"train", "--dataset", "ColoredMNIST", "--out",
                                          "run" + std::to_string(++runs)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    Program program(arguments, scratch.path());
    EXPECT_EQ(program.wait(), 2) << sentence;
    EXPECT_THAT(program.err(), HasSubstr(sentence));
  };
  refused({"--test-envs", "3"}, "--test-envs: expected numbers from 0 to 2, each once, got 3");
  refused({"--test-envs", "0,1,2"}, "expected at least one environment left for training, got all 3");
  refused({"--test-envs", "two"}, "or numbers from 0 to 2) or each, got 'two'");
  refused({"--set", "folder=digits", "digits=1000"},
          "digits: expected at most 120, the number of digits in the data, got 1000");
  refused({"--algorithm", "mixup", "--set", "penalty=3"}, "penalty does not apply to algorithm 'mixup'");
  refused({"--algorithm", "erm", "--penalty", "3"},
          "penalty does not apply to algorithm 'erm', which minimises erm alone");
  refused({"--algorithm", "erm", "--set", "pretrain_penalty=3"},
          "pretrain_penalty does not apply to algorithm 'erm'");
  refused({"--algorithm", "dan"}, "did you mean 'dann'");
}

TEST(PairBenchDomainBed, MeasuresAloneWithoutAPythonWithTorch) {
  const Scratch scratch;
  const std::vector<std::string> arguments = {
      "bench", "domainbed", "--rounds", "1", "--steps", "1", "--batch", "2", "--python", "/nowhere/python3"};
  Program text(arguments, scratch.path());
  EXPECT_EQ(text.wait(), 0);
  EXPECT_THAT(text.out(), AllOf(ContainsRegex("pair +[0-9.]+ ms"), HasSubstr("python  not measured"),
                                HasSubstr("python3-torch")));
  std::vector<std::string> as_json = arguments;
  as_json.emplace_back("--json");
  Program json(as_json, scratch.path());
  EXPECT_EQ(json.wait(), 0);
  const auto result = nlohmann::json::parse(json.out());
  EXPECT_GT(result.at("ours").at("milliseconds"), 0.0);
  EXPECT_TRUE(result.at("python").is_null());
  EXPECT_TRUE(result.at("speedup").is_null());
}

TEST(PairBenchDomainBed, ComparesWithWhatPythonAnswers) {
  const Scratch scratch;
  write(scratch / "python", "#!/bin/sh\necho 9.9 1234\nwhile read steps; do echo 3600; done\n");
  fs::permissions(scratch / "python", fs::perms::owner_all);
  Program program({"bench", "domainbed", "--rounds", "1", "--steps", "2", "--batch", "2", "--json",
                   "--python", (scratch / "python").string()},
                  scratch.path());
  EXPECT_EQ(program.wait(), 0) << program.err();
  const auto result = nlohmann::json::parse(program.out());
  EXPECT_EQ(result.at("python").at("torch"), "9.9");
  EXPECT_EQ(result.at("python").at("parameters"), 1234);
  EXPECT_DOUBLE_EQ(result.at("python").at("milliseconds"), 1.8e6);
  EXPECT_DOUBLE_EQ(result.at("speedup").get<double>(),
                   1.8e6 / result.at("ours").at("milliseconds").get<double>());
}

}  // namespace
}  // namespace pair::runs::testing::domainbed_program_test
