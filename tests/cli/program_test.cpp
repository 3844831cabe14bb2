#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "pair/moo/registry.h"
#include "tests/cli/process.h"

// The pair program as a user meets it: arguments, files, pipes and exit statuses.

namespace pair::cli::test::program_test {
namespace {

using nlohmann::json;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr auto problem = R"({"losses": [1, 2], "gram": [[1, 0.5], [0.5, 1]], "preference": [1, 1]})";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& content)
      : path_(std::filesystem::temp_directory_path() /
              ("pair_cli_" + std::to_string(::getpid()) + "_" +
               ::testing::UnitTest::GetInstance()->current_test_info()->name())) {
    std::ofstream(path_, std::ios::binary) << content;
  }
  ~TemporaryFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

TEST(Program, SaysItsVersion) {
  const Finished finished = run_pair({"--version"});
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(finished.out, "pair " PAIR_EXPECTED_VERSION "\n");
}

TEST(Program, HelpsWithAnExampleEverywhere) {
  const std::vector<std::vector<std::string>> commands{{},
                                                       {"solve"},
                                                       {"list"},
                                                       {"bench"},
                                                       {"bench", "solver"},
                                                       {"bench", "watch"},
                                                       {"watch"},
                                                       {"paper"},
                                                       {"paper", "fig-failure"},
                                                       {"paper", "prop1"},
                                                       {"paper", "two-bit"},
                                                       {"paper", "stall"}};
  for (std::vector<std::string> command : commands) {
    command.emplace_back("--help");
    const Finished finished = run_pair(command);
    EXPECT_EQ(finished.status, 0) << command.front();
    EXPECT_THAT(finished.out, HasSubstr("Example:\n  ")) << command.front();
    EXPECT_THAT(finished.err, IsEmpty());
  }
}

TEST(Program, ShowsExamplesThatWork) {
  // The line of the help that starts with echo, given to a shell that finds pair.
  const std::string help = run_pair({"solve", "--help"}).out;
  const std::size_t start = help.find("echo '") + 6;
  const std::string input = help.substr(start, help.find('\'', start) - start);
  const Finished finished = run_pair({"solve"}, input);
  EXPECT_EQ(finished.status, 0) << finished.out;
  EXPECT_THAT(finished.out, StartsWith("{\"weights\":["));
}

TEST(Program, ExitsWith2WhereTheArgumentsAreWrong) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{}, "pair: 'pair': expected a subcommand (solve, "},
      {{"sovle"}, "unknown subcommand 'sovle'; did you mean 'solve'?"},
      {{"bench"}, "expected a subcommand (solver"},
      {{"bench", "solvr"}, "did you mean 'solver'?"},
      {{"bench", "solver", "--problems", "0"}, "pair: --problems: expected an integer from 1 to "},
      {{"list", "solver"}, "unknown kind 'solver'; did you mean 'solvers'?"},
      {{"solve", "--epsilon", "-1"}, "pair: --epsilon: expected a number from 0 to 1e+300, got '-1'"},
      {{"solve", "--set", "radius=1"}, "pair: radius: expected a number from 0 to below 1, got '1'"},
      {{"solve", "--set", "radiuss=1"}, "unknown option 'radiuss'; did you mean 'radius'?"},
      {{"solve", "--set", "radius"}, "got 'radius'"},
      {{"solve", "--solver", "epoo"}, "did you mean 'epo'?"},
      {{"solve", "--nonsense"},
       "unknown option '--nonsense' of 'pair solve'; 'pair solve --help' lists its options\n"},
      {{"solve", "--solvr", "mgda"}, "unknown option '--solvr' of 'pair solve'; did you mean '--solver'?\n"},
      {{"solve", "--epsilon=1", "--epsilonn=2"}, "did you mean '--epsilon'?\n"},
      {{"solve", "--solver"}, "--solver: expected a value, got none\n"},
      {{"solve", "a", "b"}, "'pair solve': expected no further argument, got 'b'\n"},
      {{"select"}, "DIR: expected a value, which 'pair select' needs, got none\n"},
      {{"watch", "x", "--port", "70000"}, "--port: expected an integer from 0 to 65535, got '70000'\n"},
      {{"watch", "x", "--port", "1", "--port", "2"}, "--port: expected once, got twice\n"},
      {{"watch", "x", "--port", "web"}, "--port: expected an integer from 0 to 65535, got 'web'\n"},
      {{"report", "x", "--json=maybe"}, "--json: expected true or false, got 'maybe'\n"},
      {{"solve", "/nonexistent/file"}, "cannot open '/nonexistent/file': No such file"},
      {{"solve", "/"}, "'/' is a directory"},
  };
  for (const auto& [arguments, sentence] : cases) {
    const Finished finished = run_pair(arguments);
    EXPECT_EQ(finished.status, 2) << sentence;
    EXPECT_THAT(finished.err, HasSubstr(sentence));
    EXPECT_THAT(finished.err, StartsWith("pair: ")) << sentence;
    EXPECT_THAT(finished.out, IsEmpty());
  }
}

TEST(Program, SaysWhatANumberMayBe) {
  const Finished fraction = run_pair({"solve", "--epsilon", "x"});
  EXPECT_EQ(fraction.status, 2);
  EXPECT_EQ(fraction.err, "pair: --epsilon: expected a number from 0 to 1e+300, got 'x'\n");
  const Finished whole = run_pair({"select", "anywhere", "--last", "2.5"});
  EXPECT_EQ(whole.status, 2);
  EXPECT_THAT(whole.err, StartsWith("pair: --last: expected an integer, got '2.5'"));
}

TEST(Program, ListsEverySolver) {
  const Finished text = run_pair({"list", "solvers"});
  const json listed = json::parse(run_pair({"list", "solvers", "--json"}).out);
  ASSERT_EQ(listed.size(), moo::solvers().size());
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const moo::SolverEntry& entry = moo::solvers()[i];
    EXPECT_EQ(listed[i]["name"], entry.name);
    EXPECT_EQ(listed[i]["python_class"], moo::python_class_of(entry));
    EXPECT_EQ(listed[i]["options"].size(), entry.options.fields().size());
    EXPECT_THAT(text.out, HasSubstr(entry.summary));
  }
  EXPECT_EQ(listed[1]["options"][1],
            json({{"name", "smoothing"},
                  {"summary", moo::options_of("epo_smooth").find("smoothing")->summary},
                  {"default", "1"},
                  {"training", ""},
                  {"accepted", "numbers from 1e-06 to 1e+06"}}));
  EXPECT_THAT(text.out, HasSubstr(" epsilon  divergence above which the solver balances (default: "
                                  "1e-04) (training: 0.1) (accepted: numbers from 0 to 1e+300)\n"));
  EXPECT_THAT(run_pair({"list"}).out, StartsWith("solvers"));
}

TEST(Program, SolvesFromStandardInputAndFromFiles) {
  const std::string lines = std::string(problem) + "\n" + problem + "\n";
  const Finished piped = run_pair({"solve"}, lines);
  EXPECT_EQ(piped.status, 0);
  EXPECT_EQ(lines_of(piped.out).size(), 2U);
  EXPECT_THAT(piped.err, IsEmpty());
  EXPECT_EQ(run_pair({"solve", "-"}, lines).out, piped.out);
  EXPECT_EQ(run_pair({"solve", "--json"}, lines).out, piped.out);
  const TemporaryFile file(lines);
  EXPECT_EQ(run_pair({"solve", file.path()}).out, piped.out);
}

TEST(Program, RepliesToBadLinesContinuesAndExitsWith2) {
  const std::string lines = std::string(problem) + "\n\n{\"losses\": [-1, 1]}\r\n   \n" + problem + "\n";
  const Finished finished = run_pair({"solve"}, lines);
  EXPECT_EQ(finished.status, 2);
  const std::vector<std::string> replies = lines_of(finished.out);
  ASSERT_EQ(replies.size(), 3U);
  EXPECT_THAT(replies[0], StartsWith("{\"weights\""));
  EXPECT_EQ(json::parse(replies[1])["line"], 3);
  EXPECT_THAT(replies[2], StartsWith("{\"weights\""));
  EXPECT_THAT(finished.err, HasSubstr("3 lines: 1 not solved, the first in line 3"));
}

TEST(Program, HasNothingToSayAboutAnEmptyInput) {
  const Finished finished = run_pair({"solve"}, "");
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.out, IsEmpty());
}

TEST(Program, TakesDefaultsForLinesThatDoNotSay) {
  const Finished finished = run_pair(
      {"solve", "--solver", "mgda", "--epsilon", "0.5"},
      std::string(problem) + "\n" + R"({"losses": [1, 2], "gram": [[1, 0], [0, 1]], "preference": [1, 1], )" +
          R"("solver": "epo"})");
  EXPECT_EQ(finished.status, 0);
  const std::vector<std::string> replies = lines_of(finished.out);
  ASSERT_EQ(replies.size(), 2U);
  EXPECT_TRUE(json::parse(replies[0])["phase"].is_null());
  EXPECT_EQ(json::parse(replies[1])["phase"], "descent");
}

TEST(Program, RefusesAMillionDigitsAndATruncatedLastLine) {
  const std::string lines = std::string("{\"losses\": [") + std::string(1'000'000, '9') + ", 1]}\n" +
                            problem + "\n{\"losses\": [1, 2], \"gr";
  const Finished finished = run_pair({"solve"}, lines);
  EXPECT_EQ(finished.status, 2);
  const std::vector<std::string> replies = lines_of(finished.out);
  ASSERT_EQ(replies.size(), 3U);
  EXPECT_THAT(replies[0], HasSubstr("got 9999"));
  EXPECT_LT(replies[0].size(), 300U);
  EXPECT_THAT(replies[1], StartsWith("{\"weights\""));
  EXPECT_THAT(replies[2], HasSubstr("the line ends early"));
}

TEST(Program, RefusesALineOfMoreThan64MegabytesAndContinues) {
  const std::string lines =
      R"({"x": ")" + std::string((std::size_t{64} << 20) + 1, ' ') + "\"}\n" + problem + "\n";
  const Finished finished = run_pair({"solve"}, lines);
  EXPECT_EQ(finished.status, 2);
  const std::vector<std::string> replies = lines_of(finished.out);
  ASSERT_EQ(replies.size(), 2U);
  EXPECT_THAT(replies[0], HasSubstr("longer than 64 MiB"));
  EXPECT_THAT(replies[1], StartsWith("{\"weights\""));
}

TEST(Program, AnswersEachLineBeforeTheNextComes) {
  Conversation conversation({"solve"});
  for (int i = 0; i < 3; ++i) {
    conversation.say(std::string(problem) + "\n");
    EXPECT_THAT(conversation.hear_line(), StartsWith("{\"weights\""));
  }
  conversation.stop_talking();
  EXPECT_EQ(conversation.wait().status, 0);
}

TEST(Program, EndsQuietlyWhereNobodyListens) {
  Conversation conversation({"solve"});
  conversation.stop_listening();
  conversation.say(std::string(problem) + "\n");
  conversation.stop_talking();
  const Finished finished = conversation.wait();
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.err, IsEmpty());
}

TEST(Program, EndsQuietlyWhereTheReaderGoesInTheMiddle) {
  // Far more than a pipe holds, so that a write fails long before the end.
  std::string lines;
  for (int i = 0; i < 5'000; ++i) {
    lines += std::string(problem) + "\n";
  }
  const TemporaryFile file(lines);
  Conversation conversation({"solve", file.path()});
  EXPECT_THAT(conversation.hear_line(), StartsWith("{\"weights\""));
  conversation.stop_listening();
  const Finished finished = conversation.wait();
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.err, IsEmpty());
}

TEST(Program, RefusesANegativeNumberOfRunsToDraw) {
  const Finished finished =
      run_pair({"report", std::string(PAIR_EXAMPLES) + "/sweep", "--runs", "-1", "--json"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr("--runs"));
  EXPECT_THAT(finished.out, IsEmpty());
}

TEST(Program, SaysWhichDataNeedsADownload) {
  const Finished finished = run_pair({"data", "--help"});
  EXPECT_THAT(finished.out, HasSubstr("The dataset cmnist needs no download"));
  EXPECT_THAT(finished.out, HasSubstr("ColoredMNIST and RotatedMNIST\nneed 'pair data get mnist'"));
}

TEST(Program, DescribesAUsersTable) {
  const std::string file = PAIR_EXAMPLES "/table/patients.csv";
  const Finished ready = run_pair(
      {"data", "describe", file, "--label", "outcome", "--environment", "hospital", "--ignore", "patient"});
  EXPECT_EQ(ready.status, 0) << ready.err;
  EXPECT_THAT(ready.out, HasSubstr("4000 rows, 8 columns"));
  EXPECT_THAT(ready.out, ContainsRegex("age +input +number +[0-9]+ "));
  EXPECT_THAT(ready.out, ContainsRegex("patient +ignored\n"));
  EXPECT_THAT(ready.out, ContainsRegex("environment +samples +no +yes\n"));
  EXPECT_THAT(ready.out, ContainsRegex("St. Mary +1000 +[0-9]+ +[0-9]+\n"));
  EXPECT_THAT(ready.out, Not(HasSubstr("wrong:")));

  const Finished refused =
      run_pair({"data", "describe", file, "--label", "outcome", "--environment", "hospital", "--json"});
  EXPECT_EQ(refused.status, 1);
  const json description = json::parse(refused.out);
  EXPECT_EQ(description["kind"], "table");
  EXPECT_EQ(description["samples"], 4000);
  EXPECT_EQ(description["columns"][0]["use"], "input");
  EXPECT_EQ(description["columns"][0]["categories"], 4000);
  EXPECT_EQ(description["environments"].size(), 4U);
  ASSERT_EQ(description["problems"].size(), 1U);
  EXPECT_THAT(description["problems"][0].get<std::string>(), HasSubstr("got 4000 texts in 4000 rows"));
  EXPECT_EQ(description["notes"], json({"--ignore patient leaves this column out"}));

  const Finished columns = run_pair({"data", "describe", file});
  EXPECT_EQ(columns.status, 0) << columns.err;
  EXPECT_THAT(columns.out, HasSubstr("--label and --environment add"));
}

TEST(Program, DescribesAListOfImages) {
  const TemporaryFile list("path,kind,site,year\n/none/1.png,cat,zoo,2019\n/none/2.png,dog,zoo,2019\n");
  const Finished finished =
      run_pair({"data", "describe", list.path(), "--label", "kind", "--environment", "site,year"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_THAT(finished.out, HasSubstr(": 2 images\n"));
  EXPECT_THAT(finished.out, HasSubstr("2 classes, 'cat' and 'dog'; 1 environment\n"));
  EXPECT_THAT(finished.out, ContainsRegex("zoo/2019 +2 +1 +1\n"));
  EXPECT_THAT(finished.out, HasSubstr("wrong: expected at least 2 environments, got 1\n"));
  EXPECT_THAT(finished.out, HasSubstr("wrong: images that do not exist: 2 ('/none/1.png' in line 2, "));
}

TEST(Program, RefusesToDescribeWhatIsNotThere) {
  const std::string file = PAIR_EXAMPLES "/table/patients.csv";
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases{
      {{"none.csv"}, "expected a CSV file or a folder of images, got 'none.csv', which does not exist"},
      {{"camelyon17"}, "--data-root: expected the folder that holds the dataset's folder, got none"},
      {{file, "--label", "outcom"}, "did you mean 'outcome'?"},
      {{"camelyon17", "--data-root", "none", "--label", "y"}, "--label applies to CSV files"},
      {{PAIR_EXAMPLES "/table", "--label", "y"}, "which is a folder"},
  };
  for (const auto& [arguments, sentence] : cases) {
    std::vector<std::string> words{"data", "describe"};
    words.insert(words.end(), arguments.begin(), arguments.end());
    const Finished finished = run_pair(words);
    EXPECT_EQ(finished.status, 2) << sentence;
    EXPECT_THAT(finished.err, HasSubstr(sentence));
    EXPECT_THAT(finished.out, IsEmpty());
  }
}

// 'pair report --json | head'.
TEST(Program, EndsQuietlyWhereTheReaderOfAReportGoes) {
  Conversation conversation({"report", PAIR_EXAMPLES "/sweep", "--json"});
  conversation.stop_listening();
  const Finished finished = conversation.wait();
  EXPECT_EQ(finished.status, 0);
  EXPECT_THAT(finished.err, Not(HasSubstr("Broken pipe")));
  EXPECT_THAT(finished.err, Not(HasSubstr("cannot write")));
}

TEST(Program, StillSaysThatADiskIsFull) {
  FILE* const shell = ::popen("\"" PAIR_PROGRAM "\" --version 2>&1 > /dev/full", "r");
  ASSERT_NE(shell, nullptr);
  std::string said(200, '\0');
  said.resize(std::fread(said.data(), 1, said.size(), shell));
  const int status = ::pclose(shell);
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_THAT(said, HasSubstr("pair: cannot write the output"));
}

TEST(Program, SolvesTenThousandLinesThroughOnePipe) {
  std::string lines;
  for (int i = 0; i < 10'000; ++i) {
    lines += std::string(problem) + "\n";
  }
  const Finished finished = run_pair({"solve"}, lines);
  EXPECT_EQ(finished.status, 0);
  EXPECT_EQ(lines_of(finished.out).size(), 10'000U);
}

TEST(Program, MeasuresTheSolver) {
  const Finished finished = run_pair({"bench", "solver", "--json", "--problems", "20"});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const json report = json::parse(finished.out);
  EXPECT_EQ(report["problems"], 20);
  std::vector<int> sizes;
  for (const json& result : report["results"]) {
    sizes.push_back(result["m"]);
    EXPECT_GT(result["pair"]["median_us"].get<double>(), 0.0);
    EXPECT_LE(result["pair"]["p10_us"], result["pair"]["median_us"]);
    EXPECT_LE(result["pair"]["median_us"], result["pair"]["p90_us"]);
    if (!report["glpk_version"].is_null()) {
      EXPECT_GT(result["glpk"]["ratio"].get<double>(), 0.0);
      EXPECT_EQ(result["glpk_exact"]["agreeing"], 20) << "GLPK's rational arithmetic disagrees";
    } else {
      EXPECT_TRUE(result["glpk"].is_null());
    }
  }
  EXPECT_THAT(sizes, ::testing::ElementsAre(2, 3, 5, 8));
  EXPECT_THAT(run_pair({"bench", "solver", "--problems", "20"}).out, HasSubstr("microseconds per solve"));
}

}  // namespace
}  // namespace pair::cli::test::program_test
