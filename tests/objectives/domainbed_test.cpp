#include <gmock/gmock.h>
#include <torch/types.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "pair/objectives/objective.h"
#include "pair/objectives/registry.h"

// Objectives against the penalties that DomainBed's own algorithms log (golden/domainbed.json, which
// golden/make.py has made).

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

HeadView view_of_case(const json& one) {
  std::vector<torch::Tensor> features;
  std::vector<std::int64_t> labels;
  for (std::size_t e = 0; e < one.at("sizes").size(); ++e) {
    features.push_back(matrix(one.at("features")[e]));
    const auto of_environment = one.at("labels")[e].get<std::vector<std::int64_t>>();
    labels.insert(labels.end(), of_environment.begin(), of_environment.end());
  }
  const torch::Tensor all = torch::cat(features);
  const torch::Tensor bias = matrix(json::array({one.at("bias")}));
  return view_of(all, torch::mm(all, matrix(one.at("weight")).t()) + bias,
                 torch::tensor(labels, torch::kInt64), one.at("sizes").get<std::vector<std::int64_t>>(),
                 data::TaskLoss::cross_entropy);
}

TEST(DomainBedObjectives, HaveThePenaltiesThatDomainBedLogs) {
  const json cases =
      json::parse(std::ifstream(std::filesystem::path(PAIR_TEST_DATA) / "golden" / "domainbed.json"));
  ASSERT_EQ(cases.size(), 2U);
  for (const json& one : cases) {
    const auto environments = static_cast<double>(one.at("sizes").size());
    const auto value = [&](const char* name,
                           const std::vector<std::pair<std::string, std::string>>& options = {}) {
      data::Random random(1, "objective");
      return make_objective(name, options_of(name, options))->value(view_of_case(one), random).item<double>();
    };
    const json& expected = one.at("penalties");
    const auto near = [&](const char* name) { return ::testing::DoubleNear(expected.at(name), 1e-10); };
    EXPECT_THAT(value("irmv1", {{"irmv1_unbiased", "true"}, {"irmv1_negative", "keep"}}), near("IRM"));
    // DomainBed's variance divides by the number of environments, ours by one less.
    EXPECT_THAT(value("vrex") * (environments - 1) / environments, near("VREx"));
    EXPECT_THAT(value("mmd"), near("MMD"));
    EXPECT_THAT(value("coral"), near("CORAL"));
    EXPECT_THAT(value("sd"), near("SD"));
    EXPECT_THAT(value("ib"), near("IB_ERM"));
  }
}

}  // namespace
}  // namespace pair::objectives::domainbed_test
