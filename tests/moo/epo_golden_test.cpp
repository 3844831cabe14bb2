#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "pair/moo/epo.h"

// 300 problems with the exact optimum of EPO's linear program. data/check_epo_cases.py, the test moo.golden_cases,
// finds the same in rational arithmetic by trying all vertices.

namespace pair::moo::epo_golden_test {
namespace {

struct Golden {
  std::vector<double> losses;
  std::vector<double> gram;
  std::vector<double> preference;
  double epsilon = 0.0;
  std::string phase;
  double divergence = 0.0;
  bool feasible = false;
  double optimum = 0.0;

  [[nodiscard]] Problem view() const { return {losses, gram, preference}; }
};

std::vector<Golden> golden_cases() {
  std::ifstream file(PAIR_TEST_DATA "/data/epo_cases.jsonl");
  std::vector<Golden> cases;
  for (std::string line; std::getline(file, line);) {
    const auto json = nlohmann::json::parse(line);
    Golden golden;
    golden.losses = json.at("losses").get<std::vector<double>>();
    golden.preference = json.at("preference").get<std::vector<double>>();
    for (const auto& row : json.at("gram")) {
      for (const auto& value : row) {
        golden.gram.push_back(value.get<double>());
      }
    }
    golden.epsilon = json.at("epsilon").get<double>();
    golden.phase = json.at("phase").get<std::string>();
    golden.divergence = json.at("divergence").get<double>();
    golden.feasible = json.at("feasible").get<bool>();
    golden.optimum = golden.feasible ? json.at("optimum").get<double>() : 0.0;
    cases.push_back(std::move(golden));
  }
  return cases;
}

double norm(std::span<const double> values) {
  double square = 0.0;
  for (const double value : values) {
    square += value * value;
  }
  return std::sqrt(square);
}

TEST(EpoGolden, AllThreeHundredCasesAreReproduced) {
  const std::vector<Golden> cases = golden_cases();
  ASSERT_EQ(cases.size(), 300U);
  for (std::size_t k = 0; k < cases.size(); ++k) {
    SCOPED_TRACE("case " + std::to_string(k));
    const Golden& golden = cases[k];
    const std::size_t m = golden.losses.size();
    const Solution solution = Epo(golden.epsilon).weigh(golden.view());

    EXPECT_EQ(to_string(solution.phase.value()), golden.phase);
    EXPECT_NEAR(solution.divergence, golden.divergence, 1e-12);
    EXPECT_EQ(solution.status == Status::optimal, golden.feasible);

    double sum = 0.0;
    for (const double weight : solution.weights) {
      EXPECT_GE(weight, 0.0);
      sum += weight;
    }
    EXPECT_NEAR(sum, 1.0, 1e-12);

    if (golden.feasible) {
      EXPECT_NEAR(solution.objective, golden.optimum, 1e-9 * std::abs(golden.optimum));
      const EpoProgram program = epo_program(golden.view(), golden.epsilon);
      for (std::size_t row = 0; row < program.bounds.size(); ++row) {
        const std::span<const double> coefficients(program.rows.data() + row * m, m);
        double value = -program.bounds[row];
        for (std::size_t j = 0; j < m; ++j) {
          value += coefficients[j] * solution.weights[j];
        }
        EXPECT_GE(value, -1e-9 * norm(coefficients));
      }
    } else {
      // The minimum-norm direction conflicts with no gradient.
      for (std::size_t i = 0; i < m; ++i) {
        double improvement = 0.0;
        for (std::size_t j = 0; j < m; ++j) {
          improvement += golden.gram[i * m + j] * solution.weights[j];
        }
        EXPECT_GE(improvement, -1e-9 * norm(std::span(golden.gram).subspan(i * m, m)));
      }
    }
  }
}

}  // namespace
}  // namespace pair::moo::epo_golden_test
