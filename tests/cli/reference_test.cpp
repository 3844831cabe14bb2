// The reference pages in docs/ are those that the declarations give: 'pair list KIND --markdown'. So are the
// solvers' classes that the Python package declares for type checkers.

#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/process.h"
#include "tests/support/scratch.h"

namespace pair::cli::test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

fs::path project() {
  return fs::path(PAIR_TEST_DATA).parent_path().parent_path();
}

// The first group of each match.
std::vector<std::string> found_in(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator match(text.begin(), text.end(), pattern), end; match != end; ++match) {
    found.push_back((*match)[1]);
  }
  return found;
}

// File names and texts of a folder.
std::map<std::string, std::string> pages_in(const fs::path& folder) {
  std::map<std::string, std::string> pages;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    pages[entry.path().filename().string()] = text_of(entry.path());
  }
  return pages;
}

class ReferencePages : public ::testing::TestWithParam<const char*> {};

TEST_P(ReferencePages, AreThoseThatTheDeclarationsGive) {
  const tests::Scratch scratch;
  const std::string kind = GetParam();
  const Finished finished = run_pair({"list", kind, "--markdown", "--out", (scratch / kind).string()});
  ASSERT_EQ(finished.status, 0) << finished.err;
  const std::map<std::string, std::string> made = pages_in(scratch / kind);
  const std::map<std::string, std::string> kept = pages_in(project() / "docs" / kind);
  for (const auto& [name, text] : made) {
    ASSERT_TRUE(kept.contains(name)) << "docs/" << kind << "/" << name
                                     << " is missing; run scripts/reference";
    EXPECT_EQ(kept.at(name), text) << "docs/" << kind << "/" << name << " is old; run scripts/reference";
  }
  for (const auto& [name, text] : kept) {
    EXPECT_TRUE(made.contains(name)) << "docs/" << kind << "/" << name << " is a page of nothing";
  }
}

TEST_P(ReferencePages, HaveAFormulaAdviceAndACitationEach) {
  const tests::Scratch scratch;
  const std::string kind = GetParam();
  const Finished finished = run_pair({"list", kind, "--markdown", "--out", scratch.path().string()});
  ASSERT_EQ(finished.status, 0) << finished.err;
  for (const auto& [name, text] : pages_in(scratch.path())) {
    if (name != "README.md") {
      EXPECT_THAT(text, AllOf(HasSubstr("\n```\n"), HasSubstr("\n## When to use it\n"),
                              HasSubstr("\n## References\n"), Not(HasSubstr("\n\n\n"))))
          << name;
    }
  }
}

TEST_P(ReferencePages, AreOneDocumentWithoutAFolder) {
  const Finished finished = run_pair({"list", GetParam(), "--markdown"});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_THAT(finished.out, AllOf(HasSubstr("| name | summary |\n"), HasSubstr("\n## References\n")));
}

INSTANTIATE_TEST_SUITE_P(Kinds, ReferencePages, ::testing::Values("objectives", "algorithms", "solvers"),
                         [](const auto& one) { return std::string(one.param); });

TEST(ReferencePage, ListsOptionsWithWhatSweepsDraw) {
  const std::string text = run_pair({"list", "objectives", "--markdown"}).out;
  EXPECT_THAT(text, HasSubstr("| `fishr_ema` | `0.95` | numbers from 0 to below 1 |"));
  EXPECT_THAT(text, HasSubstr("| Uniform(0.9, 0.99) |"));
}

TEST(PythonClasses, AreThoseThatTheSolversDeclare) {
  std::vector<std::string> declared;
  for (const nlohmann::json& solver : nlohmann::json::parse(run_pair({"list", "solvers", "--json"}).out)) {
    declared.push_back(solver.at("python_class"));
  }
  ASSERT_FALSE(declared.empty());
  const std::string stub = text_of(project() / "python" / "pair" / "torch" / "solvers.pyi");
  EXPECT_EQ(found_in(stub, std::regex(R"(\nclass (\w+)\(Weighting\): \.\.\.)")), declared)
      << "run scripts/reference";
  EXPECT_EQ(found_in(stub, std::regex(R"re(\n    "(\w+)",)re")), declared) << "run scripts/reference";
}

TEST(ReferencePage, ListsWhatSweepsDrawOfAnAlgorithmWithItsOwnUpdate) {
  const std::string text = run_pair({"list", "algorithms", "--markdown"}).out;
  EXPECT_THAT(
      text, HasSubstr("| `meta_lr` | one of 0.05, 0.1, 0.5 | datasets in DomainBed's setting | DomainBed |"));
  EXPECT_THAT(text, HasSubstr("| `lr_d` | as `lr` | datasets in DomainBed's setting | DomainBed |"));
}

TEST(ReferencePage, RefusesAKindWithoutPages) {
  const Finished finished = run_pair({"list", "models", "--markdown"});
  EXPECT_EQ(finished.status, 2);
  EXPECT_THAT(finished.err, HasSubstr("--markdown: expected one of the lists"));
  EXPECT_THAT(finished.err, HasSubstr("got 'models'"));
}

TEST(ReferencePage, SaysWhyAFolderCannotBeWritten) {
  const Finished finished = run_pair({"list", "objectives", "--markdown", "--out", "/dev/null/pages"});
  EXPECT_EQ(finished.status, 1);
  EXPECT_THAT(finished.err, HasSubstr("/dev/null/pages: Not a directory"));
}

}  // namespace
}  // namespace pair::cli::test
