#include <pybind11/functional.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>

#include "arrays.h"
#include "module.h"
#include "pair/base/algorithm_names.h"
#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/select/catalog.h"
#include "pair/select/criteria.h"
#include "pair/select/domainbed.h"
#include "pair/select/losses.h"
#include "pair/select/read_histories.h"

// Sweeps on disk: their records, and the models that a criterion chooses from them.

namespace pair::python {
namespace {

namespace fs = std::filesystem;
using select::Across;
using select::Validation;

// Reads without the interpreter's lock. progress, a callable or None, gets the number of runs read and their
// total, at least once, and may raise.
select::Histories histories_of(const std::vector<fs::path>& folders, const py::object& progress) {
  select::ReadOptions options;
  options.progress = [&progress](std::size_t read, std::size_t all) {
    const py::gil_scoped_acquire locked;
    if (PyErr_CheckSignals() != 0) {
      throw py::error_already_set();
    }
    if (!progress.is_none() && read < all) {
      progress(read, all);
    }
  };
  select::Histories histories;
  {
    const py::gil_scoped_release unlocked;
    histories = select::read_histories(folders, options);
  }
  if (!progress.is_none()) {
    progress(histories.history.size(), histories.history.size());
  }
  return histories;
}

py::list left_out_of(const select::Histories& histories) {
  py::list sentences;
  for (const select::FailedRun& run : histories.failed) {
    sentences.append(run.sentence());
  }
  for (const select::Omission& omission : histories.left_out) {
    sentences.append("left out: " + omission.sentence());
  }
  return sentences;
}

void require_runs(const select::Histories& histories, const std::vector<fs::path>& folders) {
  if (histories.history.empty()) {
    throw std::invalid_argument("no run found in '" +
                                (folders.empty() ? std::string() : folders.front().string()) +
                                "'; expected a folder of run folders, each with a results.jsonl");
  }
}

py::dict hparams_of(const select::Run& run) {
  py::dict all;
  for (const auto& [name, value] : run.hparams) {
    all[py::str(name)] = value;
  }
  return all;
}

py::dict run_of(select::Run& run) {
  py::dict columns;
  for (select::Column& column : run.columns) {
    columns[py::str(column.key)] = as_array(std::move(column.values));
  }
  py::dict result;
  result["run"] = run.name;
  result["dataset"] = run.dataset;
  result["algorithm"] = run.algorithm;
  result["test_envs"] = run.test_envs;
  result["trial_seed"] = run.trial_seed;
  result["hparams_seed"] = run.hparams_seed;
  result["hparams"] = hparams_of(run);
  result["step"] = as_array(std::move(run.steps));
  result["columns"] = columns;
  return result;
}

// (runs, sentences about what was left out).
py::tuple read_records(const std::vector<fs::path>& folders, const py::object& progress) {
  select::Histories histories = histories_of(folders, progress);
  require_runs(histories, folders);
  py::list runs;
  for (select::Run& run : histories.history) {
    runs.append(run_of(run));
  }
  return py::make_tuple(runs, left_out_of(histories));
}

template <class Value, std::size_t size>
Value named(const char* kind, const std::string& name,
            const std::array<std::pair<std::string_view, Value>, size>& known) {
  std::array<std::string_view, size> names;
  for (std::size_t i = 0; i < size; ++i) {
    if (known[i].first == name) {
      return known[i].second;
    }
    names[i] = known[i].first;
  }
  throw std::invalid_argument(base::unknown_name(kind, name, names));
}

// Keeps the runs for which `same` holds with one of the names. A name that no run has is an error.
template <class Same>
void keep(const char* kind, const std::vector<std::string>& names, const std::set<std::string>& known,
          select::History& history, Same same) {
  for (const std::string& name : names) {
    if (std::none_of(history.begin(), history.end(),
                     [&](const select::Run& run) { return same(name, run); })) {
      throw std::invalid_argument(
          base::unknown_name(kind, name, std::vector<std::string_view>(known.begin(), known.end())));
    }
  }
  if (!names.empty()) {
    std::erase_if(history, [&](const select::Run& run) {
      return std::none_of(names.begin(), names.end(),
                          [&](const std::string& name) { return same(name, run); });
    });
  }
}

void check_losses(const std::vector<std::string>& losses, const select::History& history) {
  const std::set<std::string> known = select::loss_names(history);
  for (const std::string& loss : losses) {
    if (std::none_of(history.begin(), history.end(),
                     [&loss](const select::Run& run) { return run.find_loss(loss) != nullptr; })) {
      throw std::invalid_argument(
          base::unknown_name("loss", loss, std::vector<std::string_view>(known.begin(), known.end())));
    }
  }
}

struct Request {
  std::string criterion;
  std::string
      validation;  // empty: held-out data of the training domains, or training accuracy if there is none
  select::PairOptions options;
};

select::Selection by_pair_s(const Request& request, const select::History& history) {
  constexpr std::array<std::pair<std::string_view, Validation>, 3> validations{
      {{"train-domain", Validation::train_domain},
       {"test-domain", Validation::test_domain},
       {"training", Validation::training}}};
  check_losses(request.options.losses, history);
  if (request.validation.empty()) {
    return pair_s_or_training(history, request.options);
  }
  select::PairOptions options = request.options;
  options.validation = named("validation", request.validation, validations);
  return pair_s(history, options);
}

select::Selection selection_of(const Request& request, const select::History& history) {
  using Criterion = select::Selection (*)(const select::History&);
  // Null: PAIR-s, which has options.
  constexpr std::array<std::pair<std::string_view, Criterion>, 4> criteria{
      {{"pair", nullptr},
       {"train-domain", select::train_domain_or_training},
       {"leave-one-out", select::leave_one_out},
       {"oracle", select::oracle}}};
  const Criterion criterion = named("criterion", request.criterion, criteria);
  return criterion == nullptr ? by_pair_s(request, history) : criterion(history);
}

py::dict candidate_of(const select::Candidate& candidate) {
  py::dict result;
  result["run"] = candidate.run->name;
  result["step"] = candidate.run->steps[candidate.record];
  result["hparams_seed"] = candidate.run->hparams_seed;
  result["hparams"] = hparams_of(*candidate.run);
  result["validation"] = candidate.validation;
  result["tests"] = candidate.tests;
  result["losses"] = candidate.losses;
  result["score"] = candidate.score;
  result["above_bar"] = candidate.above_bar;
  return result;
}

py::dict decision_of(const select::Decision& decision) {
  py::list candidates;
  for (const select::Candidate& candidate : decision.candidates) {
    candidates.append(candidate_of(candidate));
  }
  py::dict result;
  result["dataset"] = decision.dataset;
  result["algorithm"] = decision.algorithm;
  result["trial_seed"] = decision.trial_seed;
  result["test_envs"] = decision.test_envs;
  result["losses"] = decision.losses;
  result["preference"] = decision.preference;
  result["bar"] = decision.bar;
  result["by_validation"] = decision.by_validation;
  result["candidates"] = candidates;
  return result;
}

void check_count(const char* option, const std::optional<std::int64_t>& count, std::int64_t least) {
  if (count && *count < least) {
    throw std::invalid_argument(std::string(option) + ": expected an integer of at least " +
                                std::to_string(least) + ", got " + std::to_string(*count));
  }
}

py::dict choose(const std::vector<fs::path>& folders, const std::string& criterion,
                const std::vector<double>& preference, const std::string& validation,
                const std::string& across, const std::optional<std::int64_t>& skip,
                const std::optional<std::int64_t>& last, double percentile,
                const std::vector<std::string>& losses, bool with_sign,
                const std::vector<std::string>& datasets, const std::vector<std::string>& algorithms,
                const py::object& progress) {
  constexpr std::array<std::pair<std::string_view, Across>, 3> ways{
      {{"paper", Across::paper}, {"score", Across::score}, {"validation", Across::validation}}};
  check_count("skip", skip, 0);
  check_count("last", last, 1);
  if (!(percentile >= 0.0 && percentile <= 1.0)) {
    throw std::invalid_argument("percentile: expected a number from 0 to 1, got " + base::shown(percentile));
  }
  Request request{.criterion = criterion, .validation = validation, .options = {}};
  request.options.preference = preference;
  request.options.skip = skip;
  request.options.last = last;
  request.options.percentile = percentile;
  request.options.losses = losses;
  request.options.with_sign = with_sign;
  request.options.across = named("way to choose among runs", across, ways);

  select::Histories histories = histories_of(folders, progress);
  require_runs(histories, folders);
  std::set<std::string> known_datasets;
  std::set<std::string> known_algorithms;
  for (const select::Run& run : histories.history) {
    known_datasets.insert(run.dataset);
    known_algorithms.insert({run.algorithm, run.trained_as()});
  }
  keep("dataset", datasets, known_datasets, histories.history,
       [](const std::string& name, const select::Run& run) { return name == run.dataset; });
  keep("algorithm", algorithms, known_algorithms, histories.history,
       [](const std::string& name, const select::Run& run) {
         return select::is_algorithm(name, run) || base::same_algorithm(name, run.trained_as());
       });
  select::Selection selection;
  {
    const py::gil_scoped_release unlocked;
    selection = selection_of(request, histories.history);
  }
  py::list decisions;
  for (const select::Decision& decision : selection.decisions) {
    decisions.append(decision_of(decision));
  }
  py::dict result;
  result["criterion"] = selection.criterion;
  result["title"] = selection.title;
  result["decisions"] = decisions;
  result["notes"] = selection.notes;
  result["left_out"] = left_out_of(histories);
  return result;
}

}  // namespace

void bind_select(py::module_& module) {
  module.def("read_records", &read_records, py::arg("folders"), py::arg("progress") = py::none());
  module.def("choose", &choose, py::arg("folders"), py::arg("criterion"), py::arg("preference"),
             py::arg("validation"), py::arg("across"), py::arg("skip"), py::arg("last"),
             py::arg("percentile"), py::arg("losses"), py::arg("with_sign"), py::arg("datasets"),
             py::arg("algorithms"), py::arg("progress"));
}

}  // namespace pair::python
