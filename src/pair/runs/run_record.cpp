#include "pair/runs/run_record.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "pair/algorithms/registry.h"
#include "pair/runs/settings.h"
#include "pair/runs/value_json.h"

namespace pair::runs {
namespace {

using nlohmann::json;

json args_of(const RunSpec& spec) {
  const algorithms::AlgorithmEntry& entry = algorithms::algorithm_named(spec.algorithm);
  json args{{"algorithm", spec.algorithm},
            {"dataset", spec.dataset.name},
            {"seed", spec.seed},
            {"trial_seed", spec.seed},
            {"hparams_seed", spec.hparams_seed},
            {"test_envs", data::test_environments(spec.dataset)},
            {"env_names", data::environment_names(spec.dataset)},
            {"noisy_losses", entry.noisy_losses}};
  if (!entry.losses.empty()) {
    args["losses"] = entry.losses;
  } else if (spec.settings.objectives.size() > 1) {
    args["losses"] = json::array({spec.settings.objectives});
  }
  if (!entry.domainbed.empty()) {
    args["domainbed"] = entry.domainbed;
  }
  if (const std::string& selection = data::entry_of(spec.dataset.name).selection; !selection.empty()) {
    args["selection"] = selection;
  }
  if (!spec.weights_sha256.empty()) {
    args["weights_sha256"] = spec.weights_sha256;
  }
  if (!spec.name.empty()) {
    args["name"] = spec.name;
  }
  return args;
}

json hparams_of(const RunSpec& spec) {
  json hparams = json::object();
  for (const Setting& setting : settings_of(spec)) {
    if (!setting.of_run) {
      hparams[setting.name()] = as_json(setting.value());
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

// The objectives that have a number; nothing if none has.
void add_measured(json& record, const char* key, const RunSpec& spec, const std::vector<double>& values) {
  json object = by_objective(spec, values);
  for (auto entry = object.begin(); entry != object.end();) {
    entry = std::isnan(entry->get<double>()) ? object.erase(entry) : std::next(entry);
  }
  if (!object.empty()) {
    record[key] = std::move(object);
  }
}

// Recorded, but not minimised.
bool is_never_weighed(const train::Settings& settings, std::size_t objective) {
  return settings.scheme == train::Scheme::linear && !settings.penalties.empty() &&
         settings.penalties[objective - 1] == 0.0;
}

// The losses of a scheme that weighs objectives.
json weighed_losses(const RunSpec& spec, const train::Evaluation& evaluation) {
  const bool means = !evaluation.mean_losses.empty();
  const std::vector<double>& losses = means ? evaluation.mean_losses : evaluation.losses;
  double penalty = 0.0;
  for (std::size_t k = 1; k < losses.size(); ++k) {
    penalty += is_never_weighed(spec.settings, k) ? 0.0 : losses[k];
  }
  return {{"loss", means ? evaluation.mean_loss : evaluation.loss},
          {"nll", losses.at(0)},
          {"penalty", penalty},
          {"losses", by_objective(spec, losses)},
          {"weights", by_objective(spec, evaluation.weights)},
          {"phase", evaluation.balancing ? "balance" : "descent"},
          {"divergence", evaluation.divergence},
          {"feasible", evaluation.feasible},
          {"restarts", evaluation.restarts},
          {"backtracks", evaluation.backtracks},
          {"rollbacks", evaluation.rollbacks}};
}

json named_losses(const train::Evaluation& evaluation) {
  json object = json::object();
  for (const auto& [name, value] : evaluation.named) {
    object[name] = value;
  }
  return object;
}

}  // namespace

nlohmann::json record_of(const RunSpec& spec, const train::Evaluation& evaluation) {
  json record{{"step", evaluation.step},
              {"args", args_of(spec)},
              {"hparams", hparams_of(spec)},
              {"lr", evaluation.lr}};
  record.update(evaluation.named.empty() ? weighed_losses(spec, evaluation) : named_losses(evaluation));
  if (evaluation.averaged_steps > 0) {
    record["averaged_steps"] = evaluation.averaged_steps;
  }
  add_measured(record, "noise_floor", spec, evaluation.noise_floors);
  add_measured(record, "held_out_losses", spec, evaluation.held_out_losses);
  add_measured(record, "held_out_noise_floor", spec, evaluation.held_out_floors);
  if (!evaluation.conflict.empty()) {
    json cosines = json::object();
    for (std::size_t k = 0; k < evaluation.conflict.size(); ++k) {
      cosines[spec.settings.objectives.at(k + 1)] = evaluation.conflict[k];
    }
    record["conflict"] = cosines;
  }
  const char* const kind = evaluation.regression ? "_mse" : "_acc";
  std::optional<double> worst;
  for (const train::Score& score : evaluation.scores) {
    record[score.key + kind] = score.value;
    if (score.test) {
      worst = !worst                  ? score.value
              : evaluation.regression ? std::max(*worst, score.value)
                                      : std::min(*worst, score.value);
    }
  }
  for (const auto& [key, value] : evaluation.more_scores) {
    record[key] = value;
  }
  if (worst) {
    record[std::string("worst_test") + kind] = *worst;
  }
  return record;
}

}  // namespace pair::runs
