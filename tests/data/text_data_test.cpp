#include <gmock/gmock.h>
#include <torch/types.h>

#include <fstream>
#include <sstream>

#include "pair/base/options.h"
#include "pair/base/registry.h"
#include "pair/base/temporary_folder.h"
#include "pair/data/inputs.h"
#include "pair/data/registry.h"
#include "pair/data/text.h"
#include "tests/support/filled_pipe.h"

namespace pair::data {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::ThrowsMessage;

constexpr const char* vocabulary_text = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nso\nkind\nyou\nfool\n##s\n,\n";

const WordPiece& comment_tokenizer() {
  static const WordPiece tokenizer = WordPiece::from_text(vocabulary_text);
  return tokenizer;
}

std::vector<std::int32_t> numbers_in(const torch::Tensor& row) {
  const torch::Tensor flat = row.contiguous();
  return {flat.data_ptr<std::int32_t>(), flat.data_ptr<std::int32_t>() + flat.numel()};
}

class TextFiles : public ::testing::Test {
 protected:
  std::string write(const std::string& name, const std::string& content) {
    const auto path = folder_.path() / name;
    std::ofstream(path) << content;
    return path.string();
  }

  // Two sources with ten comments each.
  std::string write_comments() {
    std::string rows = "id,comment,toxic,source\n";
    for (int i = 0; i < 20; ++i) {
      rows += std::to_string(i) + (i % 2 == 0 ? ",\"so kind, you\",no," : ",\"you\nfools\",yes,") +
              (i < 10 ? "forum" : "news") + "\n";
    }
    return write("comments.csv", rows);
  }

  base::Options comments(const std::vector<std::pair<std::string, std::string>>& changes = {}) {
    std::vector<std::pair<std::string, std::string>> settings{
        {"file", write_comments()}, {"text", "comment"}, {"label", "toxic"}, {"environment", "source"},
        {"vocab", vocabulary()},    {"max_tokens", "8"}, {"test_envs", "1"}};
    settings.insert(settings.end(), changes.begin(), changes.end());
    return base::with_changes(entry_of("text").options, settings);
  }

  std::string vocabulary() { return write("vocab.txt", vocabulary_text); }

 private:
  base::TemporaryFolder folder_{"texts"};
};

TEST(TokenRows, EndWithMinusOneWhichIsNoToken) {
  const std::vector<std::string_view> texts{"so kind", "[PAD] you"};
  const torch::Tensor rows = token_rows(comment_tokenizer(), texts, 6);
  EXPECT_THAT(numbers_in(rows[0]), ElementsAre(2, 4, 5, 3, -1, -1));
  EXPECT_THAT(numbers_in(rows[1]), ElementsAre(2, 0, 6, 3, -1, -1));
}

TEST(TokenRows, DoNotDependOnTheNumberOfThreads) {
  std::vector<std::string> texts;
  std::vector<std::string_view> views;
  for (int i = 0; i < 37; ++i) {
    texts.push_back(std::string(static_cast<std::size_t>(i % 5), ',') + " you fools");
  }
  views.assign(texts.begin(), texts.end());
  const torch::Tensor one = token_rows(comment_tokenizer(), views, 9, 1);
  for (const int threads : {2, 3, 36, 37, 200}) {
    EXPECT_TRUE(torch::equal(token_rows(comment_tokenizer(), views, 9, threads), one)) << threads;
  }
  EXPECT_EQ(token_rows(comment_tokenizer(), {}, 9, 4).size(0), 0);
}

TEST(TokenRows, RefuseRowsThatAreTooShortOrTooLong) {
  EXPECT_THAT([] { (void)token_rows(comment_tokenizer(), {}, 1); },
              ThrowsMessage<std::invalid_argument>("max_tokens: expected an integer from 2 to 65536, got 1"));
  EXPECT_THAT([] { (void)token_rows(comment_tokenizer(), {}, 9, 0); },
              ThrowsMessage<std::invalid_argument>("threads: expected an integer from 1 to 256, got 0"));
}

TEST(TextSet, HasItsPartsInOrderAndOneOutputForTwoClasses) {
  const std::vector<TextPart> parts{
      {.key = "a", .texts = {"so kind", "you fool"}, .labels = {0, 1}},
      {.key = "b", .trained = false, .test = true, .texts = {"so"}, .labels = {1}}};
  const EnvironmentSet set =
      text_set("comments", comment_tokenizer(), parts, {.max_tokens = 5, .classes = {"kind", "toxic"}});
  ASSERT_EQ(set.train.size(), 1U);
  ASSERT_EQ(set.held_out.size(), 1U);
  EXPECT_EQ(set.train[0].key, "a");
  EXPECT_TRUE(set.held_out[0].test);
  EXPECT_EQ(set.loss, TaskLoss::binary_cross_entropy);
  EXPECT_EQ(set.outputs, 1);
  EXPECT_EQ(set.train[0].labels.scalar_type(), torch::kFloat);
  EXPECT_EQ(set.train[0].inputs.scalar_type(), torch::kInt);
  EXPECT_EQ(input_shape(set), std::vector<std::int64_t>{5});
  EXPECT_EQ(set.input.kind, "text");
  EXPECT_EQ(set.input.options.as<TextInput>().vocabulary, vocabulary_text);
}

TEST(TextSet, HasTwoOutputsForTwoClassesIfAsWilds) {
  const std::vector<TextPart> parts{{.key = "a", .texts = {"so"}, .labels = {1}}};
  const EnvironmentSet set =
      text_set("comments", comment_tokenizer(), parts,
               {.max_tokens = 5, .classes = {"kind", "toxic"}, .one_output_for_two_classes = false});
  EXPECT_EQ(set.loss, TaskLoss::cross_entropy);
  EXPECT_EQ(set.outputs, 2);
  EXPECT_EQ(set.train[0].labels.scalar_type(), torch::kLong);
}

TEST(TextSet, RefusesPartsThatDoNotFit) {
  const auto make = [](TextPart part, std::vector<std::string> classes = {"a", "b"}) {
    const std::vector<TextPart> parts{std::move(part)};
    (void)text_set("comments", comment_tokenizer(), parts, {.max_tokens = 5, .classes = std::move(classes)});
  };
  EXPECT_THAT([&] { make({.key = "x", .texts = {"so"}, .labels = {}}); },
              ThrowsMessage<std::invalid_argument>(
                  "x: expected texts and one label for each, got 1 texts and 0 labels"));
  EXPECT_THAT([&] { make({.key = "x", .texts = {"so"}, .labels = {2}}); },
              ThrowsMessage<std::invalid_argument>("x: expected labels from 0 to 1, got 2"));
  EXPECT_THAT([&] { make({.key = "x", .texts = {"so"}, .labels = {0}}, {"a"}); },
              ThrowsMessage<std::invalid_argument>("comments: expected at least 2 classes, got 1"));
  EXPECT_THAT(
      [&] { make({.key = "x", .trained = false, .texts = {"so"}, .labels = {0}}); },
      ThrowsMessage<std::invalid_argument>("comments: expected at least one part to train on, got none"));
}

TEST_F(TextFiles, BecomeEnvironmentsWithHeldOutParts) {
  const base::Options options = comments();
  EXPECT_THAT(entry_of("text").environments(options), ElementsAre("forum", "news"));
  const EnvironmentSet set = entry_of("text").make(options, 0);
  ASSERT_EQ(set.train.size(), 1U);
  ASSERT_EQ(set.held_out.size(), 3U);
  EXPECT_EQ(set.train[0].key, "env0_in");
  EXPECT_EQ(set.train[0].labels.size(0), 8);
  EXPECT_EQ(set.held_out[1].key, "env1_in");
  EXPECT_TRUE(set.held_out[1].test);
  EXPECT_FALSE(set.held_out[2].test);
  EXPECT_THAT(set.classes, ElementsAre("no", "yes"));
  // Line ends inside a field are part of the text, which is the row of its label.
  for (std::int64_t i = 0; i < 8; ++i) {
    const bool toxic = set.train[0].labels[i].item<float>() == 1.0F;
    if (toxic) {
      EXPECT_THAT(numbers_in(set.train[0].inputs[i]), ElementsAre(2, 6, 7, 8, 3, -1, -1, -1));
    } else {
      EXPECT_THAT(numbers_in(set.train[0].inputs[i]), ElementsAre(2, 4, 5, 9, 6, 3, -1, -1));
    }
  }
  EXPECT_THAT(set.description, AllOf(HasSubstr("20 texts in 'comment', 5 tokens on average; 0 fill all 8"),
                                     HasSubstr("trained on 'forum'; tested on 'news'")));
  EXPECT_EQ(set.table, nullptr);
}

TEST_F(TextFiles, AreDividedInTheSameWayForTheSameSeed) {
  const base::Options options = comments();
  const auto labels = [&](std::uint64_t seed) {
    return entry_of("text").make(options, seed).train[0].labels;
  };
  EXPECT_TRUE(torch::equal(labels(1), labels(1)));
  EXPECT_TRUE(torch::equal(entry_of("text").make(comments({{"workers", "4"}}), 1).train[0].inputs,
                           entry_of("text").make(options, 1).train[0].inputs));
}

TEST_F(TextFiles, ThatDoNotFitAreRefusedByName) {
  const auto check = [&](const std::vector<std::pair<std::string, std::string>>& changes) {
    const base::Options options = comments(changes);
    return [options] { entry_of("text").check(options); };
  };
  EXPECT_THAT(check({{"text", "words"}}),
              ThrowsMessage<std::invalid_argument>(
                  AllOf(HasSubstr("text: expected a column of"), HasSubstr("got 'words'"))));
  EXPECT_THAT(check({{"text", "toxic"}}), ThrowsMessage<std::invalid_argument>(
                                              "text: expected a column that is not the label, got 'toxic'"));
  EXPECT_THAT(check({{"text", "source"}}),
              ThrowsMessage<std::invalid_argument>(
                  "text: expected a column that is not the environment, got 'source'"));
  EXPECT_THAT(check({{"text", ""}}),
              ThrowsMessage<std::invalid_argument>(HasSubstr("'--text COLUMN' names it")));
  EXPECT_THAT(check({{"vocab", ""}}),
              ThrowsMessage<std::invalid_argument>(HasSubstr("'--vocab vocab.txt' names it")));
  const base::Options changed = comments({{"vocab_sha256", std::string(64, '0')}});
  EXPECT_THAT([&] { (void)entry_of("text").make(changed, 0); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("vocab.txt has changed")));
}

// They have no option 'task'.
TEST_F(TextFiles, MayHaveManyRareClasses) {
  std::string rows = "comment,rare,name,source\n";
  for (int i = 0; i < 40; ++i) {
    rows += "so kind," + std::to_string(i % 25) + "," + std::to_string(i) + (i < 20 ? ",forum\n" : ",news\n");
  }
  const std::string file = write("rare.csv", rows);
  const EnvironmentSet set = entry_of("text").make(comments({{"file", file}, {"label", "rare"}}), 0);
  EXPECT_THAT(set.notices, AllOf(Contains(HasSubstr("25 classes in 40 rows; fewer than two rows per class")),
                                 Each(Not(HasSubstr("task=")))));
  const base::Options names = comments({{"file", file}, {"label", "name"}});
  EXPECT_THAT([&] { (void)entry_of("text").make(names, 0); },
              ThrowsMessage<std::invalid_argument>(
                  AllOf(HasSubstr("got 40 classes in 40 rows, such as '0'"), Not(HasSubstr("task=")))));
}

TEST_F(TextFiles, WithManyUnknownTokensAreReported) {
  const std::string poor = write("poor.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\n");
  const EnvironmentSet set = entry_of("text").make(comments({{"vocab", poor}}), 0);
  ASSERT_FALSE(set.notices.empty());
  EXPECT_THAT(set.notices.back(), HasSubstr("more than a tenth of all tokens are [UNK]"));
}

class TextInputFiles : public TextFiles {
 protected:
  static InputForm form() {
    return form_of(TextInput{.max_tokens = 6, .text_column = "comment", .vocabulary = vocabulary_text});
  }

  std::vector<InputBatch> all(std::vector<std::string> inputs, const std::string& standard_input = {},
                              std::int64_t batch = 2) {
    std::istringstream in(standard_input);
    const auto opened = open_inputs(form(), std::move(inputs), in, {.shape = {6}, .batch = batch});
    std::vector<InputBatch> batches;
    while (std::optional<InputBatch> next = opened->next()) {
      batches.push_back(std::move(*next));
    }
    return batches;
  }
};

TEST_F(TextInputFiles, AreLinesOfStandardInput) {
  const std::vector<InputBatch> batches = all({"-"}, "so kind\r\n\nyou fools");
  ASSERT_EQ(batches.size(), 2U);
  EXPECT_THAT(batches[0].names, ElementsAre("standard input:1", "standard input:2"));
  EXPECT_THAT(numbers_in(batches[0].inputs), ElementsAre(2, 4, 5, 3, -1, -1, 2, 3, -1, -1, -1, -1));
  EXPECT_THAT(numbers_in(batches[1].inputs), ElementsAre(2, 6, 7, 8, 3, -1));
}

TEST_F(TextInputFiles, AreAColumnOfCsvFilesAndLinesOfOthers) {
  const std::string csv = write("new.csv", "x,comment\n1,\"so, so\"\n2,you\n");
  const std::string lines = write("new.txt", "kind\n");
  const std::vector<InputBatch> batches = all({csv, lines}, "", 10);
  ASSERT_EQ(batches.size(), 1U);
  EXPECT_THAT(batches[0].names,
              ElementsAre(HasSubstr("new.csv:2"), HasSubstr("new.csv:3"), HasSubstr("new.txt:1")));
  EXPECT_THAT(numbers_in(batches[0].inputs[0]), ElementsAre(2, 4, 9, 4, 3, -1));
}

TEST_F(TextInputFiles, MayBePipes) {
  const tests::FilledPipe pipe("so kind\nyou\n");
  const std::vector<InputBatch> batches = all({pipe.path()});
  ASSERT_EQ(batches.size(), 1U);
  EXPECT_THAT(batches[0].names, ElementsAre(pipe.path() + ":1", pipe.path() + ":2"));
  EXPECT_THAT(numbers_in(batches[0].inputs[1]), ElementsAre(2, 6, 3, -1, -1, -1));
}

TEST_F(TextInputFiles, ThatCannotBeUsedAreNamed) {
  const std::string csv = write("other.csv", "x,text\n1,so\n");
  EXPECT_THAT([&] { (void)all({csv}); },
              ThrowsMessage<std::invalid_argument>(
                  HasSubstr("expected the column 'comment' with the texts, got 'x' and 'text'")));
  const std::string near = write("near.csv", "x,Comment\n1,so\n");
  EXPECT_THAT([&] { (void)all({near}); }, ThrowsMessage<std::invalid_argument>(
                                              HasSubstr("got 'x' and 'Comment'; did you mean 'Comment'?")));
  EXPECT_THAT([&] { (void)all({"/nowhere.txt"}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("/nowhere.txt: expected a CSV file")));
  EXPECT_THAT([&] { (void)all({}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("inputs: expected CSV files")));
}

}  // namespace
}  // namespace pair::data
