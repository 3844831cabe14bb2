#include <gmock/gmock.h>

#include <fstream>
#include <sstream>
#include <stdexcept>

#include "pair/data/inputs.h"
#include "pair/data/table_encoding.h"
#include "pair/data/table_input.h"
#include "tests/support/scratch.h"

namespace pair::data {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

TableEncoding age_and_sex() {
  TableEncoding encoding;
  encoding.columns = {{.name = "age", .mean = 50, .deviation = 10},
                      {.name = "sex", .kind = ColumnKind::category, .categories = {"F", "M"}}};
  encoding.label = {.name = "y", .task = TableTask::regression, .mean = 3, .deviation = 2};
  return encoding;
}

class TableRows : public ::testing::Test {
 protected:
  std::unique_ptr<Inputs> opened(const std::string& text, std::int64_t batch = 64) {
    const std::filesystem::path file = scratch_ / "new.csv";
    std::ofstream(file) << text;
    return open_inputs(form_of(age_and_sex()), {file.string()}, in_, {.shape = {3}, .batch = batch});
  }

  tests::Scratch scratch_;
  std::istringstream in_{"sex,age\nF,40\n"};
};

TEST_F(TableRows, AreEncodedAsTheTrainingRowsWere) {
  const auto inputs = opened("y;note;sex;age\n1;\"a\nb\";M;60\n2;c;X;\n");
  const std::optional<InputBatch> batch = inputs->next();
  ASSERT_TRUE(batch.has_value());
  EXPECT_TRUE(torch::equal(batch->inputs, torch::tensor({{1.0F, 0.0F, 1.0F}, {0.0F, 0.0F, 0.0F}})));
  EXPECT_THAT(batch->names,
              ElementsAre((scratch_ / "new.csv:2").string(), (scratch_ / "new.csv:4").string()));
  EXPECT_FALSE(inputs->next().has_value());
}

TEST_F(TableRows, ComeABatchAtATimeAndFromStandardInput) {
  const auto inputs = opened("age,sex\n50,F\n50,F\n50,F\n", 2);
  EXPECT_EQ(inputs->next()->inputs.size(0), 2);
  EXPECT_EQ(inputs->next()->inputs.size(0), 1);
  const auto standard = open_inputs(form_of(age_and_sex()), {"-"}, in_, {.shape = {3}});
  EXPECT_TRUE(torch::equal(standard->next()->inputs, torch::tensor({{-1.0F, 1.0F, 0.0F}})));
}

TEST_F(TableRows, AreRefusedByFileAndLine) {
  const auto refuses = [&](const std::string& text, const char* sentence) {
    EXPECT_THAT(
        [&] {
          const auto inputs = opened(text);
          while (inputs->next()) {
          }
        },
        ThrowsMessage<std::invalid_argument>(HasSubstr(sentence)));
  };
  refuses("age\n50\n", "new.csv, line 1: columns: expected 'sex', which the model was trained on, got 'age'");
  refuses("age,sex\n50,F\nold,F\n", "new.csv, line 3: column 'age': expected a number or nothing, got 'old'");
  refuses("age,sex\n50\n", "new.csv, line 2: expected 2 fields");
  refuses("", "new.csv: expected a row of column names, got nothing");
  EXPECT_THAT(
      [&] { (void)open_inputs(form_of(age_and_sex()), {"-"}, in_, {.shape = {4}}); },
      ThrowsMessage<std::invalid_argument>(HasSubstr("expected as many inputs as the model has, got 3")));
}

TEST(TableInputForm, KeepsTheEncodingAndTheScaleOfAnswers) {
  const InputForm form = form_of(age_and_sex());
  EXPECT_EQ(encoding_of(form.options.as<TableInput>()), age_and_sex());
  EXPECT_EQ(answer_scale(form).mean, 3);
  EXPECT_EQ(answer_scale(form).deviation, 2);
  EXPECT_EQ(answer_scale({}).deviation, 1);
  EXPECT_THAT([] { (void)encoding_of({.encoding = "x"}); },
              ThrowsMessage<std::invalid_argument>(HasSubstr("encoding: expected JSON")));
}

}  // namespace
}  // namespace pair::data
