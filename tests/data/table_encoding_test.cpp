#include "pair/data/table_encoding.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "tests/data/columns.h"

namespace pair::data::testing::table_encoding_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

TableEncoding example() {
  TableEncoding encoding;
  encoding.columns = {
      {.name = "age", .mean = 50, .deviation = 10, .missing = true},
      {.name = "sex", .kind = ColumnKind::category, .categories = {"F", "M"}, .missing = true},
      {.name = "dose", .mean = 1, .deviation = 0.5}};
  encoding.label = {.name = "outcome", .classes = {"no", "yes"}};
  encoding.environment = {"hospital", "year"};
  return encoding;
}

std::vector<float> encoded(const std::vector<std::string_view>& cells) {
  const TableEncoding encoding = example();
  std::vector<float> inputs(encoding.width(), 9);
  encoding.encode(cells, inputs);
  return inputs;
}

TEST(TableEncoding, NamesItsInputs) {
  EXPECT_THAT(example().input_names(),
              ElementsAre("age", "age is missing", "sex=F", "sex=M", "sex is missing", "dose"));
  EXPECT_EQ(example().width(), 6U);
}

TEST(TableEncoding, EncodesARow) {
  EXPECT_THAT(encoded({"60", " M ", "0.5"}), ElementsAre(1, 0, 0, 1, 0, -1));
  EXPECT_THAT(encoded({"", "F", "1"}), ElementsAre(0, 1, 1, 0, 0, 0));
  EXPECT_THAT(encoded({"50", "NA", "NaN"}), ElementsAre(0, 0, 0, 0, 1, 0));
}

TEST(TableEncoding, AnUnknownCategoryIsZeros) {
  EXPECT_THAT(encoded({"50", "X", "1"}), ElementsAre(0, 0, 0, 0, 0, 0));
}

TEST(TableEncoding, RefusesTextForANumber) {
  EXPECT_THAT(
      [] {
        (void)encoded({"old", "F", "1"});
      },
      ThrowsMessage<std::invalid_argument>(
          HasSubstr("column 'age': expected a number or nothing, got 'old'")));
  EXPECT_THAT(
      [] {
        (void)encoded({"50", "F"});
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("expected 3 cells and room for 6 inputs, got 2 and 6")));
}

TEST(TableEncoding, CountsCellsThatTheTrainingRowsDoNotHave) {
  const TableEncoding encoding = example();
  CellCounts counts;
  std::vector<float> inputs(encoding.width());
  for (const auto& cells : std::vector<std::vector<std::string_view>>{
           {"60", "M", ""}, {"", " f ", "NA"}, {"50", "X", "nan"}, {"50", "NA", ""}}) {
    encoding.encode(cells, inputs, &counts);
  }
  EXPECT_EQ(counts.rows, 4U);
  EXPECT_EQ(counts.columns.at(0).missing, 1U);
  EXPECT_EQ(counts.columns.at(1).unknown, 2U);
  EXPECT_TRUE(counts.lacks(2));
  EXPECT_THAT(
      warnings_about(counts, encoding),
      ElementsAre(
          "column 'sex': 2 of 4 cells have a category that the training rows do not have, such as 'f' "
          "(known: F, M)",
          "column 'dose': all 4 cells are missing"));
}

// Without an input for missing cells, their inputs are the zeros of an unknown category.
TEST(TableEncoding, CountsMissingCellsAsUnknownIfNoTrainingRowHasOne) {
  TableEncoding encoding = example();
  encoding.columns[1].missing = false;
  std::vector<float> inputs(encoding.width());
  const auto warnings_of = [&](const std::vector<std::string_view>& sexes) {
    CellCounts counts;
    for (const std::string_view sex : sexes) {
      encoding.encode(std::vector<std::string_view>{"60", sex, "1"}, inputs, &counts);
    }
    EXPECT_EQ(counts.columns.at(1).unknown, sexes.size() - 1) << "all but one";
    return warnings_about(counts, encoding);
  };
  EXPECT_THAT(warnings_of({"", "NA", "F", ""}),
              ElementsAre("column 'sex': 3 of 4 cells are missing; no training row has a missing one"));
  EXPECT_THAT(
      warnings_of({"M", "", "X"}),
      ElementsAre("column 'sex': 1 of 3 cells has a category that the training rows do not have, such "
                  "as 'X' (known: F, M)",
                  "column 'sex': 1 of 3 cells is missing; no training row has a missing one"));
  CellCounts counts;
  encoding.encode(std::vector<std::string_view>{"60", "", "1"}, inputs, &counts);
  EXPECT_THAT(warnings_about(counts, encoding),
              ElementsAre("column 'sex': 1 of 1 cell is missing; no training row has a missing one"));
  encoding.encode(std::vector<std::string_view>{"60", "", "1"}, inputs, &counts);
  EXPECT_THAT(warnings_about(counts, encoding), ElementsAre("column 'sex': all 2 cells are missing"));
}

TEST(TableEncoding, DoesNotWarnAboutOrdinaryRows) {
  const TableEncoding encoding = example();
  EXPECT_THAT(warnings_about({}, encoding), IsEmpty());
  CellCounts counts;
  std::vector<float> inputs(encoding.width());
  encoding.encode(std::vector<std::string_view>{"", "", ""}, inputs, &counts);
  EXPECT_THAT(warnings_about(counts, encoding), IsEmpty()) << "one row alone";
  encoding.encode(std::vector<std::string_view>{"60", "M", "1"}, inputs, &counts);
  EXPECT_THAT(warnings_about(counts, encoding), IsEmpty());
}

TEST(TableEncoding, ShowsSomeOfManyCategories) {
  TableEncoding encoding;
  encoding.columns = {
      {.name = "c", .kind = ColumnKind::category, .categories = {"a", "b", "c", "d", "e", "f", "g"}}};
  CellCounts counts;
  std::vector<float> inputs(encoding.width());
  const std::string text = std::string(50, 'x') + "\n";
  encoding.encode(std::vector<std::string_view>{text}, inputs, &counts);
  EXPECT_THAT(
      warnings_about(counts, encoding),
      ElementsAre("column 'c': 1 of 1 cell has a category that the training rows do not have, such as '" +
                  std::string(40, 'x') + "...' (known: a, b, c, d, e and 2 more)"));
}

TEST(TableEncoding, ColumnsAreEncodedAsRowsAre) {
  const Column age = numbers("age", {60, nan, 45.5});
  const Column sex = categories("sex", {"M", "X", "F"}, {0, 1, missing_category});
  const TableEncoding encoding = example();
  std::vector<float> table(std::size_t{3} * 6, 9);
  const std::vector<std::size_t> rows{2, 0, 1};
  encode_column(age, encoding.columns[0], rows, table.data(), 6);
  encode_column(sex, encoding.columns[1], rows, table.data() + 2, 6);
  encode_column(numbers("dose", {0.5, 1, 2}), encoding.columns[2], rows, table.data() + 5, 6);
  const std::vector<std::vector<std::string_view>> cells{
      {"45.5", "", "2"}, {"60", "M", "0.5"}, {"", "X", "1"}};
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(encoded(cells[i]), std::vector<float>(table.begin() + static_cast<std::ptrdiff_t>(6 * i),
                                                    table.begin() + static_cast<std::ptrdiff_t>(6 * i + 6)))
        << i;
  }
}

TEST(TableEncoding, IsWrittenAsJsonAndReadBack) {
  const TableEncoding encoding = example();
  EXPECT_EQ(table_encoding_from(nlohmann::json::parse(as_json(encoding).dump())), encoding);
  TableEncoding regression = encoding;
  regression.label = {.name = "y", .task = TableTask::regression, .mean = 0.1, .deviation = 1.0 / 3.0};
  EXPECT_EQ(table_encoding_from(nlohmann::json::parse(as_json(regression).dump())), regression);
}

TEST(TableEncoding, RefusesOtherJson) {
  const auto refuses = [](const nlohmann::json& json, const char* sentence) {
    EXPECT_THAT([&] { (void)table_encoding_from(json); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(sentence)));
  };
  refuses(nullptr, "expected \"columns\"");
  refuses(nlohmann::json::object(), "expected \"columns\"");
  nlohmann::json json = as_json(example());
  json["columns"][0]["deviation"] = 0;
  refuses(json, "expected a deviation above 0, got 0");
  json = as_json(example());
  json["columns"][1]["categories"] = {"M", "F"};
  refuses(json, "expected sorted categories");
  json = as_json(example());
  json["columns"][1]["kind"] = "date";
  refuses(json, "expected number or category");
  json = as_json(example());
  json["label"].erase("classes");
  refuses(json, "expected \"classes\"");
}

TEST(RowEncoder, FindsColumnsInAnyOrder) {
  const std::vector<std::string_view> names{"outcome", "dose", "year", " age ", "sex", "hospital"};
  RowEncoder encoder(example(), names);
  std::vector<float> inputs(6);
  encoder.encode(std::vector<std::string_view>{"yes", "0.5", "2020", "60", "M", "A"}, inputs);
  EXPECT_EQ(inputs, encoded({"60", "M", "0.5"}));
  EXPECT_EQ(encoder.label_place(), 0U);
  EXPECT_THAT(encoder.environment_places(), ElementsAre(5, 2));
}

TEST(RowEncoder, ListsTheColumnsThatAreNotThere) {
  const std::vector<std::string_view> names{"age", "Sex"};
  EXPECT_THAT(
      [&] { (void)RowEncoder(example(), names); },
      ThrowsMessage<std::invalid_argument>(HasSubstr(
          "columns: expected 'sex' and 'dose', which the model was trained on, got 'age' and 'Sex'")));
  const std::vector<std::string_view> new_data{"age", "sex", "dose"};
  EXPECT_EQ(RowEncoder(example(), new_data).label_place(), RowEncoder::npos);
}

}  // namespace
}  // namespace pair::data::testing::table_encoding_test
