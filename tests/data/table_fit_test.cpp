#include "pair/data/table_fit.h"

#include <gmock/gmock.h>

#include <numeric>
#include <stdexcept>

#include "tests/data/columns.h"

namespace pair::data::testing::table_fit_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::EndsWith;
using ::testing::FloatNear;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::ThrowsMessage;

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

TEST(ColumnFaults, OfSentencesNameTheOptionThatTrainsOnThem) {
  constexpr const char* hint = "; --text c trains on the texts (docs/text.md)";
  EXPECT_THAT(fault(texts_of("a comment of number ", "")), EndsWith(hint));
  EXPECT_THAT(fault(texts_of("Smith ", "")), Not(HasSubstr("--text"))) << "names have several words, too";
  Column spaced = texts_of("a comment of number ", "");
  spaced.name = "the comment";
  EXPECT_THAT(fault(spaced), HasSubstr("; --text 'the comment' trains on the texts"));
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
  EXPECT_EQ(sentence_of({id, comma}, {}), "A; C; --ignore 'patient id' leaves out the columns that it names");
}

TEST(ColumnFaults, AreCountedIfThereAreMany) {
  std::vector<ColumnFault> faults;
  for (const char* const name : {"a", "b", "c", "d", "e", "f"}) {
    faults.push_back({name, "no " + std::string(name)});
  }
  EXPECT_EQ(sentence_of(faults, {}),
            "no a; no b; no c; no d; no e; and 1 more column; --ignore a,b,c,d,e,f leaves them out");
  faults.push_back({"g", "no g", /*leave_out=*/false});
  EXPECT_THAT(
      sentence_of(faults, {}),
      EndsWith("no e; and 2 more columns; --ignore a,b,c,d,e,f leaves out the columns that it names"));
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
  refuses(texts_of("n", ""), TaskChoice::found,
          "got 30 classes in 30 rows, such as 'n10'; task=classification trains on these classes");
  refuses(texts_of("", ",5"), TaskChoice::regression,
          "expected numbers for task=regression, got texts; cells such as '10,5' look like numbers");
  // Two rows per class, and few classes.
  Column pairs = texts_of("n", "");
  pairs.codes.insert(pairs.codes.end(), pairs.codes.begin(), pairs.codes.end());
  EXPECT_EQ(fit_labels(pairs, TaskChoice::found, first(2), "x").classes(), 30U);
  std::vector<double> different(20);
  std::iota(different.begin(), different.end(), 0.0);
  EXPECT_EQ(fit_labels(numbers("y", different), TaskChoice::found, first(2), "x").classes(), 20U);
}

TEST(TableLabels, ManyRareClassesCanBeChosen) {
  const Labels texts = fit_labels(texts_of("n", ""), TaskChoice::classification, first(30), "x.csv");
  EXPECT_EQ(texts.classes(), 30U);
  EXPECT_THAT(texts.warnings, ElementsAre("label 'c': 30 classes in 30 rows; fewer than two rows per class"));
  std::vector<double> different(21);
  std::iota(different.begin(), different.end(), 0.0);
  EXPECT_THAT(
      fit_labels(numbers("y", different), TaskChoice::classification, first(21), "x.csv").warnings,
      ElementsAre("label 'y': 21 classes in 21 rows; fewer than two rows per class; task=regression predicts "
                  "the number"));
}

// Texts have no option 'task', so that no message may suggest it.
TEST(TableLabels, OfTextsAreRefusedIfMostRowsAreAloneInTheirClass) {
  const auto refuses = [](const Column& column, const char* sentence) {
    EXPECT_THAT([&] { (void)fit_labels(column, TaskChoice::classes_only, first(2), "x.csv"); },
                ThrowsMessage<std::invalid_argument>(AllOf(EndsWith(sentence), Not(HasSubstr("task=")))));
  };
  refuses(texts_of("n", ""),
          "label 'c': expected classes that several rows share, got 30 classes in 30 rows, such as 'n10'");
  refuses(texts_of("", ",5"), "got 30 classes in 30 rows, such as '10,5'");
  // 25 numbers in 40 rows: 15 of them twice.
  std::vector<double> values(40);
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = static_cast<double>(i % 25);
  }
  const Labels shared = fit_labels(numbers("y", values), TaskChoice::classes_only, first(2), "x.csv");
  EXPECT_THAT(shared.warnings,
              ElementsAre("label 'y': 25 classes in 40 rows; fewer than two rows per class"));
  values.resize(30);
  refuses(numbers("y", values), "got 25 classes in 30 rows, such as '0'");
  std::vector<double> many(1001);
  std::iota(many.begin(), many.end(), 0.0);
  refuses(numbers("y", many), "expected at most 1000 classes, got more");
}

TEST(TableLabels, WarnAboutTextAmongNumbers) {
  // 30 numbers and a word, twice each.
  Column column = texts_of("", "");
  column.codes.insert(column.codes.end(), column.codes.begin(), column.codes.end());
  column.categories.emplace_back("unknown");
  column.codes.insert(column.codes.end(), 2, 30);
  column.text = "unknown";
  column.text_line = 62;
  const auto warnings = [](const Column& label, TaskChoice choice) {
    return fit_labels(label, choice, first(2), "x.csv").warnings;
  };
  const std::string odd = "label 'c': 60 of 62 cells are numbers; line 62 has 'unknown'";
  EXPECT_THAT(warnings(column, TaskChoice::found), ElementsAre(odd + ", so the values are classes"));
  EXPECT_THAT(warnings(column, TaskChoice::classification), ElementsAre(odd));
  EXPECT_THAT(warnings(column, TaskChoice::classes_only), ElementsAre(odd));
  Column commas = texts_of("", ",5");
  commas.codes.insert(commas.codes.end(), commas.codes.begin(), commas.codes.end());
  EXPECT_THAT(warnings(commas, TaskChoice::found), ElementsAre(EndsWith(", otherwise they are classes")));
  EXPECT_THAT(warnings(commas, TaskChoice::classification), IsEmpty());
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

}  // namespace
}  // namespace pair::data::testing::table_fit_test
