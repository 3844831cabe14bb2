#include "pair/report/sources.h"

#include <algorithm>
#include <system_error>
#include <utility>

#include "pair/base/files.h"
#include "pair/base/names.h"
#include "pair/report/importance.h"
#include "pair/runs/run_paths.h"
#include "pair/select/criteria.h"
#include "pair/select/domainbed.h"

namespace pair::report {
namespace {

namespace fs = std::filesystem;

// The run's folder. A second run in the same file is named FOLDER#2.
fs::path folder_of(const std::string& name) {
  std::error_code error;
  return fs::is_directory(name, error) ? fs::path(name) : fs::path(name.substr(0, name.rfind('#')));
}

RunState state_of(const std::string& name) {
  const fs::path folder = folder_of(name);
  try {
    if (base::is_there(folder / "done")) {
      return {State::done, ""};
    }
    if (!base::is_there(folder / "failed")) {
      return {};
    }
  } catch (const base::FileError& error) {
    return {State::failed, base::printable(error.what())};
  }
  return {State::failed, base::first_line(folder / "failed")};
}

std::vector<select::Selection> selections_of(const select::History& history) {
  std::vector<select::Selection> all;
  select::PairOptions options;
  all.push_back(pair_s_or_training(history, options));
  all.push_back(train_domain_or_training(history));
  all.push_back(leave_one_out(history));
  options.validation = select::Validation::test_domain;
  all.push_back(pair_s(history, options));
  all.push_back(oracle(history));
  std::stable_partition(all.begin(), all.end(),
                        [](const select::Selection& selection) { return !selection.decisions.empty(); });
  return all;
}

void read_evaluations(Sources& sources) {
  for (const std::size_t run : by_importance(sources)) {
    if (sources.evaluations.size() == most_evaluations) {
      return;
    }
    const fs::path file = runs::evaluation_file(sources.history()[run].name);  // none for FOLDER#2
    if (sources.states[run].state != State::done) {
      continue;
    }
    try {
      if (!base::is_there(file)) {
        continue;
      }
      sources.evaluations.emplace(
          run, runs::evaluation_from_text(base::read_file(file, runs::longest_evaluation)));
    } catch (const base::FileError& error) {
      sources.histories.left_out.push_back({file, 0, "cannot be read: " + error.reason()});
    } catch (const std::invalid_argument& error) {
      sources.histories.left_out.push_back(
          {file, 0, "cannot be used: " + base::printable(std::string_view(error.what()).substr(0, 300))});
    }
  }
}

}  // namespace

const Metric* Sources::headline_metric() const {
  const auto found = std::find_if(metrics.begin(), metrics.end(),
                                  [this](const Metric& metric) { return metric.key == headline; });
  return found == metrics.end() ? nullptr : &*found;
}

Sources sources_of(select::Histories histories) {
  Sources sources;
  sources.histories = std::move(histories);
  for (select::Run& run : sources.histories.history) {
    add_worst_accuracy(run);
    sources.states.push_back(state_of(run.name));
  }
  sources.metrics = metrics_of(sources.history());
  sources.headline = headline(sources.metrics);
  sources.methods = methods_of(sources.history());
  sources.selections = selections_of(sources.history());
  read_evaluations(sources);
  return sources;
}

Sources read_sources(std::span<const std::filesystem::path> directories, const select::ReadOptions& options) {
  return sources_of(select::read_histories(directories, options));
}

}  // namespace pair::report
