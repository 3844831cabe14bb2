#include "pair/sweep/jobs.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "pair/algorithms/registry.h"
#include "pair/base/numbers.h"
#include "pair/base/parallel.h"
#include "pair/data/test_envs.h"
#include "pair/runs/known_settings.h"
#include "pair/runs/settings.h"

namespace pair::sweep {
namespace {

constexpr std::int64_t most = 100'000;
constexpr std::int64_t most_jobs = 1'000'000;

void check_names(const char* name, const std::vector<std::string>& names) {
  if (names.empty()) {
    throw std::invalid_argument(std::string("a sweep needs ") + name + "; got none");
  }
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(i), names[i]) !=
        names.begin() + static_cast<std::ptrdiff_t>(i)) {
      throw std::invalid_argument(std::string(name) + " has '" + names[i] + "' twice");
    }
  }
}

// Whether a setting affects the run.
bool has_meaning(std::string_view name, const runs::RunSpec& spec) {
  const train::Scheme other =
      spec.settings.scheme == train::Scheme::pair ? train::Scheme::linear : train::Scheme::pair;
  const std::vector<runs::Setting> settings = runs::settings_of(spec);
  return std::any_of(settings.begin(), settings.end(), [&](const runs::Setting& setting) {
    return setting.name() == name && setting.scheme != to_string(other);
  });
}

// The settings common to a sweep's runs, and which of them any run uses.
class Common {
 public:
  explicit Common(const base::Assignments& set) : set_(set), used_(set.size(), false) {
    for (const auto& [name, value] : set) {
      if (name == "seed" || name == "hparams_seed" || name == "test_envs") {
        const char* const option = name == "seed"           ? "--n-trials"
                                   : name == "hparams_seed" ? "--n-hparams"
                                                            : "--test-envs";
        throw std::invalid_argument(name + " cannot be set in a sweep; use " + option);
      }
      (void)runs::known_setting(name);
    }
  }

  // A weight that the user set is not drawn under another name.
  void spare(std::vector<Hparam>& hparams) const {
    const bool penalty = std::any_of(
        set_.begin(), set_.end(), [](const base::Assignment& setting) { return setting.first == "penalty"; });
    std::erase_if(hparams, [penalty](const Hparam& hparam) { return penalty && hparam.key == "penalties"; });
  }

  // The defaults of the run's dataset and algorithm with those common settings that decide which others a run
  // has: objectives, solver, model and scheme.
  [[nodiscard]] runs::RunSpec structured(const runs::RunSpec& plain) const {
    base::Assignments deciding;
    std::copy_if(set_.begin(), set_.end(), std::back_inserter(deciding),
                 [&plain](const base::Assignment& one) {
                   return runs::decides_settings(one.first) && has_meaning(one.first, plain);
                 });
    return runs::resolve(plain.dataset.name, plain.algorithm, deciding);
  }

  // The settings that apply to such runs.
  base::Assignments of(const runs::RunSpec& spec) {
    base::Assignments kept;
    for (std::size_t i = 0; i < set_.size(); ++i) {
      if (has_meaning(set_[i].first, spec)) {
        used_[i] = true;
        kept.push_back(set_[i]);
      }
    }
    return kept;
  }

  void refuse_unused() const {
    const auto unused = std::find(used_.begin(), used_.end(), false);
    if (unused != used_.end()) {
      throw std::invalid_argument(set_[static_cast<std::size_t>(unused - used_.begin())].first +
                                  " does not apply to any run of the sweep");
    }
  }

 private:
  const base::Assignments& set_;
  std::vector<bool> used_;
};

// The number of environments of the dataset last asked for: to count them, a user's file is read.
class EnvironmentCount {
 public:
  std::int64_t of(const data::Dataset& dataset) {
    if (!count_ || dataset != dataset_) {
      count_ = static_cast<std::int64_t>(data::environment_names(dataset).size());
      dataset_ = dataset;
    }
    return *count_;
  }

 private:
  data::Dataset dataset_ = {};
  std::optional<std::int64_t> count_ = {};
};

std::vector<TestEnvs> sets_for(const Definition& definition, const runs::RunSpec& spec,
                               EnvironmentCount& counts) {
  const std::string& dataset = spec.dataset.name;
  if (!chooses_test_envs(spec)) {
    if (!definition.test_envs.empty()) {
      throw std::invalid_argument(dataset + " has fixed test environments; --test-envs does not apply");
    }
    return {data::test_environments(spec.dataset)};
  }
  const std::int64_t environments = counts.of(spec.dataset);
  for (const TestEnvs& test_envs : definition.test_envs) {
    data::check_test_envs(test_envs, environments, dataset);
  }
  return definition.test_envs.empty() ? all_test_envs(environments, definition.single_test_envs)
                                      : definition.test_envs;
}

// Common parts of all draws of an algorithm on a dataset.
struct Family {
  std::string dataset;
  std::string algorithm;
  std::vector<Hparam> hparams;
  base::Assignments common;
  std::vector<TestEnvs> test_envs;
  Draws draws = Draws::domainbed;
};

// A job's place in a sweep.
struct Place {
  const Family* family;
  const TestEnvs* test_envs;
  std::int64_t trial;
  std::int64_t draw;
};

Job job_of(const Family& family, const TestEnvs& test_envs, std::int64_t trial, std::int64_t draw) {
  base::Assignments overrides =
      draw_hparams(family.hparams, draw, static_cast<std::uint64_t>(trial), family.draws);
  overrides.insert(overrides.end(), family.common.begin(), family.common.end());
  overrides.emplace_back("seed", std::to_string(trial));
  overrides.emplace_back("hparams_seed", std::to_string(draw));
  runs::RunSpec spec = runs::resolve(family.dataset, family.algorithm, overrides);
  if (chooses_test_envs(spec)) {
    runs::set(spec, "test_envs", nlohmann::json(test_envs));
  }
  std::string folder = runs::folder_name(spec);
  return {std::move(spec), test_envs, std::move(folder)};
}

}  // namespace

std::string Job::place() const {
  return spec.dataset.name + ", " + spec.algorithm + ", test environments " + as_text(test_envs) +
         ", trial " + std::to_string(spec.seed) + ", draw " + std::to_string(spec.hparams_seed);
}

std::vector<Job> jobs_of(const Definition& definition) {
  base::require_integer("n_hparams", definition.n_hparams, 1, most);
  base::require_integer("n_trials", definition.n_trials, 1, most);
  check_names("datasets", definition.datasets);
  std::vector<std::string> algorithms;
  for (const std::string& name : definition.algorithms) {
    algorithms.emplace_back(algorithms::algorithm_named(name).name);
  }
  check_names("algorithms", algorithms);
  Common common(definition.set);
  std::vector<Family> families;
  EnvironmentCount counts;
  for (const std::string& dataset : definition.datasets) {
    for (const std::string& algorithm : algorithms) {
      const runs::RunSpec structured = common.structured(runs::resolve(dataset, algorithm));
      base::Assignments settings = common.of(structured);
      // With the common settings, since they may name the data folder and so decide which environments exist.
      const runs::RunSpec spec = runs::resolve(dataset, algorithm, settings);
      runs::check_own_objectives(spec);
      std::vector<TestEnvs> test_envs = sets_for(definition, spec, counts);
      std::vector<Hparam> hparams = hparams_of(structured, definition.search);
      common.spare(hparams);
      families.push_back({dataset, algorithm, std::move(hparams), std::move(settings), std::move(test_envs),
                          definition.draws});
    }
  }
  common.refuse_unused();

  std::int64_t sets = 0;
  for (const Family& family : families) {
    sets += static_cast<std::int64_t>(family.test_envs.size());
  }
  if (sets * definition.n_hparams > most_jobs / definition.n_trials) {
    throw std::invalid_argument("the sweep has more than " + std::to_string(most_jobs) +
                                " runs; reduce the number of trials or draws");
  }

  std::vector<Place> places;
  for (std::int64_t trial = 0; trial < definition.n_trials; ++trial) {
    for (const Family& family : families) {
      for (const TestEnvs& test_envs : family.test_envs) {
        for (std::int64_t draw = 0; draw < definition.n_hparams; ++draw) {
          places.push_back({&family, &test_envs, trial, draw});
        }
      }
    }
  }
  std::vector<Job> jobs(places.size());
  base::for_each_in_parallel(places.size(), [&](std::size_t i) {
    jobs[i] = job_of(*places[i].family, *places[i].test_envs, places[i].trial, places[i].draw);
  });
  return jobs;
}

std::vector<Job> jobs_of(std::span<const Definition> definitions) {
  std::vector<Job> all;
  std::set<std::string> seen;
  for (const Definition& definition : definitions) {
    for (Job& job : jobs_of(definition)) {
      if (seen.insert(job.folder).second) {
        all.push_back(std::move(job));
      }
    }
  }
  return all;
}

}  // namespace pair::sweep
