#include "pair/data/table_encoding.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <stdexcept>

#include "pair/data/table_fit.h"

namespace pair::data {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::ThrowsMessage;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

Column numbers(std::string name, std::vector<double> values) {
  Column column{.name = std::move(name), .numbers = std::move(values)};
  column.missing = static_cast<std::size_t>(std::count_if(column.numbers.begin(), column.numbers.end(),
                                                          [](double value) { return std::isnan(value); }));
  return column;
}

Column categories(std::string name, std::vector<std::string> names, std::vector<std::uint32_t> codes) {
  Column column{.name = std::move(name),
                .kind = ColumnKind::category,
                .codes = std::move(codes),
                .categories = std::move(names)};
  column.missing =
      static_cast<std::size_t>(std::count(column.codes.begin(), column.codes.end(), missing_category));
  return column;
}

std::vector<std::size_t> first(std::size_t count) {
  std::vector<std::size_t> rows(count);
  std::iota(rows.begin(), rows.end(), 0U);
  return rows;
}

TEST(ColumnEncoding, StandardisesByTheTrainingRowsAlone) {
  const ColumnEncoding encoding = fit_column(numbers("a", {1, 3, 100}), first(2));
  EXPECT_DOUBLE_EQ(encoding.mean, 2);
  EXPECT_DOUBLE_EQ(encoding.deviation, 1);
  EXPECT_FALSE(encoding.missing);
  EXPECT_EQ(encoding.width(), 1U);
}

TEST(ColumnEncoding, KeepsTheDigitsOfNumbersWithALargeMean) {
  const ColumnEncoding encoding = fit_column(numbers("t", {1.7e9, 1.7e9 + 2}), first(2));
  EXPECT_DOUBLE_EQ(encoding.mean, 1.7e9 + 1);
  EXPECT_DOUBLE_EQ(encoding.deviation, 1);
  const double huge = 1e300;
  EXPECT_DOUBLE_EQ(fit_column(numbers("h", {-huge, huge}), first(2)).deviation, huge);
}

TEST(ColumnEncoding, RefusesNumbersThatDoublesCannotAverage) {
  EXPECT_THAT(
      [] {
        (void)fit_column(numbers("h", {1.7e308, 1.6e308, 1.7e308}), first(3));
      },
      ThrowsMessage<std::invalid_argument>(HasSubstr("column 'h': expected numbers whose mean")));
}

TEST(ColumnEncoding, HasAnIndicatorWhereTrainingRowsHaveMissingNumbers) {
  const Column column = numbers("a", {1, nan, 3, nan});
  const ColumnEncoding with = fit_column(column, first(3));
  EXPECT_DOUBLE_EQ(with.mean, 2);
  EXPECT_EQ(with.width(), 2U);
  EXPECT_EQ(fit_column(column, std::vector<std::size_t>{0, 2}).width(), 1U);
}

TEST(ColumnEncoding, HasAnInputPerCategoryOfTheTrainingRows) {
  const Column column = categories("c", {"z", "y", "x"}, {0, 1, 0, 2, missing_category});
  EXPECT_THAT(fit_column(column, first(3)).categories, ElementsAre("y", "z"));
  EXPECT_EQ(fit_column(column, first(3)).width(), 2U);
  EXPECT_EQ(fit_column(column, first(5)).width(), 4U);
}

TEST(ColumnEncoding, AColumnIsConstantWhereItTellsNoTrainingRowsApart) {
  EXPECT_TRUE(is_constant(numbers("a", {2, 2, 3}), first(2)));
  EXPECT_FALSE(is_constant(numbers("a", {2, 2, 3}), first(3)));
  EXPECT_FALSE(is_constant(numbers("a", {2, nan}), first(2)));
  EXPECT_TRUE(is_constant(numbers("a", {nan, nan, 1}), first(2)));
  EXPECT_TRUE(is_constant(categories("c", {"x", "y"}, {1, 1, 0}), first(2)));
  EXPECT_FALSE(is_constant(categories("c", {"x"}, {0, missing_category}), first(2)));
}

constexpr std::size_t most = 1000;

std::string fault(const Column& column) {
  const auto found = fault_of(column, first(column.codes.size()), most);
  return found ? found->sentence : "";
}

// 30 rows, each with its own text.
Column texts_of(std::string_view before, std::string_view after) {
  Column column{.name = "c", .kind = ColumnKind::category};
  for (std::uint32_t i = 0; i < 30; ++i) {
    column.categories.push_back(std::string(before) + std::to_string(i + 10) + std::string(after));
    column.codes.push_back(i);
  }
  column.text = column.categories.front();
  column.text_line = 2;
  return column;
}

TEST(ColumnFaults, AreDatesAndNames) {
  EXPECT_EQ(fault(categories("day", {"2021-03-04", "2021-03-05"}, {0, 1, 0, 1})),
            "column 'day': expected numbers or categories, got dates such as '2021-03-04'");
  Column names = texts_of("n", "");
  EXPECT_EQ(
      fault(names),
      "column 'c': expected categories that several rows share, got 30 texts in 30 rows, such as 'n10'");
  names.codes.insert(names.codes.end(), 40, 0);
  EXPECT_EQ(fault(names), "");
}

TEST(ColumnFaults, AreTooManyCategoriesAndOneValueInAllRows) {
  Column ids = texts_of("p", "");
  EXPECT_THAT(fault_of(ids, first(30), 10)->sentence, HasSubstr("got 30 texts in 30 rows, such as 'p10'"));
  ids.codes.insert(ids.codes.end(), 40, 0);
  EXPECT_THAT(fault_of(ids, first(70), 10)->sentence,
              HasSubstr("expected at most 10 categories, got 30, such as 'p10'"));
  ids.codes.clear();
  ids.full_line = 32;
  EXPECT_THAT(fault_of(ids, first(50), 30)->sentence,
              HasSubstr("expected at most 30 categories, got more by line 32, such as 'p10'"));
  EXPECT_THAT(fault_of(numbers("x", {1, 1, 2}), first(2), most)->sentence,
              HasSubstr("column 'x': expected values that differ, got the same in every training row"));
  EXPECT_THAT(fault_of(numbers("x", {1, 1}), first(2), most)->sentence, HasSubstr("the same in every row"));
}

TEST(ColumnFaults, AreCorrectedIfTheCellsAreAlmostNumbers) {
  const auto found = [](const Column& column) { return *fault_of(column, first(30), most); };
  EXPECT_FALSE(found(texts_of("", ",5")).leave_out);
  EXPECT_THAT(
      found(texts_of("", ",5")).sentence,
      HasSubstr("got 30 texts in 30 rows; cells such as '10,5' look like numbers with a decimal comma; "
                "write them with a point"));
  EXPECT_THAT(found(texts_of("", ",234.5")).sentence, HasSubstr("numbers with separated thousands"));
  EXPECT_THAT(found(texts_of("", "%")).sentence, HasSubstr("look like percentages"));
  Column typo = texts_of("", "");
  typo.categories[20] = "unknown";
  typo.text = "unknown";
  typo.text_line = 22;
  EXPECT_FALSE(found(typo).leave_out);
  EXPECT_THAT(found(typo).sentence, HasSubstr("29 of 30 cells are numbers; line 22 has 'unknown'"));
}

TEST(ColumnFaults, AreOneSentenceWithTheColumnsToLeaveOut) {
  const ColumnFault id{"patient id", "A"};
  const ColumnFault date{"date", "B"};
  const ColumnFault comma{"dose", "C", /*leave_out=*/false};
  EXPECT_EQ(sentence_of({}, {"x"}), "");
  EXPECT_EQ(sentence_of({id}, {}), "A; --ignore 'patient id' leaves it out");
  EXPECT_EQ(sentence_of({id, date}, {"x"}), "A; B; --ignore 'x,patient id,date' leaves them out");
  EXPECT_EQ(sentence_of({comma}, {"x"}), "C");
  EXPECT_EQ(sentence_of({id, comma}, {}), "A; C; --ignore 'patient id' leaves out the others");
}

TEST(NumbersWarning, ShowsTheCellThatIsNotANumber) {
  Column column = texts_of("", "");
  EXPECT_EQ(numbers_warning(texts_of("n", "")), "");
  column.categories.emplace_back("unknown");
  column.codes.insert(column.codes.end(), {30, missing_category});
  column.text = "unknown";
  column.text_line = 32;
  EXPECT_EQ(numbers_warning(column),
            "column 'c': 30 of 31 cells are numbers; line 32 has 'unknown', so it is a column of categories "
            "(an empty "
            "cell is a missing number)");
  EXPECT_EQ(numbers_warning(column, /*label=*/true),
            "label 'c': 30 of 31 cells are numbers; line 32 has 'unknown', so the values are classes");
  column.codes.insert(column.codes.end(), 3, 30);
  EXPECT_EQ(numbers_warning(column), "") << "30 of 34 cells";
  EXPECT_EQ(
      numbers_warning(texts_of("", ",5")),
      "column 'c': cells such as '10,5' look like numbers with a decimal comma; write them with a point, "
      "otherwise they are categories");
  Column environment = texts_of("", "");
  environment.text_line = 0;
  EXPECT_EQ(numbers_warning(environment), "") << "numbers that are read as categories";
}

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

TEST(TableLabels, TextsAreClassesInOrder) {
  const Labels labels =
      fit_labels(categories("y", {"yes", "no"}, {0, 1, 0}), TaskChoice::found, first(3), "x");
  EXPECT_THAT(labels.encoding.classes, ElementsAre("no", "yes"));
  EXPECT_THAT(labels.values, ElementsAre(1, 0, 1));
}

TEST(TableLabels, FewIntegersAreClassesBySize) {
  const Labels labels = fit_labels(numbers("y", {10, 2, -0.0, 2}), TaskChoice::found, first(4), "x");
  EXPECT_EQ(labels.encoding.task, TableTask::classification);
  EXPECT_THAT(labels.encoding.classes, ElementsAre("0", "2", "10"));
  EXPECT_THAT(labels.values, ElementsAre(2, 1, 0, 1));
}

TEST(TableLabels, OtherNumbersAreARegressionInStandardUnits) {
  const Labels labels = fit_labels(numbers("y", {1, 3, 4.5}), TaskChoice::found, first(2), "x");
  EXPECT_EQ(labels.encoding.task, TableTask::regression);
  EXPECT_DOUBLE_EQ(labels.encoding.mean, 2);
  EXPECT_DOUBLE_EQ(labels.encoding.deviation, 1);
  EXPECT_THAT(labels.values, ElementsAre(-1, 1, FloatNear(2.5F, 1e-6F)));
  std::vector<double> many(42);
  std::iota(many.begin(), many.begin() + 21, 0.0);
  std::iota(many.begin() + 21, many.end(), 0.0);
  EXPECT_EQ(fit_labels(numbers("y", many), TaskChoice::found, first(42), "x").encoding.task,
            TableTask::regression);
  EXPECT_EQ(fit_labels(numbers("y", many), TaskChoice::classification, first(42), "x").classes(), 21U);
}

TEST(TableLabels, ClassesAreSharedByRows) {
  const auto refuses = [](const Column& column, TaskChoice choice, const char* sentence) {
    EXPECT_THAT([&] { (void)fit_labels(column, choice, first(2), "x.csv"); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(sentence)));
  };
  refuses(
      texts_of("", ",5"), TaskChoice::found,
      "x.csv: label 'c': expected classes that several rows share, got 30 classes in 30 rows; cells such as "
      "'10,5' look like numbers with a decimal comma; write them with a point");
  refuses(texts_of("n", ""), TaskChoice::classification, "got 30 classes in 30 rows, such as 'n10'");
  refuses(texts_of("", ",5"), TaskChoice::regression,
          "expected numbers for task=regression, got texts; cells such as '10,5' look like numbers");
  std::vector<double> different(21);
  std::iota(different.begin(), different.end(), 0.0);
  refuses(numbers("y", different), TaskChoice::classification,
          "got 21 classes in 21 rows; task=regression predicts the number");
  // Two rows per class, and few classes.
  Column pairs = texts_of("n", "");
  pairs.codes.insert(pairs.codes.end(), pairs.codes.begin(), pairs.codes.end());
  EXPECT_EQ(fit_labels(pairs, TaskChoice::found, first(2), "x").classes(), 30U);
  different.resize(20);
  EXPECT_EQ(fit_labels(numbers("y", different), TaskChoice::found, first(2), "x").classes(), 20U);
}

TEST(TableLabels, TheTaskCanBeChosen) {
  EXPECT_EQ(fit_labels(numbers("y", {0, 1}), TaskChoice::regression, first(2), "x").encoding.task,
            TableTask::regression);
  EXPECT_THAT(
      [] {
        (void)fit_labels(categories("y", {"a", "b"}, {0, 1}), TaskChoice::regression, first(2), "x");
      },
      ThrowsMessage<std::invalid_argument>(
          HasSubstr("label 'y': expected numbers for task=regression, got texts, such as 'a'")));
}

TEST(TableLabels, RefusesLabelsThatTellNothing) {
  const auto refuses = [](const Column& column, TaskChoice choice, const char* sentence) {
    EXPECT_THAT([&] { (void)fit_labels(column, choice, first(2), "x.csv"); },
                ThrowsMessage<std::invalid_argument>(HasSubstr(sentence)));
  };
  refuses(categories("y", {"a"}, {0, 0}), TaskChoice::found,
          "x.csv: label 'y': expected at least 2 classes, got 'a' in every row");
  refuses(numbers("y", {1, 1, 2}), TaskChoice::regression,
          "expected numbers that differ, got 1 in every training row");
  refuses(numbers("y", {1, nan}), TaskChoice::found, "expected a value in every row, got 1 row without");
  std::vector<double> many(1001);
  std::iota(many.begin(), many.end(), 0.0);
  refuses(numbers("y", many), TaskChoice::classification,
          "expected at most 1000 classes, got more; task=regression");
}

TEST(TableNames, AreSortedBySizeWhereAllAreNumbers) {
  std::vector<std::string> years{"10", "9", "2020"};
  sort_names(years);
  EXPECT_THAT(years, ElementsAre("9", "10", "2020"));
  std::vector<std::string> names{"10", "9", "x"};
  sort_names(names);
  EXPECT_THAT(names, ElementsAre("10", "9", "x"));
}

}  // namespace
}  // namespace pair::data
