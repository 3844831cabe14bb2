#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "pair/moo/epo.h"
#include "pair/moo/min_norm.h"
#include "pair/moo/preference.h"
#include "pair/moo/registry.h"

// EPO and SEPO against the classes of these names in the paper's release, with their linear programs solved by
// HiGHS (data/make_epo_release.py). Both EPOs leave out the case that EPOSearch has for "no objective
// improves": the bounds stay those of the other cases. They differ by design in infeasible programs: the
// release then takes the preference as weights, which can raise a loss, and we take the direction of minimum
// norm unless without_solution says otherwise.

namespace pair::moo::epo_release_test {
namespace {

using nlohmann::json;
using ::testing::DoubleNear;
using ::testing::Pointwise;

struct Case {
  explicit Case(const json& stored)
      : losses(stored.at("losses").get<std::vector<double>>()),
        preference(stored.at("preference").get<std::vector<double>>()) {
    for (const json& row : stored.at("gram")) {
      gram.insert(gram.end(), row.begin(), row.end());
    }
  }
  [[nodiscard]] Problem view() const { return {losses, gram, preference}; }

  std::vector<double> losses;
  std::vector<double> gram;
  std::vector<double> preference;
};

std::vector<json> stored_cases(const std::string& name = "epo_release.jsonl") {
  std::ifstream file(PAIR_TEST_DATA "/data/" + name);
  std::vector<json> cases;
  for (std::string line; std::getline(file, line);) {
    cases.push_back(json::parse(line));
  }
  return cases;
}

std::map<std::string, int> kinds_of(const std::vector<json>& cases) {
  std::map<std::string, int> kinds;
  for (const json& stored : cases) {
    ++kinds[stored.at("kind")];
  }
  return kinds;
}

TEST(EpoRelease, CasesOfEachKindAreStored) {
  const std::map<std::string, int> expected{{"balance", 12},
                                            {"descent", 8},
                                            {"no objective improves", 3},
                                            {"several solutions", 2},
                                            {"infeasible", 3}};
  EXPECT_EQ(kinds_of(stored_cases()), expected);
}

TEST(EpoRelease, DivergencesAndAdjustmentsAreThoseOfTheRelease) {
  for (const json& stored : stored_cases()) {
    const Case one(stored);
    const Stance stance = stance_of(one.view());
    EXPECT_NEAR(stance.divergence, stored.at("divergence"), 1e-13);
    EXPECT_THAT(stance.normalised,
                Pointwise(DoubleNear(1e-14), stored.at("normalised").get<std::vector<double>>()));
    EXPECT_THAT(stance.adjustment,
                Pointwise(DoubleNear(1e-13), stored.at("adjustment").get<std::vector<double>>()));
  }
}

TEST(EpoRelease, PhasesAndWeightsAreThoseOfTheRelease) {
  for (const json& stored : stored_cases()) {
    SCOPED_TRACE(stored.dump());
    const Case one(stored);
    const Solution solution = Epo(stored.at("epsilon")).weigh(one.view());
    EXPECT_EQ(to_string(solution.phase.value()), stored.at("phase").get<std::string>());
    EXPECT_NEAR(solution.divergence, stored.at("divergence"), 1e-13);
    if (stored.at("weights").is_null()) {
      continue;
    }
    EXPECT_EQ(solution.status, Status::optimal);
    const auto optimum = stored.at("optimum").get<double>();
    EXPECT_NEAR(solution.objective, optimum, 1e-9 * (1.0 + std::abs(optimum)));
    if (stored.at("unique").get<bool>()) {
      EXPECT_THAT(solution.weights,
                  Pointwise(DoubleNear(1e-9), stored.at("weights").get<std::vector<double>>()));
    }
  }
}

// The smallest (C w)_j: below 0, the step raises a loss.
double least_improvement(const Problem& problem, const std::vector<double>& weights) {
  double least = INFINITY;
  for (std::size_t i = 0; i < problem.size(); ++i) {
    double improvement = 0.0;
    for (std::size_t j = 0; j < problem.size(); ++j) {
      improvement += problem.gram_at(i, j) * weights[j];
    }
    least = std::min(least, improvement);
  }
  return least;
}

TEST(EpoRelease, InfeasibleProgramsAreInfeasibleHereAndRaiseNoLoss) {
  int raised_by_the_release = 0;
  for (const json& stored : stored_cases()) {
    if (!stored.at("weights").is_null()) {
      continue;
    }
    const Case one(stored);
    const Solution solution = Epo(stored.at("epsilon")).weigh(one.view());
    EXPECT_EQ(solution.status, Status::infeasible);
    EXPECT_THAT(solution.weights,
                Pointwise(DoubleNear(1e-12), min_norm(one.gram, one.losses.size()).weights));
    EXPECT_GE(least_improvement(one.view(), solution.weights), -1e-9);
    raised_by_the_release += least_improvement(one.view(), stance_of(one.view()).preference) < -1e-3 ? 1 : 0;
  }
  EXPECT_EQ(raised_by_the_release, 1);
}

TEST(EpoRelease, TakesThePreferenceWhereAProgramHasNoSolutionIfAsked) {
  for (const json& stored : stored_cases()) {
    const Case one(stored);
    const Epo epo({stored.at("epsilon"), WithoutSolution::preference});
    const bool infeasible = stored.at("weights").is_null();
    EXPECT_THAT(epo.weigh(one.view()).weights, infeasible
                                                   ? stance_of(one.view()).preference
                                                   : Epo(stored.at("epsilon")).weigh(one.view()).weights);
  }
}

TEST(SepoRelease, CasesOfEachKindAreStored) {
  const std::map<std::string, int> expected{{"balance", 12}, {"descent", 6}, {"infeasible", 4}};
  EXPECT_EQ(kinds_of(stored_cases("sepo_release.jsonl")), expected);
}

TEST(SepoRelease, PhasesAndWeightsAreThoseOfTheRelease) {
  for (const json& stored : stored_cases("sepo_release.jsonl")) {
    SCOPED_TRACE(stored.dump());
    const Case one(stored);
    const auto solver = make_solver("sepo", options_of("sepo", {{"epsilon", stored.at("epsilon").dump()}}));
    const Solution solution = solver->weigh(one.view());
    EXPECT_EQ(to_string(solution.phase.value()), stored.at("phase").get<std::string>());
    if (stored.at("weights").is_null()) {
      // The release's optimizer then takes the preference.
      EXPECT_EQ(solution.status, Status::infeasible);
      EXPECT_EQ(solution.weights, stance_of(one.view()).preference);
      continue;
    }
    EXPECT_EQ(solution.status, Status::optimal);
    const auto optimum = stored.at("optimum").get<double>();
    EXPECT_NEAR(solution.objective, optimum, 1e-9 * (1.0 + std::abs(optimum)));
    EXPECT_THAT(solution.weights,
                Pointwise(DoubleNear(1e-9), stored.at("weights").get<std::vector<double>>()));
  }
}

TEST(SepoRelease, StepsAlongThePreferenceWhereAGradientVanishes) {
  const std::vector<double> losses = {1, 2, 3};
  const std::vector<double> gram = {4, 1, 0, 1, 1, 0, 0, 0, 0};
  const std::vector<double> preference = {1, 3, 4};
  const Solution solution = make_solver("sepo")->weigh({losses, gram, preference});
  EXPECT_EQ(solution.status, Status::infeasible);
  EXPECT_THAT(solution.weights, ::testing::ElementsAre(0.125, 0.375, 0.5));
}

}  // namespace
}  // namespace pair::moo::epo_release_test
