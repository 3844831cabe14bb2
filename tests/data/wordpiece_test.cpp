#include "pair/data/wordpiece.h"

#include <gmock/gmock.h>

#include <fstream>
#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "pair/base/temporary_folder.h"

namespace pair::data {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

const std::string golden_folder = std::string(PAIR_TEST_DATA) + "/golden/wordpiece/";

WordPiece small_tokenizer() {
  return WordPiece({"[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "##a", "a", "!", "b"});
}

std::string from_hexadecimal(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

TEST(WordPiece, GivesTheIdsOfHuggingFacesFastTokenizer) {
  const WordPiece tokenizer = WordPiece::from_file(golden_folder + "vocab.txt");
  std::ifstream cases(golden_folder + "cases.txt");
  std::size_t count = 0;
  for (std::string line; std::getline(cases, line); ++count) {
    const std::size_t blank = line.find(' ');
    std::vector<std::int32_t> expected;
    std::istringstream numbers(line.substr(blank + 1));
    for (std::string number; std::getline(numbers, number, ',');) {
      expected.push_back(std::stoi(number));
    }
    EXPECT_EQ(tokenizer.ids(from_hexadecimal(line.substr(0, blank))), expected) << line.substr(0, blank);
  }
  EXPECT_GT(count, 400U);
}

TEST(WordPiece, TakesTheLongestPieceFirst) {
  EXPECT_THAT(small_tokenizer().ids("unaffable UNA"), ElementsAre(4, 5, 6, 4, 7));
}

TEST(WordPiece, MakesAWordThatCannotBeDividedUnknownAsAWhole) {
  EXPECT_THAT(small_tokenizer().ids("una unax xuna a"), ElementsAre(4, 7, 1, 1, 8));
}

TEST(WordPiece, MakesAWordOfMoreThanAHundredCharactersUnknown) {
  const std::string hundred = "a" + std::string(99, 'a');
  EXPECT_EQ(small_tokenizer().ids(hundred).size(), 100U);
  EXPECT_THAT(small_tokenizer().ids(hundred + "a"), ElementsAre(1));
  EXPECT_THAT(small_tokenizer().ids(hundred + "!"), ::testing::SizeIs(101));
}

TEST(WordPiece, KeepsTheFirstIdsAlone) {
  EXPECT_THAT(small_tokenizer().ids("una a", 0), ElementsAre());
  EXPECT_THAT(small_tokenizer().ids("una a", 1), ElementsAre(4));
  EXPECT_THAT(small_tokenizer().ids("una a", 3), ElementsAre(4, 7, 8));
  // Whether a word is unknown depends on all of it.
  EXPECT_THAT(small_tokenizer().ids("unax a", 1), ElementsAre(1));
}

TEST(WordPiece, FillsARowWithAFirstAndALastTokenAndPadding) {
  std::vector<std::int32_t> row(6, 99);
  EXPECT_EQ(small_tokenizer().encode("a b", row), 4U);
  EXPECT_THAT(row, ElementsAre(2, 8, 10, 3, 0, 0));
  EXPECT_EQ(small_tokenizer().encode("a b", row, -1), 4U);
  EXPECT_THAT(row, ElementsAre(2, 8, 10, 3, -1, -1));
}

TEST(WordPiece, CutsALongTextAndKeepsTheLastToken) {
  std::vector<std::int32_t> row(4);
  EXPECT_EQ(small_tokenizer().encode("a b a b a b", row), 4U);
  EXPECT_THAT(row, ElementsAre(2, 8, 10, 3));
  std::vector<std::int32_t> shortest(2);
  EXPECT_EQ(small_tokenizer().encode("a b", shortest), 2U);
  EXPECT_THAT(shortest, ElementsAre(2, 3));
}

TEST(WordPiece, RefusesARowWithoutRoomForFirstAndLast) {
  std::vector<std::int32_t> row(1);
  EXPECT_THAT(
      [&] { small_tokenizer().encode("a", row); },
      ThrowsMessage<std::invalid_argument>("tokens: expected room for at least 2, [CLS] and [SEP], got 1"));
}

TEST(WordPiece, DropsBytesThatAreNotUtf8) {
  EXPECT_THAT(small_tokenizer().ids("un\xff"
                                    "a \xc3 b\xed\xa0\x80"),
              ElementsAre(4, 7, 10));
}

TEST(WordPiece, ReadsAVocabularyWithAnyLineEnds) {
  const base::TemporaryFolder folder("wordpiece");
  const auto file = folder.path() / "vocab.txt";
  std::ofstream(file) << "[PAD]\r\n[UNK]\r\n[CLS] \n[SEP]\n\na";
  const WordPiece tokenizer = WordPiece::from_file(file);
  EXPECT_THAT(tokenizer.tokens(), ElementsAre("[PAD]", "[UNK]", "[CLS]", "[SEP]", "", "a"));
  EXPECT_EQ(tokenizer.pad_id(), 0);
  EXPECT_EQ(tokenizer.unknown_id(), 1);
  EXPECT_EQ(tokenizer.first_id(), 2);
  EXPECT_EQ(tokenizer.last_id(), 3);
  EXPECT_THAT(tokenizer.ids("A"), ElementsAre(5));
}

TEST(WordPiece, IsTheSameAfterAVocabularyWasWrittenAsText) {
  const WordPiece tokenizer = WordPiece::from_file(golden_folder + "vocab.txt");
  EXPECT_EQ(WordPiece::from_text(tokenizer.text()).tokens(), tokenizer.tokens());
}

TEST(WordPiece, TakesTheLastOfEqualTokens) {
  const WordPiece tokenizer({"[PAD]", "[UNK]", "[CLS]", "[SEP]", "a", "a"});
  EXPECT_THAT(tokenizer.ids("a"), ElementsAre(5));
}

TEST(WordPiece, NamesWhatAVocabularyLacks) {
  EXPECT_THAT(
      [] {
        (void)WordPiece({"[PAD]", "[UNK]", "a"}, "v.txt");
      },
      ThrowsMessage<std::invalid_argument>(
          "v.txt: expected BERT's vocabulary, one token per line, got 3 tokens without [CLS], [SEP]"));
  EXPECT_THAT([] { (void)WordPiece::from_text("[PAD]\n\xff\n", "v.txt"); },
              ThrowsMessage<std::invalid_argument>("v.txt: expected a vocabulary in UTF-8, got other bytes"));
  EXPECT_THAT([] { (void)WordPiece::from_file("/nowhere/vocab.txt"); },
              ThrowsMessage<std::invalid_argument>(
                  AllOf(HasSubstr("/nowhere/vocab.txt: expected a vocabulary"), HasSubstr("No such file"))));
}

TEST(WordPiece, ShowsWhatIsLeftOfATextBeforeItIsDivided) {
  EXPECT_EQ(normalised_for_bert("Caf\u00e9\t\u4e2d\u00ad!"), "cafe  \u4e2d !");
}

}  // namespace
}  // namespace pair::data
