#include "pair/plot/files.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "pair/plot/csv.h"
#include "pair/plot/png.h"
#include "pair/plot/svg.h"
#include "tests/support/file_limit.h"

namespace pair::plot::files_test {
namespace {

class Files : public ::testing::Test {
 public:
  ~Files() override { std::filesystem::remove_all(folder); }

 protected:
  Files() { std::filesystem::create_directory(folder); }

  static std::string content(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }

  std::filesystem::path folder = std::filesystem::temp_directory_path() /
                                 ("pair_plot_" + std::to_string(::getpid()) + "_" +
                                  ::testing::UnitTest::GetInstance()->current_test_info()->name());
  Figure figure{.title = "A figure", .panels = {Chart{.marks = {Line{.x = {0, 1}, .y = {0, 1}}}}}};
};

TEST_F(Files, AreWhatTheirNamesSay) {
  write_figure(figure, folder / "a.svg", Theme::dark);
  write_figure(figure, folder / "a.csv");
  EXPECT_EQ(content(folder / "a.svg"), to_svg(figure, {.theme = Theme::dark}));
  EXPECT_EQ(content(folder / "a.csv"), to_csv(figure));
  if (have_png()) {
    write_figure(figure, folder / "a.png");
    EXPECT_THAT(content(folder / "a.png"), ::testing::StartsWith("\x89PNG"));
  }
}

TEST_F(Files, OfOtherKindsAreRefusedAndNotMade) {
  for (const char* name : {"a.pdf", "a", "a.SVG2", ".svg"}) {
    EXPECT_THROW(write_figure(figure, folder / name), std::invalid_argument) << name;
    EXPECT_FALSE(std::filesystem::exists(folder / name));
  }
}

TEST_F(Files, ThatCannotBeWrittenAreReported) {
  try {
    write_figure(figure, folder / "missing" / "a.svg");
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("No such file or directory"));
  }
}

TEST_F(Files, StayAsTheyWereWhereTheDiskIsFull) {
  for (const char* const name : {"a.svg", "a.csv"}) {
    write_figure(figure, folder / name);
    const std::string before = content(folder / name);
    Figure other = figure;
    other.title = "Another";
    {
      const tests::FileLimit full(before.size() / 2);
      EXPECT_THROW(write_figure(other, folder / name), std::runtime_error);
    }
    EXPECT_EQ(content(folder / name), before);
  }
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 2);
}

}  // namespace
}  // namespace pair::plot::files_test
