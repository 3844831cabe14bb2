#include "pair/data/shown_sample.h"

#include <gmock/gmock.h>

#include <fstream>

#include "pair/data/image.h"
#include "pair/data/sha256.h"
#include "pair/data/source.h"
#include "pair/data/table_spec.h"
#include "pair/data/text_spec.h"
#include "tests/support/scratch.h"

namespace pair::data {
namespace {

using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;
using ::testing::ThrowsMessage;

// Images of 200 x 100 pixels; the second one is broken.
class TwoImages final : public Source {
 public:
  [[nodiscard]] std::size_t size() const override { return 2; }
  [[nodiscard]] SampleInfo sample(std::size_t index) const override {
    return {.id = index == 0 ? "a/b/first.png" : std::string(400, 'x') + "/second.png"};
  }
  [[nodiscard]] std::span<const std::string> classes() const override { return {}; }
  [[nodiscard]] std::span<const std::string> environments() const override { return {}; }
  [[nodiscard]] Image read(std::size_t index) const override {
    if (index == 1) {
      throw BrokenImage("truncated");
    }
    return {.rows = 200, .columns = 100, .pixels = std::vector<std::uint8_t>(std::size_t{200} * 100 * 3, 77)};
  }
};

void write_table(const std::filesystem::path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary) << text;
}

TEST(ShownSample, OfAnImageHasASmallPictureWithTheSameAspect) {
  const std::vector<std::size_t> both{0, 1};
  const std::vector<ShownSample> shown = shown_samples(TwoImages(), both, true);
  ASSERT_EQ(shown.size(), 2U);
  EXPECT_EQ(shown[0].name, "a/b/first.png");
  const Image picture = decode_image(shown[0].picture);
  EXPECT_EQ(picture.rows, 96);
  EXPECT_EQ(picture.columns, 48);
  EXPECT_THAT(shown[1].picture, IsEmpty()) << "a broken image is named, without a picture";
  EXPECT_THAT(shown[1].name, EndsWith("x/second.png"));
  EXPECT_LE(shown[1].name.size(), ShownSample::longest_name + std::string("…").size());
  EXPECT_THAT(shown_samples(TwoImages(), both, false)[0].picture, IsEmpty());
}

TEST(ShownSample, OfATableIsTheRowWithTheLineThatAnEditorShows) {
  const tests::Scratch scratch;
  const std::filesystem::path file = scratch / "t.csv";
  write_table(file, "id, age,note\nP0,1,\"two\nlines\"\n\nP1,2,x\nP2, 3 ,y\n");
  const std::vector<std::size_t> rows{2, 0, 2};
  const std::vector<ShownSample> shown = shown_rows({.file = file}, rows);
  ASSERT_EQ(shown.size(), 3U);
  EXPECT_EQ(shown[0].name, "line 6");
  EXPECT_THAT(shown[0].cells, ElementsAre(Pair("id", "P2"), Pair("age", "3"), Pair("note", "y")));
  EXPECT_EQ(shown[1].name, "line 2");
  EXPECT_THAT(shown[1].cells, ElementsAre(Pair("id", "P0"), Pair("age", "1"), Pair("note", "two\nlines")));
  EXPECT_EQ(shown[2].cells, shown[0].cells);
}

TEST(ShownSample, OfAWideTableHasItsFirstCells) {
  const tests::Scratch scratch;
  std::string names;
  std::string cells;
  for (int i = 0; i < 20; ++i) {
    names += (i == 0 ? "c" : ",c") + std::to_string(i);
    cells += (i == 0 ? "" : ",") + std::string(100, 'v');
  }
  write_table(scratch / "t.csv", names + "\n" + cells + "\n");
  const std::vector<ShownSample> shown = shown_rows({.file = scratch / "t.csv"}, std::vector<std::size_t>{0});
  EXPECT_EQ(shown[0].cells.size(), ShownSample::most_cells);
  EXPECT_EQ(shown[0].cells_left_out, 20 - ShownSample::most_cells);
  EXPECT_EQ(shown[0].cells[0].second, std::string(ShownSample::longest_cell, 'v') + "…");
}

TEST(ShownSample, OfTextsIsTheirBeginning) {
  const tests::Scratch scratch;
  write_table(scratch / "t.csv", "label,text\n0,  short \n1," + std::string(400, 'a') + "\n");
  const TextSpec spec{.file = scratch / "t.csv", .text = "text", .label = "label"};
  const std::vector<ShownSample> shown = shown_texts(spec, std::vector<std::size_t>{0, 1});
  EXPECT_EQ(shown[0].text, "short");
  EXPECT_EQ(shown[1].text, std::string(ShownSample::longest_text, 'a') + "…");
}

TEST(ShownSample, RefusesAFileThatHasChanged) {
  const tests::Scratch scratch;
  const std::filesystem::path file = scratch / "t.csv";
  write_table(file, "a\n1\n2\n");
  const std::string digest = sha256_of_file(file);
  const std::vector<std::size_t> second{1};
  EXPECT_EQ(shown_rows({.file = file, .file_sha256 = digest}, second)[0].name, "line 3");
  write_table(file, "a\n1\n");
  EXPECT_THAT([&] { (void)shown_rows({.file = file, .file_sha256 = digest}, second); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("has changed")));
  EXPECT_THAT([&] { (void)shown_rows({.file = file}, second); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("expected the row 2, got 1 rows")));
}

TEST(CutText, EndsAtACharacter) {
  EXPECT_EQ(cut_text("short", 5), "short");
  EXPECT_EQ(cut_text("longer", 5), "longe…");
  EXPECT_EQ(cut_text("aé", 2), "a…") << "the letter takes two bytes";
}

}  // namespace
}  // namespace pair::data
