#include "pair/moo/exact_dictionary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <utility>
#include <vector>

namespace pair::moo::exact_dictionary_test {
namespace {

// Variables 0..columns-1 are nonbasic, the following ones basic.
Dictionary table(std::size_t rows, std::size_t columns, const std::vector<double>& values) {
  Dictionary result(rows, columns);
  for (std::size_t row = 0; row < rows; ++row) {
    result.set_basic(row, columns + row);
    for (std::size_t column = 0; column < columns; ++column) {
      result.set_nonbasic(column, column);
      result.set(row, column, values[row * columns + column]);
    }
  }
  return result;
}

TEST(ExactDictionary, AgreesWithTheRoundedOneToItsDigits) {
  std::mt19937_64 engine(1);
  std::normal_distribution<> normal;
  for (int k = 0; k < 50; ++k) {
    std::vector<double> values(std::size_t{5} * 4);
    for (double& value : values) {
      value = normal(engine);
    }
    Dictionary rounded = table(5, 4, values);
    ExactDictionary exact(rounded);
    for (const auto& [row, column] : {std::pair{0, 1}, {3, 2}, {1, 0}, {0, 3}, {4, 1}}) {
      rounded.pivot(static_cast<std::size_t>(row), static_cast<std::size_t>(column));
      exact.pivot(static_cast<std::size_t>(row), static_cast<std::size_t>(column));
    }
    for (std::size_t row = 0; row < 5; ++row) {
      EXPECT_EQ(exact.basic(row), rounded.basic(row));
      for (std::size_t column = 0; column < 4; ++column) {
        EXPECT_EQ(exact.nonbasic(column), rounded.nonbasic(column));
        EXPECT_EQ(exact.sign(row, column), rounded.sign(row, column));
        EXPECT_DOUBLE_EQ(exact.at(row, column).value(), rounded.at(row, column).value());
        EXPECT_TRUE(rounded.certain(row, column));
        EXPECT_TRUE(rounded.accurate(row, column));
      }
    }
  }
}

TEST(ExactDictionary, ComesBackToTheStartWhenAPivotIsUndone) {
  const std::vector<double> values = {0.1, -0.2, 1e-20, 3.0, 1e10, 7.0};
  ExactDictionary exact(table(2, 3, values));
  for (const auto& [row, column] : {std::pair{0, 0}, {1, 2}, {1, 2}, {0, 0}}) {
    exact.pivot(static_cast<std::size_t>(row), static_cast<std::size_t>(column));
  }
  for (std::size_t k = 0; k < values.size(); ++k) {
    EXPECT_EQ(exact.at(k / 3, k % 3).value(), values[k]);
  }
}

TEST(ExactDictionary, TellsADeterminantOfRoundingFromZero) {
  // 1/3 as a double, and its neighbour: what remains of the second row after a pivot on the first is their
  // difference times a number that has no end in binary.
  const double third = 1.0 / 3.0;
  ExactDictionary dependent(table(2, 2, {third, third, third, third}));
  dependent.pivot(0, 0);
  EXPECT_EQ(dependent.sign(1, 1), 0);

  ExactDictionary nearly(table(2, 2, {third, third, third, std::nextafter(third, 1.0)}));
  nearly.pivot(0, 0);
  EXPECT_EQ(nearly.sign(1, 1), 1);
  EXPECT_EQ(nearly.at(1, 1).value(), 0x1p-54);

  // A determinant of -2^-104, of numbers near 1: beyond what 32 digits can tell from zero.
  Dictionary rounded = table(2, 2, {1.0 + 0x1p-52, 1.0, 1.0, 1.0 - 0x1p-52});
  ExactDictionary exact(rounded);
  rounded.pivot(0, 0);
  EXPECT_FALSE(rounded.certain(1, 1));
  exact.pivot(0, 0);
  EXPECT_EQ(exact.sign(1, 1), -1);
  EXPECT_EQ(exact.at(1, 1).value(), -0x1p-104 / (1.0 + 0x1p-52));
}

TEST(ExactDictionary, ComparesRatiosWhereTheRoundedOnesTie) {
  const double third = 1.0 / 3.0;
  const ExactDictionary exact(table(3, 2, {1.0, 3.0, third, 1.0, 2.0, 6.0}));
  EXPECT_TRUE(exact.compare_ratios(0, 1, 0, 1) > 0);  // 1/3 is more than the double next to it
  EXPECT_TRUE(exact.compare_ratios(1, 0, 0, 1) < 0);
  EXPECT_TRUE(exact.compare_ratios(0, 2, 0, 1) == 0);
}

TEST(Dictionary, KnowsWhatItsRoundingHides) {
  const double third = 1.0 / 3.0;
  Dictionary dictionary = table(2, 3, {third, third, 0.1, third, third, 0.7});
  dictionary.pivot(0, 0);
  EXPECT_EQ(dictionary.sign(1, 1), 0);
  EXPECT_FALSE(dictionary.certain(1, 1));  // a zero that could be something else
  EXPECT_TRUE(dictionary.certain(1, 2));
  EXPECT_TRUE(dictionary.accurate(1, 2));
}

TEST(Dictionary, IsBroughtToUnitSizeByPowersOfTwo) {
  Dictionary dictionary = table(2, 2, {3e10, 1.0, -5e-20, 1e-30});
  const int first = dictionary.equilibrate_row(0);
  EXPECT_EQ(dictionary.at(0, 0).value(), std::ldexp(3e10, first));
  EXPECT_GE(dictionary.at(0, 0).value(), 1.0);
  EXPECT_LT(dictionary.at(0, 0).value(), 2.0);
  dictionary.equilibrate_row(1);
  EXPECT_LE(dictionary.at(1, 0).value(), -1.0);
  EXPECT_GT(dictionary.at(1, 0).value(), -2.0);
  Dictionary zeros(2, 2);
  EXPECT_EQ(zeros.equilibrate_row(0), 0);
  EXPECT_EQ(zeros.equilibrate_column(1, 2), 0);
}

}  // namespace
}  // namespace pair::moo::exact_dictionary_test
