#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>

#include "pair/plot/png.h"
#include "tests/cli/process.h"

// pair paper fig-failure and the files it leaves.

namespace pair::cli::test::paper_failure_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class PaperFailure : public ::testing::Test {
 public:
  ~PaperFailure() override { std::filesystem::remove_all(folder_); }

 protected:
  PaperFailure() { std::filesystem::create_directory(folder_); }

  [[nodiscard]] std::string path(const char* name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::string content(const char* name) const {
    std::ifstream stream(folder_ / name, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

 private:
  std::filesystem::path folder_ = std::filesystem::temp_directory_path() /
                                  ("pair_failure_" + std::to_string(::getpid()) + "_" +
                                   ::testing::UnitTest::GetInstance()->current_test_info()->name());
};

TEST_F(PaperFailure, DrawsBothLossesAsSvg) {
  for (const std::string loss : {"square", "logistic"}) {
    const Finished finished = run_pair({"paper", "fig-failure", "--loss", loss, "-o", path("a.svg")});
    EXPECT_EQ(finished.status, 0) << finished.err;
    EXPECT_THAT(finished.out, StartsWith("Two-bit environments, " + loss));
    EXPECT_THAT(content("a.svg"), AllOf(StartsWith("<svg "), HasSubstr(loss + " loss, α = 0.1"),
                                        HasSubstr("prefers-color-scheme"), HasSubstr("Pareto front")));
  }
}

TEST_F(PaperFailure, DrawsInTheThemeAskedFor) {
  run_pair({"paper", "fig-failure", "--theme", "dark", "-o", path("a.svg")});
  EXPECT_THAT(content("a.svg"), AllOf(HasSubstr("pair-dark"), Not(HasSubstr("prefers-color-scheme"))));
}

TEST_F(PaperFailure, DrawsAsPngOrSaysWhyNot) {
  const Finished finished = run_pair({"paper", "fig-failure", "-o", path("a.png")});
  if (plot::have_png()) {
    EXPECT_EQ(finished.status, 0) << finished.err;
    EXPECT_THAT(content("a.png"), StartsWith("\x89PNG"));
  } else {
    EXPECT_EQ(finished.status, 1);
    EXPECT_THAT(finished.err, HasSubstr("cannot write PNG"));
  }
}

TEST_F(PaperFailure, WritesItsNumbersAsJson) {
  const Finished finished = run_pair({"paper", "fig-failure", "-o", path("a.json")});
  EXPECT_EQ(finished.status, 0) << finished.err;
  EXPECT_EQ(nlohmann::json::parse(content("a.json"))["name"], "fig-failure");
}

TEST_F(PaperFailure, RefusesOtherFilesAndThemes) {
  const Finished suffix = run_pair({"paper", "fig-failure", "-o", path("a.pdf")});
  EXPECT_EQ(suffix.status, 2);
  EXPECT_THAT(suffix.err, HasSubstr("expected a name that ends in .svg, .png or .json"));
  const Finished theme = run_pair({"paper", "fig-failure", "--theme", "pink"});
  EXPECT_EQ(theme.status, 2);
  EXPECT_THAT(theme.err, HasSubstr("--theme"));
  const Finished folder = run_pair({"paper", "fig-failure", "-o", path("missing/a.svg")});
  EXPECT_EQ(folder.status, 1);
  EXPECT_THAT(folder.err, HasSubstr("No such file"));
}

}  // namespace
}  // namespace pair::cli::test::paper_failure_test
