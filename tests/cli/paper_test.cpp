#include <gmock/gmock.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/process.h"

// 'pair paper' as a user types it: what needs no training.

namespace pair::cli::test::paper_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(PaperProgram, FindsTheFailureCasesPoints) {
  const Finished text = run_pair({"paper", "fig-failure"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("f_1    IRM_S                 0.955719  0.294281  0.168974"));
  EXPECT_THAT(text.out, HasSubstr("prefer it to f_IRM"));
  const Finished logistic = run_pair({"paper", "fig-failure", "--loss", "logistic", "--format", "json"});
  EXPECT_EQ(logistic.status, 0) << logistic.err;
  const json figure = json::parse(logistic.out);
  EXPECT_EQ(figure["loss"], "logistic");
  EXPECT_NEAR(figure["points"][1]["f"][0].get<double>(), std::log(9.0), 1e-9);
}

TEST(PaperProgram, WritesTheFiguresNumbersToAFile) {
  const std::filesystem::path path =
      std::filesystem::temp_directory_path() / ("pair_failure_" + std::to_string(::getpid()) + ".json");
  const Finished finished =
      run_pair({"paper", "fig-failure", "--alpha", "0.25", "--betas", "0.1,0.2", "-o", path.string()});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.out, HasSubstr("f_IRM has the smallest ERM loss"));
  std::ifstream file(path);
  EXPECT_EQ(json::parse(file)["betas"], json({0.1, 0.2}));
  std::filesystem::remove(path);
  // The names that the option has in other commands, and had here.
  for (const char* const option : {"--save", "--out"}) {
    EXPECT_EQ(run_pair({"paper", "fig-failure", option, path.string()}).status, 0) << option;
    EXPECT_TRUE(std::filesystem::remove(path)) << option;
  }
}

TEST(PaperProgram, ShowsAConcaveFront) {
  const Finished text = run_pair({"paper", "fig-concave"});
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("EPO 9 of 9, the weighted sum with the same numbers as weights 0 of 9"));
  const Finished numbers = run_pair({"paper", "fig-concave", "--rays", "2", "--format", "json"});
  EXPECT_EQ(json::parse(numbers.out)["runs"].size(), 2U);
  EXPECT_EQ(run_pair({"paper", "fig-concave", "--rays", "2", "--json"}).out, numbers.out);
  EXPECT_EQ(run_pair({"paper", "fig-concave", "--rays", "0"}).status, 2);
  const Finished wrong = run_pair({"paper", "fig-concave", "--save", "figure.gif"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("--save: expected a name that ends in"));
}

TEST(PaperProgram, ShowsWhereOptimizersGo) {
  const std::vector<std::string> command{"paper",    "two-bit",  "--cases", "failure", "--losses",
                                         "logistic", "--starts", "5",       "--seed",  "3"};
  const Finished text = run_pair(command);
  EXPECT_EQ(text.status, 0) << text.err;
  EXPECT_THAT(text.out, HasSubstr("PAIR-o, epo_worst        5"));
  std::vector<std::string> as_json = command;
  as_json.emplace_back("--json");
  const json result = json::parse(run_pair(as_json).out);
  EXPECT_EQ(result["seed"], 3);
  ASSERT_EQ(result["cases"].size(), 1U);
  EXPECT_EQ(result["cases"][0]["methods"].size(), 4U);
}

TEST(PaperProgram, ExplainsTheStall) {
  EXPECT_THAT(run_pair({"paper", "stall"}).out, HasSubstr("stalls"));
  const json result = json::parse(run_pair({"paper", "stall", "--case", "original", "--json"}).out);
  EXPECT_EQ(result["alpha"], 0.25);
}

TEST(PaperProgram, ExitsWith2WhereTheArgumentsAreWrong) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{}, "'pair paper': expected a subcommand (fig-failure, "},
      {{"fig-failur"}, "did you mean 'fig-failure'?"},
      {{"fig-failure", "--alpha", "0"}, "--alpha: expected a number above 0 and below 1, got 0"},
      {{"fig-failure", "--alpha", "1"}, "alpha: expected a number above 0 and below 1, got 1"},
      {{"fig-failure", "--alpha", "x"}, "--alpha"},
      {{"fig-failure", "--alpha", "nan"}, "alpha: expected a number above 0 and below 1, got nan"},
      {{"fig-failure", "--betas", "0.2,0.2"}, "betas: expected distinct values, got 0.2 twice"},
      {{"fig-failure", "--betas", "0.2"}, "betas: expected two or more values, one per environment, got 1"},
      {{"fig-failure", "--betas", "0.2,1.2"}, "beta: expected a number above 0 and below 1, got 1.2"},
      {{"fig-failure", "--loss", "squared"}, "unknown loss 'squared'; did you mean 'square'?"},
      {{"fig-failure", "--format", "yaml"}, "--format: expected text or json, got 'yaml'\n"},
      {{"fig-failure", "-o", "figure.gif"},
       "--save: expected a name that ends in .svg, .png or .json, got 'figure.gif'"},
      {{"two-bit", "--cases", "orignal"}, "did you mean 'original'?"},
      {{"two-bit", "--losses", "cubic"}, "unknown loss 'cubic'"},
      {{"two-bit", "--starts", "0"}, "--starts: expected an integer from 1 to 100000, got '0'\n"},
      {{"two-bit", "--starts", "-1"}, "--starts"},
      {{"two-bit", "--preference", "1,2"},
       "preference: expected three values, for ERM, IRMv1 and V-REx, got 2"},
      {{"two-bit", "--step", "long"}, "unknown step 'long'"},
      {{"two-bit", "--lr", "0"}, "learning_rate: expected a positive number, got 0"},
      {{"stall", "--preference", "1,-2,3"}, "preference[1]: expected a finite positive number, got -2"},
      {{"stall", "--case", "none"}, "unknown case 'none'"},
      {{"prop1", "extra"}, "'pair paper prop1': expected no further argument, got 'extra'\n"},
      {{"fig-concave", "--jsn"},
       "unknown option '--jsn' of 'pair paper fig-concave'; did you mean '--json'?"},
      {{"fig-concave", "--json", "--format", "text"}, "--json: expected without --format text, got both"},
  };
  for (const auto& [arguments, sentence] : cases) {
    std::vector<std::string> command{"paper"};
    command.insert(command.end(), arguments.begin(), arguments.end());
    const Finished finished = run_pair(command);
    EXPECT_EQ(finished.status, 2) << sentence;
    EXPECT_THAT(finished.err, HasSubstr(sentence));
    EXPECT_THAT(finished.out, IsEmpty());
  }
}

TEST(PaperProgram, ExitsWith1WhereTheFileCannotBeWritten) {
  const Finished finished = run_pair({"paper", "fig-failure", "-o", "/nonexistent/figure.json"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_THAT(finished.err, HasSubstr("cannot write /nonexistent/figure.json: No such file"));
}

}  // namespace
}  // namespace pair::cli::test::paper_test
