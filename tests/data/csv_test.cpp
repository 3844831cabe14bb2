#include "pair/data/csv.h"

#include <gmock/gmock.h>

#include <stdexcept>

#include "tests/data/fixtures.h"
#include "tests/support/filled_pipe.h"
#include "tests/support/without_permissions.h"

namespace pair::data::testing {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

using CsvRows = std::vector<std::vector<std::string>>;

CsvRows rows_of(CsvReader reader) {
  CsvRows rows;
  while (reader.next()) {
    rows.emplace_back(reader.fields().begin(), reader.fields().end());
  }
  return rows;
}

CsvRows rows_of(std::string_view text, CsvOptions options = {}) {
  return rows_of(CsvReader(csv_text(text), "x.csv", options));
}

auto refuses(std::string_view sentence) {
  return ThrowsMessage<std::invalid_argument>(HasSubstr(std::string(sentence)));
}

TEST(Csv, RowsAreLinesAndFieldsAreSeparatedByCommas) {
  EXPECT_THAT(rows_of("a,b\n1,2\n3,\n"),
              ElementsAre(ElementsAre("a", "b"), ElementsAre("1", "2"), ElementsAre("3", "")));
}

TEST(Csv, TheLastLineNeedsNoEnd) {
  EXPECT_EQ(rows_of("a,b\n1,2"), rows_of("a,b\n1,2\n"));
  EXPECT_THAT(rows_of("a,b\n1,"), ElementsAre(ElementsAre("a", "b"), ElementsAre("1", "")));
  EXPECT_THAT(rows_of("a,b\n1,\"2\""), ElementsAre(ElementsAre("a", "b"), ElementsAre("1", "2")));
}

TEST(Csv, QuotesKeepSeparatorsLineEndsAndQuotes) {
  EXPECT_THAT(rows_of("a,b\n\"1,2\",\"two\r\nlines\"\n\"say \"\"hi\"\"\",\"\"\n\"\"\"\",x\n"),
              ElementsAre(ElementsAre("a", "b"), ElementsAre("1,2", "two\r\nlines"),
                          ElementsAre("say \"hi\"", ""), ElementsAre("\"", "x")));
}

TEST(Csv, SpacesArePartOfAField) {
  EXPECT_THAT(rows_of("a, b\n 1,2 \n"), ElementsAre(ElementsAre("a", " b"), ElementsAre(" 1", "2 ")));
}

TEST(Csv, LinesEndInLfCrlfOrCr) {
  const CsvRows expected = rows_of("a,b\n1,2\n3,4\n");
  EXPECT_EQ(rows_of("a,b\r\n1,2\r\n3,4\r\n"), expected);
  EXPECT_EQ(rows_of("a,b\r1,2\r3,4\r"), expected);
  EXPECT_EQ(rows_of("a,b\r\n1,2\r\n3,4"), expected);
}

TEST(Csv, EmptyLinesArePassedOverAndCounted) {
  CsvReader reader(csv_text("\n\r\na,b\n\n1,2\n\n"), "x.csv");
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), 3U);
  ASSERT_TRUE(reader.next());
  EXPECT_THAT(reader.fields(), ElementsAre("1", "2"));
  EXPECT_EQ(reader.line(), 5U);
  EXPECT_FALSE(reader.next());
  EXPECT_FALSE(reader.next());
}

TEST(Csv, NothingHasNoRows) {
  EXPECT_THAT(rows_of(""), ElementsAre());
  EXPECT_THAT(rows_of("\n\n"), ElementsAre());
  EXPECT_THAT(rows_of("\xef\xbb\xbf"), ElementsAre());
}

TEST(Csv, LinesWithinQuotesCount) {
  CsvReader reader(csv_text("a,b\n\"1\n\n2\",x\n3,4\n"), "x.csv");
  ASSERT_TRUE(reader.next() && reader.next());
  EXPECT_EQ(reader.line(), 2U);
  ASSERT_TRUE(reader.next());
  EXPECT_EQ(reader.line(), 5U);
}

TEST(Csv, AByteOrderMarkIsNotText) {
  EXPECT_THAT(rows_of("\xef\xbb\xbf\"a\",b\n"), ElementsAre(ElementsAre("a", "b")));
}

TEST(Csv, TextIsUtf8) {
  EXPECT_THAT(rows_of("Größe,患者\n1,😀\n"), ElementsAre(ElementsAre("Größe", "患者"), ElementsAre("1", "😀")));
}

TEST(Csv, FindsTheSeparatorThatGivesEveryRowTheSameFields) {
  EXPECT_THAT(rows_of("a;b\n1,5;2\n2,5;3\n").at(1), ElementsAre("1,5", "2"));
  EXPECT_THAT(rows_of("a\tb\n1,2,3\t4\n").at(1), ElementsAre("1,2,3", "4"));
  EXPECT_THAT(rows_of("a,b;c\n1,2\n3,4;5\n").at(2), ElementsAre("3", "4;5"));
  EXPECT_THAT(rows_of("\"a;b;c\",d\n1,2\n").at(0), ElementsAre("a;b;c", "d"));
  EXPECT_THAT(rows_of("a\n1\n").at(1), ElementsAre("1"));
  EXPECT_EQ(CsvReader(csv_text("a\tb\n"), "x").separator(), '\t');
}

TEST(Csv, ASeparatorCanBeGiven) {
  EXPECT_THAT(rows_of("a;b,c\n1;2,3\n", {.separator = ','}).at(0), ElementsAre("a;b", "c"));
  EXPECT_THAT([] { (void)rows_of("a|b\n", {.separator = '|'}); }, refuses("separator: expected a comma"));
}

TEST(Csv, GzippedFilesAreReadAsTheyAre) {
  const Scratch scratch;
  std::string text = "a,b\n";
  for (int i = 0; i < 100'000; ++i) {
    text += std::to_string(i) + ",\"x\ny\"\n";
  }
  write(scratch.path() / "plain", bytes_of(text));
  write(scratch.path() / "packed", gzip(bytes_of(text)));
  const CsvRows rows = rows_of(CsvReader(scratch.path() / "plain"));
  ASSERT_EQ(rows.size(), 100'001U);
  EXPECT_THAT(rows.back(), ElementsAre("99999", "x\ny"));
  EXPECT_EQ(rows_of(CsvReader(scratch.path() / "packed")), rows);
  write(scratch.path() / "cut", without_last(gzip(bytes_of(text)), 20));
  EXPECT_THAT([&] { (void)rows_of(CsvReader(scratch.path() / "cut")); },
              ThrowsMessage<std::runtime_error>(HasSubstr("cut cannot be read: its gzip stream is cut off")));
}

TEST(Csv, RefusesWhatIsNotAFile) {
  const Scratch scratch;
  EXPECT_THAT([&] { (void)CsvReader(scratch.path() / "none.csv"); },
              refuses("got a path that does not exist"));
  EXPECT_THAT([&] { (void)CsvReader(scratch.path()); },
              refuses("expected a CSV file, got a path that is a folder"));
  EXPECT_THAT([] { (void)CsvReader("/dev/null"); }, refuses("got a path that is a device or pipe"));
}

TEST(Csv, ReadsAPipeOnceIfAllowed) {
  const tests::FilledPipe pipe("a,b\n1,2\n");
  EXPECT_THAT([&] { (void)CsvReader(pipe.path()); }, refuses("got a path that is a device or pipe"));
  EXPECT_THAT(rows_of(CsvReader(pipe.path(), {.pipes = true})),
              ElementsAre(ElementsAre("a", "b"), ElementsAre("1", "2")));
  const Bytes packed = gzip(bytes_of("a\n1\n"));
  const tests::FilledPipe gzipped({reinterpret_cast<const char*>(packed.data()), packed.size()});
  EXPECT_THAT(rows_of(CsvReader(gzipped.path(), {.pipes = true})),
              ElementsAre(ElementsAre("a"), ElementsAre("1")));
  const tests::FilledPipe image("\x89PNG\r\n\x1a\n");
  EXPECT_THAT([&] { (void)CsvReader(image.path(), {.pipes = true}); },
              refuses("expected a CSV file, got a PNG image"));
  EXPECT_THAT([] { (void)CsvReader("/none.csv", {.pipes = true}); },
              refuses("got a path that does not exist"));
}

TEST(Csv, SaysWhichKindOfFileIsNotText) {
  const auto kind = [](std::string_view start) { return binary_kind(start); };
  EXPECT_EQ(kind("\x89PNG\r\n\x1a\n"), "a PNG image");
  EXPECT_EQ(kind("\xff\xd8\xff\xe0"), "a JPEG image");
  EXPECT_EQ(kind("PK\x03\x04"), "a ZIP archive, such as an .xlsx file");
  EXPECT_EQ(kind("%PDF-1.4\n"), "a PDF file");
  EXPECT_EQ(kind(std::string_view("PAR1\0\1", 6)), "a Parquet file");
  EXPECT_EQ(kind(std::string_view("\x7f\0\xff\xfe\0\0\0", 7)), "a binary file");
  for (const std::string_view text : {std::string_view("PAR1,b\n1,2\n"), std::string_view("a,caf\xe9\n"),
                                      std::string_view("a,b\n1,\0\n", 8),
                                      std::string_view("\xff\xfe"
                                                       "a\0",
                                                       4),
                                      std::string_view()}) {
    EXPECT_EQ(kind(text), "") << text;
  }
  const Scratch scratch;
  write(scratch.path() / "x", bytes_of("PK\x03\x04"));
  EXPECT_EQ(binary_kind_of_file(scratch.path() / "x"), "a ZIP archive, such as an .xlsx file");
  EXPECT_THAT([&] { (void)CsvReader(scratch.path() / "x"); },
              refuses("x: expected a CSV file, got a ZIP archive, such as an .xlsx file"));
  EXPECT_EQ(binary_kind_of_file(scratch.path() / "none"), "");
}

TEST(Csv, SaysThatPermissionsAreMissing) {
  const Scratch scratch;
  namespace fs = std::filesystem;
  fs::permissions(scratch.path(), fs::perms::all);
  fs::create_directory(scratch.path() / "closed");
  write(scratch.path() / "closed/a.csv", bytes_of("a\n"));
  write(scratch.path() / "secret.csv", bytes_of("a\n"));
  fs::permissions(scratch.path() / "closed", fs::perms::none);
  fs::permissions(scratch.path() / "secret.csv", fs::perms::none);
  const tests::WithoutPermissions nobody;
  for (const char* const name : {"closed/a.csv", "secret.csv"}) {
    EXPECT_THAT([&] { (void)CsvReader(scratch.path() / name); },
                refuses("got a path that cannot be read: Permission denied"));
  }
}

TEST(Csv, NamesTheLineWithTooFewOrTooManyFields) {
  EXPECT_THAT([] { (void)rows_of("a,b,c\n1,2,3\n\n4,5\n"); },
              refuses("x.csv, line 4: expected 3 fields as in line 1 (separator ,), got 2"));
  EXPECT_THAT([] { (void)rows_of("a\tb\n1\t2\n1\t2\t3\n"); },
              refuses("x.csv, line 3: expected 2 fields as in line 1 (separator tab), got 3"));
}

TEST(Csv, NamesTheLineOfAQuoteThatIsNotClosed) {
  EXPECT_THAT([] { (void)rows_of("a,b\n1,2\n3,\"four\n5,6\n"); },
              refuses("x.csv, line 3: expected a closing quote for field 2, got the end of the file"));
  EXPECT_THAT(
      [] { (void)rows_of("a,b\n1,\"2\n3,\"four\"\n"); },
      refuses("line 3: expected a separator or the line's end after the closing quote of field 2, which "
              "opens on line 2, got 'f'"));
}

TEST(Csv, RefusesAQuoteInsideOfAPlainField) {
  EXPECT_THAT([] { (void)rows_of("a,b\n1,5\" pipe\n"); },
              refuses("line 2: expected quotes around all of field 2 and each quote in it doubled"));
}

TEST(Csv, RefusesARowThatIsTooLong) {
  const std::string text = "a,b\n1,\"" + std::string(200'000, 'x');
  EXPECT_THAT(
      [&] { (void)rows_of(text, {.longest_row = 5000, .block = 64}); },
      refuses("line 2: expected a row of at most 5000 bytes, got a longer one; a quote may not be closed"));
}

TEST(Csv, NamesTheLineAndTheByteThatIsNotUtf8) {
  EXPECT_THAT([] { (void)rows_of("a,b\n1,caf\xe9\n"); },
              refuses("line 2: expected UTF-8, got byte 0xe9; 'iconv"));
  EXPECT_THAT([] { (void)rows_of("a,b\n1,\"\n\xc0\xaf\"\n"); },
              refuses("line 3: expected UTF-8, got byte 0xc0"));
  EXPECT_THAT([] { (void)rows_of("a\n\xed\xa0\x80\n"); }, refuses("got byte 0xed"));
  EXPECT_THAT([] { (void)rows_of("a\n\xf0\x9f\x98\n"); }, refuses("got byte 0xf0"));
  EXPECT_THAT(
      [] {
        (void)rows_of(
            "\xff\xfe"
            "a");
      },
      refuses("expected UTF-8, got UTF-16"));
  EXPECT_THAT([] { (void)rows_of(std::string_view("a,b\n1,\0\n", 8)); },
              refuses("line 2: expected text, got a zero byte in field 2"));
}

TEST(Csv, SentencesAreOneLine) {
  EXPECT_THAT(
      [] { (void)rows_of(CsvReader(csv_text("a\n\"b\"\x1b\n"), "x\n.csv")); },
      ThrowsMessage<std::invalid_argument>(AllOf(StartsWith("x?.csv, line 2"), HasSubstr("got '?'"))));
}

// Rows, lines and errors do not depend on where blocks end.
TEST(Csv, BlocksOfAnySizeGiveTheSameRows) {
  const std::string text =
      "\xef\xbb\xbf"
      "name;größe;note\r\n\"Ann;\"\"A\"\"\";1,5;\"two\r\nlines\"\r\n\r\nBob;2;\"\"\r\nÉva;;\"\"\"\"\r\n";
  const CsvRows expected = rows_of(text);
  ASSERT_EQ(expected.size(), 4U);
  for (std::size_t block = 1; block < 70; ++block) {
    const CsvOptions options{.separator = ';', .block = block, .sample = 1};
    EXPECT_EQ(rows_of(text, options), expected) << block;
    CsvReader reader(csv_text(text), "x.csv", options);
    std::vector<std::size_t> lines;
    while (reader.next()) {
      lines.push_back(reader.line());
    }
    EXPECT_THAT(lines, ElementsAre(1, 2, 5, 6)) << block;
  }
}

TEST(Csv, ARowMayBeLongerThanABlock) {
  // Beyond what is looked at for the separator, so that rows are cut by blocks.
  std::string text = "a,b\n";
  for (int i = 0; i < 20; ++i) {
    text += "\"" + std::string(30'000, 'x') + R"(""",)" + std::to_string(i) + "\r\n";
  }
  for (const std::size_t block : {1000U, 1009U, 65'536U}) {
    const CsvRows rows = rows_of(text, {.block = block});
    ASSERT_EQ(rows.size(), 21U);
    EXPECT_EQ(rows[20][0].size(), 30'001U);
    EXPECT_EQ(rows[20][1], "19");
  }
}

}  // namespace
}  // namespace pair::data::testing
