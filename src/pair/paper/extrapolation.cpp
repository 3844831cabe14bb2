#include "pair/paper/extrapolation.h"

#include <torch/types.h>

#include <algorithm>
#include <array>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>
#include <utility>

#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/paper/table.h"
#include "pair/runs/dataset_cache.h"
#include "pair/runs/trained.h"

namespace pair::paper {
namespace {

using nlohmann::json;
using Sampling = data::ExtrapolationSpec::Sampling;

struct SearchedMethod {
  std::string_view key;
  std::string_view label;
  std::string_view algorithm;
  std::string_view searched;  // the setting that is searched; empty: none
  std::string_view solver = {};
};
// Solutions of EPO's linear program jump between corners of the simplex as minibatches differ; those of the
// smoothed program stay near the previous one.
constexpr std::array methods_known = {
    SearchedMethod{"erm", "ERM", "erm", ""},
    SearchedMethod{"irmv1", "IRMv1", "irmv1", "penalty"},
    SearchedMethod{"vrex", "V-REx", "vrex", "penalty"},
    SearchedMethod{"irmx", "IRMX", "irmx", "penalty"},
    SearchedMethod{"pair", "PAIR-o", "pair", "preference", "epo"},
    SearchedMethod{"pair_smooth", "PAIR-o, smooth", "pair", "preference", "epo_smooth"}};

// The penalty weights that "generically perform well" in the paper's search from 1e-4 (Appendix C.3).
constexpr std::array text_penalties = {"0.01", "0.1", "1", "10"};
constexpr std::array preferences = {"1,1e4,1e16", "1,1e4,1e12", "1,1e6,1e8",
                                    "1,1e8,1e4",  "1,1e4,1e4",  "1,1e8,1e8"};

// The notebook searches nothing; the paper's search began at 1e-4.
constexpr std::array notebook_penalties = {"1e-4", "1e-3", "0.01", "0.1", "1", "10"};
constexpr const char* notebook_preference = "1,1e12,1e4";

// 2,500 points per environment in batches of 256: ten steps per epoch, 150 epochs before annealing.
base::Assignments notebook_settings(const SearchedMethod& method) {
  base::Assignments settings = {{"frequency", "2"},
                                {"batch", "256"},
                                {"steps", "100000"},
                                {"eval_every", "5000"},
                                {"checkpoint_every", "5000"}};
  if (method.key != "erm") {
    settings.emplace_back("pretrain", "1500");
  }
  if (method.searched == "penalty") {
    settings.emplace_back("refresh", "true");
  } else if (method.searched == "preference") {
    settings.insert(settings.end(), {{"gradients", "f"}, {"descent_penalties", "0,1"}});
    if (method.solver == "epo") {
      settings.emplace_back("without_solution", "preference");
    }
  }
  return settings;
}

std::string_view name_of(ExtrapolationProblem problem) {
  return problem == ExtrapolationProblem::paper ? "paper" : "notebook";
}

// The paper's best extrapolation losses of PAIR.
constexpr double paper_mse(Sampling sampling) {
  return sampling == Sampling::uniform ? 0.06 : 0.32;
}

constexpr std::int64_t map_side = 101;

// Points (x1, x2) of a grid; x1 varies fastest.
torch::Tensor grid(double x1_extent, std::int64_t columns, double x2_extent, std::int64_t rows) {
  const torch::Tensor x1 = torch::linspace(-x1_extent, x1_extent, columns);
  const torch::Tensor x2 = torch::linspace(-x2_extent, x2_extent, rows);
  return torch::stack({x1.repeat({rows}), x2.repeat_interleave(columns)}, 1);
}

double invariance_of(train::Trainer& model) {
  constexpr std::int64_t columns = 81;
  constexpr std::int64_t rows = 161;
  const torch::Tensor points = grid(data::extrapolation_overlap, columns, data::extrapolation_extent, rows);
  const torch::Tensor predictions = model.predict(points).to(torch::kDouble).reshape({rows, columns});
  return predictions.std(0, /*unbiased=*/false).mean().item<double>();
}

json map_of(train::Trainer& model) {
  const torch::Tensor predictions =
      model.predict(grid(data::extrapolation_extent, map_side, data::extrapolation_extent, map_side))
          .contiguous();
  const auto* values = predictions.data_ptr<float>();
  return {{"low", -data::extrapolation_extent},
          {"high", data::extrapolation_extent},
          {"side", map_side},
          {"values", std::vector<float>(values, values + map_side * map_side)}};
}

json spread(const std::vector<double>& values) {
  const base::MeanAndDeviation mean = base::mean_and_deviation(values);
  return {{"mean", mean.mean}, {"deviation", mean.deviation}, {"values", values}};
}

void check(const sweep::RunOutcome& outcome) {
  if (!outcome.error.empty()) {
    throw std::runtime_error("a run failed: " + outcome.error);
  }
}

double validation_of(const sweep::RunOutcome& outcome) {
  const json& value = outcome.record.at("env2_in_mse");
  // A diverged run has no number here.
  return value.is_number() ? value.get<double>() : std::numeric_limits<double>::infinity();
}

}  // namespace

std::vector<std::string> extrapolation_methods() {
  std::vector<std::string> keys;
  for (const SearchedMethod& method : methods_known) {
    keys.emplace_back(method.key);
  }
  return keys;
}

std::vector<ExtrapolationMethod> extrapolation_candidates(const ExtrapolationRequest& request) {
  if (request.seeds.empty()) {
    throw std::invalid_argument("seeds: expected at least one, got none");
  }
  const std::vector<std::string> known = extrapolation_methods();
  for (const std::string& name : request.methods) {
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      const std::vector<std::string_view> names(known.begin(), known.end());
      throw std::invalid_argument(base::unknown_name("method", name, names));
    }
  }
  const std::string dataset = "extrapolation-" + std::string(to_string(request.sampling));
  const bool notebook = request.problem == ExtrapolationProblem::notebook;
  std::vector<ExtrapolationMethod> result;
  for (const SearchedMethod& method : methods_known) {
    if (!request.methods.empty() &&
        std::find(request.methods.begin(), request.methods.end(), method.key) == request.methods.end()) {
      continue;
    }
    std::vector<std::string> settings;
    if (method.searched == "penalty") {
      settings = request.penalties;
      if (settings.empty() && notebook) {
        settings.assign(notebook_penalties.begin(), notebook_penalties.end());
      } else if (settings.empty()) {
        settings.assign(text_penalties.begin(), text_penalties.end());
      }
    } else if (method.searched == "preference") {
      settings = request.preferences;
      if (settings.empty()) {
        settings.assign(preferences.begin(), preferences.end());
        if (notebook) {
          settings.emplace_back(notebook_preference);
        }
      }
    } else {
      settings.emplace_back();
    }
    ExtrapolationMethod entry{std::string(method.key), std::string(method.label), {}};
    for (const std::string& setting : settings) {
      base::Assignments overrides = notebook ? notebook_settings(method) : base::Assignments();
      overrides.insert(overrides.end(), request.common.begin(), request.common.end());
      overrides.emplace_back("seed", std::to_string(request.seeds.front()));
      if (!method.solver.empty()) {
        overrides.emplace_back("solver", std::string(method.solver));
      }
      if (!setting.empty()) {
        overrides.emplace_back(std::string(method.searched), setting);
      }
      entry.candidates.push_back({setting.empty() ? "" : std::string(method.searched) + " " + setting,
                                  runs::resolve(dataset, method.algorithm, overrides)});
    }
    result.push_back(std::move(entry));
  }
  return result;
}

nlohmann::json extrapolation(const ExtrapolationRequest& request, const std::filesystem::path& root,
                             std::size_t jobs, const sweep::ManyRunsHooks& hooks) {
  const std::vector<ExtrapolationMethod> methods = extrapolation_candidates(request);
  std::vector<runs::RunSpec> searched;
  for (const ExtrapolationMethod& method : methods) {
    for (const Candidate& candidate : method.candidates) {
      searched.push_back(candidate.spec);
    }
  }
  const sweep::ManyRuns search = sweep::run_all(searched, root, jobs, hooks);
  if (search.stopped) {
    return nullptr;
  }

  json result{{"name", "fig-extrapolation"},
              {"problem", name_of(request.problem)},
              {"sampling", to_string(request.sampling)},
              {"seeds", request.seeds},
              {"frequency", searched.front().dataset.options.as<data::ExtrapolationSpec>().frequency},
              {"paper", {{"mse", paper_mse(request.sampling)}}},
              {"methods", json::array()}};
  runs::DatasetCache datasets;
  std::vector<runs::RunSpec> chosen;  // methods by seeds
  std::size_t at = 0;
  for (const ExtrapolationMethod& method : methods) {
    json candidates = json::array();
    std::optional<std::size_t> best;
    for (std::size_t i = 0; i < method.candidates.size(); ++i) {
      check(search.outcomes[at + i]);
      const double validation = validation_of(search.outcomes[at + i]);
      train::Trainer model =
          runs::trained(method.candidates[i].spec, search.outcomes[at + i].directory, datasets);
      candidates.push_back({{"setting", method.candidates[i].setting},
                            {"validation_mse", validation},
                            {"invariance", invariance_of(model)}});
      if (!best || validation < validation_of(search.outcomes[at + *best])) {
        best = i;
      }
    }
    at += method.candidates.size();
    for (const std::uint64_t seed : request.seeds) {
      chosen.push_back(method.candidates[*best].spec);
      chosen.back().seed = seed;
    }
    result["methods"].push_back({{"method", method.key},
                                 {"label", method.label},
                                 {"setting", method.candidates[*best].setting},
                                 {"candidates", candidates}});
  }

  const sweep::ManyRuns runs = sweep::run_all(chosen, root, jobs, hooks);
  if (runs.stopped) {
    return nullptr;
  }
  for (std::size_t m = 0; m < methods.size(); ++m) {
    std::vector<double> validation, mse, invariance;
    for (std::size_t s = 0; s < request.seeds.size(); ++s) {
      const std::size_t index = m * request.seeds.size() + s;
      check(runs.outcomes[index]);
      train::Trainer model = runs::trained(chosen[index], runs.outcomes[index].directory, datasets);
      validation.push_back(validation_of(runs.outcomes[index]));
      mse.push_back(runs.outcomes[index].record.at("worst_test_mse").get<double>());
      invariance.push_back(invariance_of(model));
      if (s == 0) {
        result["methods"][m]["map"] = map_of(model);
      }
    }
    result["methods"][m]["validation_mse"] = spread(validation);
    result["methods"][m]["mse"] = spread(mse);
    result["methods"][m]["invariance"] = spread(invariance);
  }
  return result;
}

std::string extrapolation_text(const nlohmann::json& result) {
  const bool notebook = result.at("problem") == "notebook";
  std::string text = std::string("Extrapolation, ") + (notebook ? "the notebook's problem, " : "") +
                     result.at("sampling").get<std::string>() + " sampling, " +
                     std::to_string(result.at("seeds").size()) + " seeds\n\n";
  base::Rows rows = {{"", "extrapolation MSE", "invariance score", "chosen by validation"}};
  for (const json& method : result.at("methods")) {
    const auto entry = [&](const char* key) {
      return base::with_deviation(method.at(key).at("mean"), method.at(key).at("deviation"), 3);
    };
    rows.push_back({method.at("label"), entry("mse"), entry("invariance"), method.at("setting")});
  }
  return text + base::aligned(rows, {.indent = "  "}) +
         "\n  The invariance score is 0 if predictions do not depend on x2. The paper has an MSE of " +
         base::with_decimals(result.at("paper").at("mse"), 2) +
         " for\n  PAIR and does not say whether its problem is that of the text or of the notebook.\n";
}

}  // namespace pair::paper
