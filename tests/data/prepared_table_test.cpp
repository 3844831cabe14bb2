#include "pair/data/prepared_table.h"

#include <gmock/gmock.h>

#include <set>
#include <stdexcept>

#include "pair/base/registry.h"
#include "pair/data/sha256.h"
#include "tests/data/table_file.h"

namespace pair::data::testing::prepared_table_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;
using ::testing::SizeIs;
using ::testing::ThrowsMessage;

auto refusal(std::string_view sentence) {
  return ThrowsMessage<std::invalid_argument>(HasSubstr(std::string(sentence)));
}

TEST(PreparedTable, EveryRowIsInOnePartOfItsEnvironment) {
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

TEST(PreparedTable, TheSeedAloneDecidesTheSplit) {
  const TableFile file;
  const auto held_out = [&](std::uint64_t seed) {
    return prepare_table(file.spec(), seed).environments[2].out;
  };
  EXPECT_EQ(held_out(3), held_out(3));
  EXPECT_NE(held_out(3), held_out(4));
}

TEST(PreparedTable, LabelAndEnvironmentAreNotInputs) {
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

TEST(PreparedTable, IsFittedOnTheTrainingEnvironmentsTrainingPart) {
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

TEST(PreparedTable, DescribesWhatWasFound) {
  const TableFile file;
  const std::string text = prepare_table(file.spec(), 0).description;
  EXPECT_THAT(text, AllOf(HasSubstr("30 rows, 3 columns, 5 inputs"), HasSubstr("2 classes, 'no' and 'yes'"),
                          HasSubstr("trained on 'B' and 'C'; tested on 'A'")));
  EXPECT_THAT(
      text, AllOf(HasSubstr("age     number    5"), HasSubstr("sex     category  0        2: 'F' and 'M'")));
}

TEST(PreparedTable, SaysWhatAPersonShouldKnow) {
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

TEST(PreparedTable, NamesAllColumnsThatNumberTheRowsAtOnce) {
  std::string text = "n,hospital,m,age,id,outcome\n";
  for (int i = 0; i < 30; ++i) {
    text += std::to_string(i) + "," + "ABC"[i % 3] + "," + std::to_string(i + 5) + "," +
            std::to_string(i * i % 17) + ",x" + std::to_string(i) + (i % 5 < 2 ? ",yes\n" : ",no\n");
  }
  const TableFile file(text);
  EXPECT_THAT(prepare_table(file.spec(), 0).notices,
              ElementsAre(file.file().string() +
                          ": columns 'n' and 'm' number the rows; --ignore id,n,m leaves them out"));
}

TEST(PreparedTable, RefusesDataThatCannotBeLearnedFrom) {
  const auto refuses = [](std::string_view text, const char* sentence,
                          std::vector<std::int64_t> test_envs = {0}) {
    const TableFile file(text);
    TableSpec spec{
        .file = file.file().string(), .label = "y", .environment = {"e"}, .test_envs = std::move(test_envs)};
    spec.holdout = 0.5;
    EXPECT_THAT([&] { (void)prepare_table(spec, 0); }, refusal(sentence));
  };
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

TEST(PreparedTable, NamesAllColumnsThatMustBeLeftOut) {
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

TEST(PreparedTable, WarnsAboutTextAmongNumbers) {
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
      IsSupersetOf(
          {start + "label 'outcome': 59 of 60 cells are numbers; line 42 has '?', so the values are classes",
           start + "column 'age': 59 of 60 cells are numbers; line 32 has 'unknown', so it is a column of "
                   "categories (an empty cell is a missing number)",
           start +
               "column 'mg': cells such as '0,5' look like numbers with a decimal comma; write them with a "
               "point, otherwise they are categories"}));
}

TEST(PreparedTable, RefusesAFileThatChanged) {
  const TableFile file;
  TableSpec spec = file.spec();
  spec.file_sha256 = sha256_of_file(file.file());
  EXPECT_EQ(spec.file_sha256, sha256(bytes_of(patients())));
  EXPECT_NO_THROW((void)prepare_table(spec, 0));
  write(file.file(), bytes_of(patients() + "p30,A,2019,50,F,no\n"));
  EXPECT_THAT([&] { (void)prepare_table(spec, 0); }, refusal("has changed"));
}

}  // namespace
}  // namespace pair::data::testing::prepared_table_test
