#include "pair/sweep/definition.h"

#include <nlohmann/json.hpp>
#include <stdexcept>

namespace pair::sweep {

nlohmann::json as_json(const Definition& definition) {
  return {{"datasets", definition.datasets},        {"algorithms", definition.algorithms},
          {"n_hparams", definition.n_hparams},      {"n_trials", definition.n_trials},
          {"test_envs", definition.test_envs},      {"single_test_envs", definition.single_test_envs},
          {"search", to_string(definition.search)}, {"set", definition.set},
          {"draws", to_string(definition.draws)}};
}

Definition definition_from_json(const nlohmann::json& json) {
  try {
    return {json.at("datasets").get<std::vector<std::string>>(),
            json.at("algorithms").get<std::vector<std::string>>(),
            json.at("n_hparams").get<std::int64_t>(),
            json.at("n_trials").get<std::int64_t>(),
            json.at("test_envs").get<std::vector<TestEnvs>>(),
            json.at("single_test_envs").get<bool>(),
            search_named(json.at("search").get<std::string>()),
            json.at("set").get<base::Assignments>(),
            draws_named(json.value("draws", "pair"))};
  } catch (const nlohmann::json::exception& error) {
    throw std::invalid_argument(std::string("it is not a definition of a sweep: ") + error.what());
  }
}

}  // namespace pair::sweep
