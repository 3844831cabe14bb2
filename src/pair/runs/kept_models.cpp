#include "pair/runs/kept_models.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "pair/base/files.h"
#include "pair/base/numbers.h"
#include "pair/runs/record_keys.h"
#include "pair/runs/run_paths.h"

namespace pair::runs {
namespace {

namespace fs = std::filesystem;

// The step of models/step-000300; none for another name.
std::optional<std::int64_t> step_named(const fs::path& run, const fs::path& folder) {
  constexpr std::string_view start = "step-";
  const std::string name = folder.filename().string();
  if (!name.starts_with(start)) {
    return std::nullopt;
  }
  const auto step = base::number_from<std::int64_t>(name.substr(start.size()));
  return step && *step > 0 && kept_folder(run, *step).filename() == name ? step : std::nullopt;
}

// All steps with a folder, complete or not.
std::vector<std::int64_t> steps_in(const fs::path& run) {
  std::vector<std::int64_t> steps;
  std::error_code error;
  for (auto entry = fs::directory_iterator(models_folder(run), error);
       !error && entry != fs::directory_iterator(); entry.increment(error)) {
    if (const std::optional<std::int64_t> step = step_named(run, entry->path())) {
      steps.push_back(*step);
    }
  }
  std::ranges::sort(steps);
  return steps;
}

void remove_model_of(const fs::path& run, std::int64_t step) {
  std::error_code ignored;
  fs::remove(card_file(kept_folder(run, step)), ignored);
  fs::remove_all(kept_folder(run, step), ignored);
}

void remove_folder_if_empty(const fs::path& run) {
  std::error_code ignored;
  fs::remove(models_folder(run), ignored);  // fails if it is not empty
}

// The mean of the numbers under env{i}KEY over the environments that are not tests; NaN if one of them is not
// a number, none if the record has no such key.
std::optional<double> mean_over_training(const nlohmann::json& record, std::string_view key) {
  std::vector<std::int64_t> tests;
  if (const auto args = record.find("args"); args != record.end() && args->contains("test_envs")) {
    tests = args->at("test_envs").get<std::vector<std::int64_t>>();
  }
  std::map<std::size_t, double> values;  // summed in the order of environments, as selection does
  for (const auto& [name, value] : record.items()) {
    const std::optional<EnvironmentKey> own = environment_key(name);
    if (own && own->rest == key &&
        std::ranges::find(tests, static_cast<std::int64_t>(own->number)) == tests.end()) {
      values[own->number] =
          value.is_number() ? value.get<double>() : std::numeric_limits<double>::quiet_NaN();
    }
  }
  if (values.empty()) {
    return std::nullopt;
  }
  double sum = 0.0;
  for (const auto& [environment, value] : values) {
    sum += value;
  }
  return sum / static_cast<double>(values.size());
}

// The last step of a finished run that has its own model.
std::optional<std::int64_t> last_step(const fs::path& run) {
  if (!base::is_there(done_file(run)) || !base::is_there(card_file(run))) {
    return std::nullopt;
  }
  const auto done =
      nlohmann::json::parse(base::read_file(done_file(run)), nullptr, /*allow_exceptions=*/false);
  const auto steps = done.find("steps");
  return done.is_object() && steps != done.end() && steps->is_number_integer()
             ? std::optional(steps->get<std::int64_t>())
             : std::nullopt;
}

}  // namespace

std::optional<double> validation_of(const nlohmann::json& record) {
  // The dataset's own key, if it has one (data::DatasetEntry::selection).
  if (const auto args = record.find("args"); args != record.end() && args->contains("selection")) {
    const auto found = record.find(args->at("selection").get<std::string>());
    return found != record.end() && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
  }
  for (const auto& [key, sign] : {std::pair("_out_acc", 1.0), std::pair("_in_acc", 1.0),
                                  std::pair("_out_mse", -1.0), std::pair("_in_mse", -1.0)}) {
    if (const std::optional<double> mean = mean_over_training(record, key)) {
      return std::isnan(*mean) ? std::nullopt : std::optional(sign * *mean);
    }
  }
  return std::nullopt;
}

bool BestRecord::add(const nlohmann::json& record) {
  const auto phase = record.find("phase");
  if (!balancing_ && phase != record.end() && *phase == "balance") {
    *this = {};
    balancing_ = true;
  }
  const std::optional<double> validation = validation_of(record);
  if (!validation || (validation_ && *validation <= *validation_)) {
    return false;
  }
  validation_ = validation;
  step_ = record.at("step").get<std::int64_t>();
  return true;
}

std::optional<std::int64_t> best_step(std::span<const nlohmann::json> records) {
  BestRecord best;
  for (const nlohmann::json& record : records) {
    (void)best.add(record);
  }
  return best.step();
}

std::vector<std::int64_t> kept_steps(const std::filesystem::path& run) {
  std::vector<std::int64_t> steps = steps_in(run);
  std::erase_if(steps,
                [&run](std::int64_t step) { return !base::is_there(card_file(kept_folder(run, step))); });
  return steps;
}

bool lacks_models(const std::filesystem::path& run, KeepCheckpoints kept,
                  std::span<const nlohmann::json> records, std::int64_t last) {
  const auto is_kept = [last, steps = kept_steps(run)](std::int64_t step) {
    return step == last || std::ranges::binary_search(steps, step);
  };
  if (kept == KeepCheckpoints::best) {
    const std::optional<std::int64_t> best = best_step(records);
    return best && !is_kept(*best);
  }
  return kept == KeepCheckpoints::all &&
         !std::ranges::all_of(records, [&is_kept](const nlohmann::json& record) {
           return is_kept(record.value("step", std::int64_t{0}));
         });
}

void remove_models_after(const std::filesystem::path& run, std::int64_t step) {
  for (const std::int64_t kept : steps_in(run)) {
    if (kept > step) {
      remove_model_of(run, kept);
    }
  }
  remove_folder_if_empty(run);
}

void remove_models_except(const std::filesystem::path& run, std::optional<std::int64_t> step) {
  for (const std::int64_t kept : steps_in(run)) {
    if (kept != step) {
      remove_model_of(run, kept);
    }
  }
  remove_folder_if_empty(run);
}

std::filesystem::path folder_of_step(const std::filesystem::path& run, std::optional<std::int64_t> wanted) {
  if (!wanted) {
    return run;
  }
  const std::int64_t step = *wanted;
  if (const std::string fault = base::folder_fault(run); !fault.empty()) {
    throw std::invalid_argument(run.string() + ": expected the folder of a run, got a path that " + fault);
  }
  const std::optional<std::int64_t> last = last_step(run);
  if (last == step) {
    return run;
  }
  std::vector<std::int64_t> kept = kept_steps(run);
  if (std::ranges::binary_search(kept, step)) {
    return kept_folder(run, step);
  }
  if (last) {
    kept.push_back(*last);
  }
  const auto nearest = std::ranges::min_element(
      kept, {}, [step](std::int64_t other) { return step > other ? step - other : other - step; });
  throw std::invalid_argument(run.string() + ": the model of step " + std::to_string(step) +
                              " was not kept; " +
                              (kept.empty() ? "no model of this run was"
                                            : "the nearest is that of step " + std::to_string(*nearest)) +
                              ". 'pair train --keep-checkpoints all' keeps the model of every record");
}

}  // namespace pair::runs
