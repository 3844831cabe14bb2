#include <pybind11/functional.h>
#include <pybind11/stl.h>
#include <pybind11/stl/filesystem.h>

#include <filesystem>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "arrays.h"
#include "module.h"
#include "pair/select/read_histories.h"
#include "pair/select/request.h"

// Sweeps on disk: their records, and the models that a criterion chooses from them.

namespace pair::python {
namespace {

namespace fs = std::filesystem;

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

py::dict choose(const std::vector<fs::path>& folders, const select::Request& request,
                const py::object& progress) {
  if (request.criterion == "all") {
    throw std::invalid_argument("criterion: expected one criterion, got 'all'; call select for each");
  }
  check(request);
  select::Histories histories = histories_of(folders, progress);
  require_runs(histories, folders);
  keep_requested(request, histories.history);
  select::Selection selection;
  {
    const py::gil_scoped_release unlocked;
    selection = std::move(select::choose(request, histories.history).front());
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
  py::class_<select::Request>(module, "Request")
      .def(py::init<>())
      .def_readwrite("criterion", &select::Request::criterion)
      .def_readwrite("rule", &select::Request::rule)
      .def_readwrite("validation", &select::Request::validation)
      .def_readwrite("preference", &select::Request::preference)
      .def_readwrite("skip", &select::Request::skip)
      .def_readwrite("last", &select::Request::last)
      .def_readwrite("percentile", &select::Request::percentile)
      .def_readwrite("losses", &select::Request::losses)
      .def_readwrite("losses_from", &select::Request::losses_from)
      .def_readwrite("with_sign", &select::Request::with_sign)
      .def_readwrite("across", &select::Request::across)
      .def_readwrite("datasets", &select::Request::datasets)
      .def_readwrite("algorithms", &select::Request::algorithms);
  module.def("choose", &choose, py::arg("folders"), py::arg("request"), py::arg("progress"));
}

}  // namespace pair::python
