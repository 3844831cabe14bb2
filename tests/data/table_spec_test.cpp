#include "pair/data/table_spec.h"

#include <gmock/gmock.h>

#include <set>
#include <stdexcept>

#include "pair/base/registry.h"
#include "pair/data/prepared_table.h"
#include "pair/data/sha256.h"
#include "pair/data/table_environments.h"
#include "tests/data/fixtures.h"

namespace pair::data::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

// 30 rows in hospitals B, A and C, ten each; outcome is not constant anywhere.
std::string patients() {
  std::string text = "id,hospital,year,age,sex,outcome\n";
  for (int i = 0; i < 30; ++i) {
    text += "p" + std::to_string(i) + "," + "BAC"[i % 3] + "," + std::to_string(2019 + i % 2) + "," +
            (i % 7 == 0 ? "" : std::to_string(40 + i)) + "," + (i % 4 == 0 ? "F" : "M") + "," +
            (i % 5 < 2 ? "yes" : "no") + "\n";
  }
  return text;
}

class TableFile {
 public:
  explicit TableFile(std::string_view text = patients()) { write(file(), bytes_of(text)); }

  [[nodiscard]] std::filesystem::path file() const { return scratch_.path() / "x.csv"; }
  [[nodiscard]] TableSpec spec() const {
    return {.file = file().string(), .label = "outcome", .environment = {"hospital"}, .ignore = {"id"}};
  }

 private:
  Scratch scratch_;
};

auto refusal(std::string_view sentence) {
  return ThrowsMessage<std::invalid_argument>(HasSubstr(std::string(sentence)));
}

TEST(TableSpec, EnvironmentsAreInTheOrderOfTheirNames) {
  const TableFile file;
  EXPECT_THAT(environment_names(file.spec()), ElementsAre("A", "B", "C"));
  TableSpec years = file.spec();
  years.environment = {"year"};
  EXPECT_THAT(environment_names(years), ElementsAre("2019", "2020"));
}

TEST(TableSpec, SeveralColumnsAreCombinedToAnEnvironment) {
  const TableFile file;
  TableSpec spec = file.spec();
  spec.environment = {"hospital", "year"};
  EXPECT_THAT(environment_names(spec),
              ElementsAre("A/2019", "A/2020", "B/2019", "B/2020", "C/2019", "C/2020"));
}

TEST(TableSpec, EveryRowIsInOnePartOfItsEnvironment) {
  const TableFile file;
  TableSpec spec = file.spec();
  spec.test_envs = {1};
  const PreparedTable prepared = prepare_table(spec, 0);
  ASSERT_EQ(prepared.environments.size(), 3U);
  std::set<std::size_t> all;
  for (const PreparedTable::Part& part : prepared.environments) {
    EXPECT_THAT(part.in, SizeIs(8));
    EXPECT_THAT(part.out, SizeIs(2));
    EXPECT_EQ(part.test, part.name == "B");
    all.insert(part.in.begin(), part.in.end());
    all.insert(part.out.begin(), part.out.end());
  }
  EXPECT_THAT(all, SizeIs(30));
  for (const std::size_t row : prepared.environments[1].in) {
    EXPECT_EQ(row % 3, 0U);  // B
  }
}

TEST(TableSpec, TheSeedAloneDecidesTheSplit) {
  const TableFile file;
  const auto held_out = [&](std::uint64_t seed) {
    return prepare_table(file.spec(), seed).environments[2].out;
  };
  EXPECT_EQ(held_out(3), held_out(3));
  EXPECT_NE(held_out(3), held_out(4));
}

TEST(TableSpec, LabelAndEnvironmentAreNotInputs) {
  const TableFile file;
  const PreparedTable prepared = prepare_table(file.spec(), 0);
  EXPECT_THAT(prepared.encoding.input_names(),
              ElementsAre("year", "age", "age is missing", "sex=F", "sex=M"));
  EXPECT_EQ(prepared.table.columns.size(), prepared.encoding.columns.size());
  EXPECT_THAT(prepared.encoding.environment, ElementsAre("hospital"));
  EXPECT_THAT(prepared.labels, SizeIs(30));
  EXPECT_EQ(prepared.labels[0], 1.0F);
  EXPECT_EQ(prepared.labels[2], 0.0F);
}

TEST(TableSpec, IsFittedOnTheTrainingEnvironmentsTrainingPart) {
  std::string text = "e,x,y\n";
  for (int i = 0; i < 20; ++i) {
    text += "train," + std::to_string(i) + "," + std::to_string(i % 2) + "\n";
    text += "test," + std::to_string(1000 + i) + "," + std::to_string(i % 2) + "\n";
  }
  const TableFile file(text);
  const PreparedTable prepared =
      prepare_table({.file = file.file().string(), .label = "y", .environment = {"e"}, .test_envs = {0}}, 0);
  double sum = 0.0;
  for (const std::size_t row : prepared.environments[1].in) {
    sum += prepared.table.columns[0].numbers[row];
  }
  EXPECT_DOUBLE_EQ(prepared.encoding.columns[0].mean, sum / 16.0);
}

TEST(TableSpec, DescribesWhatWasFound) {
  const TableFile file;
  const std::string text = prepare_table(file.spec(), 0).description;
  EXPECT_THAT(text, AllOf(HasSubstr("30 rows, 3 columns, 5 inputs"), HasSubstr("2 classes, 'no' and 'yes'"),
                          HasSubstr("trained on 'B' and 'C'; tested on 'A'")));
  EXPECT_THAT(
      text, AllOf(HasSubstr("age     number    5"), HasSubstr("sex     category  0        2: 'F' and 'M'")));
}

TEST(TableSpec, SaysWhatAPersonShouldKnow) {
  const TableFile file(
      ",hospital,n,color,outcome\n1,A,1,red,a\n2,A,2,red,b\n3,B,3,blue,a\n4,B,4,red,b\n5,C,5,green,a\n6,C,6,"
      "green,c\n"
      "7,A,7,blue,b\n8,B,8,blue,b\n");
  TableSpec spec = file.spec();
  spec.ignore = {};
  spec.holdout = 0.5;
  spec.test_envs = {2};
  EXPECT_THAT(
      prepare_table(spec, 0).notices,
      ElementsAre(
          HasSubstr("label 'outcome': classes that only test environments have cannot be learned: 'c'"),
          HasSubstr("environments that lack a class: 3, for example 'C' without 'b'"),
          HasSubstr("column 'n' numbers the rows; --ignore n leaves it out"),
          HasSubstr("column 'color': categories that no training row has, which become zeros: "),
          HasSubstr("columns without a name are left out: 1")));
}

TEST(TableSpec, RefusesWhatIsNotGiven) {
  const TableFile file;
  const auto refuses = [&](TableSpec spec, const char* sentence) {
    EXPECT_THAT([&] { validate(spec); }, refusal(sentence));
  };
  TableSpec spec = file.spec();
  spec.file.clear();
  refuses(spec, "file: expected a CSV file, got none; '--data FILE' names it");
  spec = file.spec();
  spec.label.clear();
  refuses(spec, "label: expected the column to predict, got none");
  spec = file.spec();
  spec.environment.clear();
  refuses(spec, "environment: expected the column that says where a row is from, got none");
}

TEST(TableSpec, RefusesColumnsThatDoNotExistOrAreUsedTwice) {
  const TableFile file;
  const auto refuses = [&](auto change, const char* sentence) {
    TableSpec spec = file.spec();
    change(spec);
    EXPECT_THAT([&] { validate(spec); }, refusal(sentence));
  };
  refuses([](TableSpec& spec) { spec.label = "outcom"; },
          "which has 'id', 'hospital', 'year', 'age', 'sex' and 'outcome', got 'outcom'; did you mean "
          "'outcome'?");
  refuses([](TableSpec& spec) { spec.environment = {"clinic"}; }, "environment: expected a column of ");
  refuses([](TableSpec& spec) { spec.ignore = {"clinic"}; }, "ignore: expected a column of ");
  refuses([](TableSpec& spec) { spec.environment = {"outcome"}; },
          "environment: expected columns that are not the label, got 'outcome'");
  refuses(
      [](TableSpec& spec) {
        spec.environment = {"year", "year"};
      },
      "expected columns that differ, got 'year'");
  refuses([](TableSpec& spec) { spec.ignore = {"outcome"}; },
          "ignore: expected columns that are not the label");
  refuses([](TableSpec& spec) { spec.ignore = {"hospital"}; },
          "ignore: expected columns that are not the environment");
}

TEST(TableSpec, RefusesDataThatCannotBeLearnedFrom) {
  const auto refuses = [](std::string_view text, const char* sentence,
                          std::vector<std::int64_t> test_envs = {0}) {
    const TableFile file(text);
    TableSpec spec{
        .file = file.file().string(), .label = "y", .environment = {"e"}, .test_envs = std::move(test_envs)};
    spec.holdout = 0.5;
    EXPECT_THAT([&] { (void)prepare_table(spec, 0); }, refusal(sentence));
  };
  refuses("e,x,y\na,1,0\na,2,1\n", "environment: expected at least 2 environments, got 'a' in every row");
  refuses("e,x,y\na,1,0\n,2,1\n",
          "environment 'e': expected a value in every row, got 1 row without, in line 3");
  refuses("e,x,y\na,1,0\nb,2,\na,2,\nb,1,1\n",
          "label 'y': expected a value in every row, got 2 rows without, the first in line 3");
  refuses("e,x,y\na,1,0\na,2,0\nb,3,0\nb,1,0\n",
          "label 'y': expected at least 2 classes, got '0' in every row");
  refuses("e,x,y\na,1,0\na,2,1\nb,3,0\nb,1,0\n",
          "expected at least 2 classes in the training environments, got '0' in every row");
  refuses("e,x,y\na,1,0\na,2,1\nb,1,0\nb,1,1\n",
          "column 'x': expected values that differ, got the same in every training row; --ignore x leaves it "
          "out");
  refuses("e,y\na,0\na,1\nb,0\nb,1\n", "expected columns besides label and environment, got none");
  refuses("e,x,y\na,1,0\na,2,1\nb,1,0\n",
          "environment 'b': expected at least 2 rows, got 1; merge it with another one or remove it");
  refuses("e,x,y\na,1,0\na,2,1\nb,1,0\nb,2,1\n", "test_envs: expected numbers from 0 to 1, each once, got 2",
          {2});
  refuses("e,x,y\na,1,0\na,2,1\nb,1,0\nb,2,1\n", "expected at least one environment left for training",
          {0, 1});
}

TEST(TableSpec, NamesAllColumnsThatMustBeLeftOut) {
  std::string text = "patient id,visit date,\"dose, mg\",constant,age,hospital,outcome\n";
  for (int i = 0; i < 30; ++i) {
    text += "p" + std::to_string(i) + ",2021-03-" + std::to_string(10 + i % 20) + ",x" + std::to_string(i) +
            ",1," + std::to_string(i * i) + "," + "ABC"[i % 3] + "," + (i % 5 < 2 ? "yes\n" : "no\n");
  }
  const TableFile file(text);
  TableSpec spec = file.spec();
  spec.ignore = {"age"};
  spec.max_categories = 25;
  EXPECT_THAT([&] { (void)prepare_table(spec, 0); },
              ThrowsMessage<std::invalid_argument>(
                  AllOf(HasSubstr("x.csv: column 'patient id': expected at most 25 categories, got more by "
                                  "line 27, such as 'p0'; "
                                  "column 'visit date': expected numbers or categories, got dates"),
                        HasSubstr("; column 'constant': expected values that differ, got the same in every "
                                  "training row; --ignore "
                                  "'age,patient id,visit date,\"dose, mg\",constant' leaves them out"))));
  spec.ignore = base::with_changes(base::Options::of<TableSpec>(),
                                   {{"ignore", "patient id,visit date,\"dose, mg\",constant"}})
                    .as<TableSpec>()
                    .ignore;
  EXPECT_NO_THROW((void)prepare_table(spec, 0)) << "as the advice says";
}

TEST(TableSpec, WarnsAboutTextAmongNumbers) {
  std::string text = "age,mg,hospital,outcome\n";
  for (int i = 0; i < 60; ++i) {
    text += (i == 30 ? "unknown" : std::to_string(40 + i % 7)) + ",\"" + std::to_string(i % 7) + ",5\"," +
            "ABC"[i % 3] + "," +
            (i == 40     ? "?\n"
             : i % 5 < 2 ? "1\n"
                         : "0\n");
  }
  const TableFile file(text);
  TableSpec spec = file.spec();
  spec.ignore = {};
  const PreparedTable prepared = prepare_table(spec, 0);
  EXPECT_EQ(prepared.encoding.columns[0].kind, ColumnKind::category);
  const std::string start = "warning: " + file.file().string() + ": ";
  EXPECT_THAT(
      prepared.notices,
      ::testing::IsSupersetOf(
          {start + "label 'outcome': 59 of 60 cells are numbers; line 42 has '?', so the values are classes",
           start + "column 'age': 59 of 60 cells are numbers; line 32 has 'unknown', so it is a column of "
                   "categories (an empty cell is a missing number)",
           start +
               "column 'mg': cells such as '0,5' look like numbers with a decimal comma; write them with a "
               "point, otherwise they are categories"}));
}

TEST(TableSpec, RefusesAFileThatChanged) {
  const TableFile file;
  TableSpec spec = file.spec();
  spec.file_sha256 = sha256_of_file(file.file());
  EXPECT_EQ(spec.file_sha256, sha256(bytes_of(patients())));
  EXPECT_NO_THROW((void)prepare_table(spec, 0));
  write(file.file(), bytes_of(patients() + "p30,A,2019,50,F,no\n"));
  EXPECT_THAT([&] { (void)prepare_table(spec, 0); }, refusal("has changed"));
}

base::Options table_options(const std::vector<std::pair<std::string, std::string>>& changes) {
  return base::with_changes(base::Options::of<TableSpec>(), changes);
}

TEST(TableSpec, ListsOfColumnsAreTypedAsARowOfCsv) {
  EXPECT_THAT(table_options({{"ignore", "id, date"}}).as<TableSpec>().ignore, ElementsAre("id", "date"));
  EXPECT_THAT(table_options({{"ignore", "\"Weight, kg\",id"}}).as<TableSpec>().ignore,
              ElementsAre("Weight, kg", "id"));
  EXPECT_THAT(table_options({{"ignore", "none"}}).as<TableSpec>().ignore, SizeIs(0));
  EXPECT_THAT(
      [] {
        (void)table_options({{"ignore", "a,,b"}});
      },
      refusal("ignore: expected none, or names of columns"));
  EXPECT_THAT([] { (void)table_options({{"ignore", "\"a"}}); }, refusal("ignore: expected none, or names"));
}

TEST(TableSpec, AnEmptyListIsCalledNone) {
  const base::Options options = table_options({});
  EXPECT_EQ(base::as_text(options.get(*options.find("ignore"))), "none");
}

TEST(TableSpec, RefusesOptionsOutsideOfTheirRanges) {
  EXPECT_THAT(
      [] {
        (void)table_options({{"task", "ranking"}});
      },
      refusal("task: expected auto, classification or regression, got 'ranking'"));
  EXPECT_THAT([] { (void)table_options({{"holdout", "1"}}); }, refusal("holdout: expected a number above 0"));
  EXPECT_THAT(
      [] {
        (void)table_options({{"max_categories", "1"}});
      },
      refusal("max_categories: expected an integer"));
  EXPECT_THAT([] { (void)table_options({{"separator", "|"}}); }, refusal("separator: expected auto, comma"));
  EXPECT_THAT(
      [] {
        (void)table_options({{"file_sha256", "abc"}});
      },
      refusal("file_sha256: expected nothing, or"));
}

}  // namespace
}  // namespace pair::data::testing
