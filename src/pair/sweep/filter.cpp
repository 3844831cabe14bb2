#include "pair/sweep/filter.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <utility>

#include "pair/algorithms/registry.h"
#include "pair/base/assignment.h"
#include "pair/base/names.h"
#include "pair/runs/known_settings.h"
#include "pair/runs/settings.h"

namespace pair::sweep {
namespace {

void check_count(const char* name, const std::optional<std::int64_t>& count) {
  if (count && *count < 1) {
    throw std::invalid_argument(std::string(name) + ": expected an integer of at least 1, got " +
                                std::to_string(*count));
  }
}

std::set<std::int64_t> as_set(const TestEnvs& test_envs) {
  return {test_envs.begin(), test_envs.end()};
}

// Whether the run already has this setting.
bool has_setting(const runs::RunSpec& spec, const base::Assignment& setting) {
  (void)runs::known_setting(setting.first);
  if (runs::find_setting(spec, setting.first) == nullptr) {
    return false;
  }
  runs::RunSpec with = spec;
  runs::set(with, setting.first, setting.second);
  return runs::canonical(with) == runs::canonical(spec);
}

bool is_name_of_algorithm(std::string_view asked, std::string_view name) {
  const std::string plain = base::plain_name(asked);
  return base::plain_name(name) == plain ||
         base::plain_name(algorithms::algorithm_named(name).domainbed) == plain;
}

bool same_dataset(std::string_view a, std::string_view b) {
  return a == b;
}

// A name that no job has is an error.
template <class Same>
void check_names(const char* kind, const std::vector<std::string>& names, const std::set<std::string>& known,
                 Same same) {
  for (const std::string& name : names) {
    if (std::none_of(known.begin(), known.end(), [&](const std::string& one) { return same(name, one); })) {
      throw std::invalid_argument(
          base::unknown_name(std::string(kind) + " of the sweep", name,
                             std::vector<std::string_view>(known.begin(), known.end())));
    }
  }
}

template <class Same>
bool among(const std::vector<std::string>& names, std::string_view name, Same same) {
  return names.empty() ||
         std::any_of(names.begin(), names.end(), [&](const std::string& one) { return same(one, name); });
}

bool passes(const Job& job, const Filter& filter) {
  return among(filter.datasets, job.spec.dataset.name, same_dataset) &&
         among(filter.algorithms, job.spec.algorithm, is_name_of_algorithm) &&
         (!filter.n_hparams || job.spec.hparams_seed < *filter.n_hparams) &&
         (!filter.n_trials || std::cmp_less(job.spec.seed, *filter.n_trials)) &&
         (!filter.single_test_envs || job.test_envs.size() == 1) &&
         (filter.test_envs.empty() ||
          std::any_of(filter.test_envs.begin(), filter.test_envs.end(),
                      [&](const TestEnvs& set) { return as_set(set) == as_set(job.test_envs); })) &&
         std::all_of(filter.set.begin(), filter.set.end(),
                     [&](const base::Assignment& setting) { return has_setting(job.spec, setting); });
}

}  // namespace

std::vector<Job> filtered(std::span<const Definition> definitions, const Filter& filter) {
  check_count("n_hparams", filter.n_hparams);
  check_count("n_trials", filter.n_trials);
  std::vector<Definition> searched(definitions.begin(), definitions.end());
  std::erase_if(searched, [&filter](const Definition& definition) {
    return filter.search && definition.search != *filter.search;
  });
  std::vector<Job> jobs = jobs_of(searched);
  std::set<std::string> datasets;
  std::set<std::string> algorithms;
  for (const Job& job : jobs) {
    datasets.insert(job.spec.dataset.name);
    algorithms.insert(job.spec.algorithm);
  }
  if (!jobs.empty()) {
    check_names("dataset", filter.datasets, datasets, same_dataset);
    check_names("algorithm", filter.algorithms, algorithms, is_name_of_algorithm);
  }
  std::erase_if(jobs, [&filter](const Job& job) { return !passes(job, filter); });
  if (jobs.empty()) {
    throw std::invalid_argument("no run of the sweep matches the options; without options, all runs match");
  }
  return jobs;
}

}  // namespace pair::sweep
