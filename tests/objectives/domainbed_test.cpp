#include <gmock/gmock.h>
#include <torch/types.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "pair/objectives/objective.h"
#include "pair/objectives/registry.h"

// Objectives against the penalties that DomainBed's own algorithms log (golden/domainbed.json, which
// golden/make.py has made): on one batch, over several steps if there is state, and, for IGA, the gradients of
// a network with two layers.

namespace pair::objectives::domainbed_test {
namespace {

using nlohmann::json;

torch::Tensor matrix(const json& rows) {
  const auto values = rows.get<std::vector<std::vector<double>>>();
  torch::Tensor result =
      torch::empty({static_cast<std::int64_t>(values.size()), static_cast<std::int64_t>(values[0].size())},
                   torch::kFloat64);
  for (std::size_t i = 0; i < values.size(); ++i) {
    for (std::size_t j = 0; j < values[i].size(); ++j) {
      result[static_cast<std::int64_t>(i)][static_cast<std::int64_t>(j)] = values[i][j];
    }
  }
  return result;
}

torch::Tensor vector(const json& values) {
  return torch::tensor(values.get<std::vector<double>>(), torch::kFloat64);
}

torch::Tensor parameter(const json& values) {
  return values[0].is_array() ? matrix(values) : vector(values);
}

torch::Tensor inputs_of(const json& batch) {
  std::vector<torch::Tensor> features;
  for (const json& of_environment : batch.at("features")) {
    features.push_back(matrix(of_environment));
  }
  return torch::cat(features);
}

HeadView view_of_batch(const json& batch, const torch::Tensor& features, const torch::Tensor& logits) {
  std::vector<std::int64_t> labels;
  std::vector<std::int64_t> sizes;
  for (const json& of_environment : batch.at("labels")) {
    labels.insert(labels.end(), of_environment.begin(), of_environment.end());
    sizes.push_back(static_cast<std::int64_t>(of_environment.size()));
  }
  return view_of(features, logits, torch::tensor(labels, torch::kInt64), sizes,
                 data::TaskLoss::cross_entropy);
}

// The batch under the case's linear head; the features are the inputs.
HeadView view_of_case(const json& one, const json& batch) {
  const torch::Tensor inputs = inputs_of(batch);
  return view_of_batch(batch, inputs,
                       torch::mm(inputs, matrix(one.at("weight")).t()) + vector(one.at("bias")));
}

json stored_cases() {
  return json::parse(std::ifstream(std::filesystem::path(PAIR_TEST_DATA) / "golden" / "domainbed.json"));
}

using Changes = std::vector<std::pair<std::string, std::string>>;

std::unique_ptr<Objective> made(const char* name, const Changes& options = {}) {
  return make_objective(name, options_of(name, options));
}

double value_of(Objective& objective, const HeadView& view) {
  data::Random random(1, "objective");
  return objective.value(view, random).item<double>();
}

double value_of(const char* name, const HeadView& view, const Changes& options = {}) {
  return value_of(*made(name, options), view);
}

// With a half batch per factor, and its sign, as in DomainBed.
const Changes domainbed_irm = {{"irmv1_unbiased", "true"}, {"irmv1_negative", "keep"}};

TEST(DomainBedObjectives, HaveThePenaltiesThatDomainBedLogs) {
  const json cases = stored_cases();
  ASSERT_EQ(cases.size(), 2U);
  for (const json& one : cases) {
    const HeadView view = view_of_case(one, one);
    const auto environments = static_cast<double>(view.environments());
    const json& expected = one.at("penalties");
    const auto near = [&](const char* name) { return ::testing::DoubleNear(expected.at(name), 1e-10); };
    EXPECT_THAT(value_of("irmv1", view, domainbed_irm), near("IRM"));
    // DomainBed's variance divides by the number of environments, ours by one less.
    EXPECT_THAT(value_of("vrex", view) * (environments - 1) / environments, near("VREx"));
    EXPECT_THAT(value_of("mmd", view), near("MMD"));
    EXPECT_THAT(value_of("coral", view), near("CORAL"));
    EXPECT_THAT(value_of("sd", view), near("SD"));
    EXPECT_THAT(value_of("ib", view), near("IB_ERM"));
  }
}

TEST(DomainBedObjectives, HaveBothPenaltiesAndTheLossOfIbIrm) {
  for (const json& one : stored_cases()) {
    const json& expected = one.at("IB_IRM").at("logged");
    const HeadView view = view_of_case(one, one);
    const double irm = value_of("irmv1", view, domainbed_irm);
    const double ib = value_of("ib", view);
    EXPECT_NEAR(irm, expected.at("IRM_penalty"), 1e-10);
    EXPECT_NEAR(ib, expected.at("IB_penalty"), 1e-10);
    EXPECT_NEAR(value_of("erm", view) + one.at("IB_IRM").at("irm_lambda").get<double>() * irm +
                    one.at("IB_IRM").at("ib_lambda").get<double>() * ib,
                expected.at("loss"), 1e-10);
  }
}

// The moving averages are in every step after the first.
TEST(DomainBedObjectives, HaveThePenaltiesOfFishrOverSteps) {
  for (const json& one : stored_cases()) {
    const auto fishr =
        made("fishr", {{"fishr_ema", one.at("Fishr").at("ema").dump()}, {"fishr_mean", "true"}});
    const json& expected = one.at("Fishr").at("penalties");
    ASSERT_EQ(expected.size(), 4U);
    for (std::size_t step = 0; step < expected.size(); ++step) {
      EXPECT_NEAR(value_of(*fishr, view_of_case(one, one.at("steps")[step])), expected[step], 1e-12)
          << "step " << step;
    }
  }
}

TEST(DomainBedObjectives, HaveTheLossesAndWeightsOfGroupDroOverSteps) {
  for (const json& one : stored_cases()) {
    const auto group_dro = made("group_dro", {{"groupdro_rate", one.at("GroupDRO").at("eta").dump()}});
    const json& expected = one.at("GroupDRO").at("steps");
    ASSERT_EQ(expected.size(), 4U);
    for (std::size_t step = 0; step < expected.size(); ++step) {
      EXPECT_NEAR(value_of(*group_dro, view_of_case(one, one.at("steps")[step])), expected[step].at("loss"),
                  1e-10)
          << "step " << step;
      const torch::Tensor weights = group_dro->state().at(0).exp();
      EXPECT_TRUE(torch::allclose(weights, vector(expected[step].at("q")), 1e-10, 1e-12)) << "step " << step;
    }
  }
}

TEST(DomainBedObjectives, HaveThePenaltyOfIgaAndItsGradientsInTheWholeNetwork) {
  for (const json& one : stored_cases()) {
    const json& iga = one.at("IGA");
    std::vector<torch::Tensor> parameters;
    for (const json& values : iga.at("parameters")) {
      parameters.push_back(parameter(values).requires_grad_());
    }
    ASSERT_EQ(parameters.size(), 4U);
    const torch::Tensor features = torch::tanh(torch::mm(inputs_of(one), parameters[0].t()) + parameters[1]);
    HeadView view = view_of_batch(one, features, torch::mm(features, parameters[2].t()) + parameters[3]);
    view.parameters = parameters;
    data::Random random(1, "objective");
    // DomainBed sums over environments.
    const torch::Tensor penalty = made("iga")->value(view, random) * static_cast<double>(view.environments());
    const torch::Tensor risk = made("erm")->value(view, random);
    EXPECT_NEAR(penalty.item<double>(), iga.at("logged").at("penalty"), 1e-10);
    EXPECT_NEAR(risk.item<double>(), iga.at("logged").at("loss"), 1e-10);
    (risk + iga.at("weight_of_penalty").get<double>() * penalty).backward();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
      EXPECT_TRUE(torch::allclose(parameters[i].grad(), parameter(iga.at("gradients")[i]), 1e-9, 1e-12))
          << "parameter " << i;
    }
  }
}

}  // namespace
}  // namespace pair::objectives::domainbed_test
