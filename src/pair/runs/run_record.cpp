#include "pair/runs/run_record.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string>

#include "pair/runs/keys.h"

namespace pair::runs {
namespace {

using nlohmann::json;

json args_of(const RunSpec& spec) {
  const std::size_t training = spec.dataset.train_betas.size();
  json test_envs = json::array();
  for (std::size_t i = 0; i < spec.dataset.test_betas.size(); ++i) {
    test_envs.push_back(training + i);
  }
  return {{"algorithm", spec.algorithm}, {"dataset", spec.dataset.name},      {"seed", spec.seed},
          {"trial_seed", spec.seed},     {"hparams_seed", spec.hparams_seed}, {"test_envs", test_envs}};
}

json hparams_of(const RunSpec& spec) {
  json hparams = json::object();
  for (const Key& key : keys()) {
    if (key.group != Group::run) {
      hparams[std::string(key.name)] = key.get(spec);
    }
  }
  return hparams;
}

json by_objective(const RunSpec& spec, const std::vector<double>& values) {
  json object = json::object();
  for (std::size_t k = 0; k < std::min(values.size(), spec.settings.objectives.size()); ++k) {
    object[spec.settings.objectives[k]] = values[k];
  }
  return object;
}

}  // namespace

nlohmann::json record_of(const RunSpec& spec, const train::Evaluation& evaluation) {
  const std::vector<double>& losses = evaluation.losses;
  json record{{"step", evaluation.step},
              {"args", args_of(spec)},
              {"hparams", hparams_of(spec)},
              {"loss", evaluation.loss},
              {"nll", losses.at(0)},
              {"penalty", std::accumulate(losses.begin() + 1, losses.end(), 0.0)},
              {"losses", by_objective(spec, losses)},
              {"weights", by_objective(spec, evaluation.weights)},
              {"phase", evaluation.balancing ? "balance" : "descent"},
              {"divergence", evaluation.divergence},
              {"feasible", evaluation.feasible},
              {"lr", evaluation.lr},
              {"restarts", evaluation.restarts},
              {"backtracks", evaluation.backtracks},
              {"rollbacks", evaluation.rollbacks}};
  std::size_t environment = 0;
  for (const double accuracy : evaluation.train_accuracy) {
    record["env" + std::to_string(environment++) + "_in_acc"] = accuracy;
  }
  for (const double accuracy : evaluation.test_accuracy) {
    record["env" + std::to_string(environment++) + "_out_acc"] = accuracy;
  }
  const auto worst = std::min_element(evaluation.test_accuracy.begin(), evaluation.test_accuracy.end());
  if (worst != evaluation.test_accuracy.end()) {
    record["worst_test_acc"] = *worst;
  }
  return record;
}

}  // namespace pair::runs
