#include "pair/cli/sweep_report.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <ostream>

#include "pair/base/names.h"
#include "pair/base/tables.h"
#include "pair/cli/left_out.h"
#include "pair/cli/select_choices.h"

namespace pair::cli {
namespace {

using nlohmann::ordered_json;
using sweep::State;

std::string key_of(State state) {
  std::string key(to_string(state));
  std::replace(key.begin(), key.end(), ' ', '_');
  return key;
}

ordered_json counts_json(const sweep::Counts& counts) {
  ordered_json object{{"jobs", counts.all()}};
  for (const State state : sweep::states) {
    object[key_of(state)] = counts.of(state);
  }
  return object;
}

// The states that any job has, and `done`.
std::vector<State> states_in(const sweep::Counts& counts) {
  std::vector<State> present;
  for (const State state : sweep::states) {
    if (state == State::done || counts.of(state) > 0) {
      present.push_back(state);
    }
  }
  return present;
}

// By the environments' names, as in the tables of 'pair select'.
std::string tested_in(const sweep::Cell& cell, std::span<const sweep::Job> jobs) {
  const auto job = std::find_if(jobs.begin(), jobs.end(), [&cell](const sweep::Job& one) {
    return one.spec.dataset.name == cell.dataset && one.test_envs == cell.test_envs;
  });
  const std::vector<std::string> names =
      job == jobs.end() ? std::vector<std::string>() : data::environment_names(job->spec.dataset);
  return base::joined(cell.test_envs, ", ", [&names](std::int64_t environment) {
    const auto index = static_cast<std::size_t>(environment);
    return index < names.size() ? names[index] : std::to_string(environment);
  });
}

bool went_wrong(const sweep::JobStatus& status) {
  return status.state == State::failed || status.state == State::broken;
}

}  // namespace

std::string summary_of(const sweep::Counts& counts) {
  std::string text = std::to_string(counts.all()) + (counts.all() == 1 ? " run: " : " runs: ");
  const char* separator = "";
  for (const State state : states_in(counts)) {
    text += separator + std::to_string(counts.of(state)) + " " + std::string(to_string(state));
    separator = ", ";
  }
  return text;
}

void write_status(std::span<const sweep::Job> jobs, const sweep::SweepStatus& status, bool all,
                  std::ostream& out) {
  const std::vector<State> present = states_in(status.counts);
  Rows rows = {{"dataset", "algorithm", "tested in"}};
  for (const State state : present) {
    rows.front().emplace_back(to_string(state));
  }
  for (const sweep::Cell& cell : status.cells) {
    rows.push_back({cell.dataset, cell.algorithm, tested_in(cell, jobs)});
    for (const State state : present) {
      rows.back().push_back(std::to_string(cell.counts.of(state)) +
                            (state == State::done ? "/" + std::to_string(cell.counts.all()) : ""));
    }
  }
  out << summary_of(status.counts) << "\n\n" << aligned(rows, "");

  constexpr std::size_t few = 10;
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (went_wrong(status.jobs[i]) && (++wrong <= few || all)) {
      out << (wrong == 1 ? "\n" : "") << jobs[i].folder << ": " << to_string(status.jobs[i].state) << ": "
          << base::printable(status.jobs[i].message) << '\n';
    }
  }
  if (wrong > few && !all) {
    out << "and " << wrong - few << " more; --all lists them\n";
  }
  if (!status.strangers.empty()) {
    out << "\n" << strangers_sentence(status.strangers) << '\n';
  }
}

ordered_json status_json(std::span<const sweep::Job> jobs, const sweep::SweepStatus& status) {
  ordered_json object = counts_json(status.counts);
  object["cells"] = ordered_json::array();
  for (const sweep::Cell& cell : status.cells) {
    ordered_json entry{
        {"dataset", cell.dataset}, {"algorithm", cell.algorithm}, {"test_envs", cell.test_envs}};
    entry.update(counts_json(cell.counts));
    object["cells"].push_back(std::move(entry));
  }
  object["failures"] = ordered_json::array();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (went_wrong(status.jobs[i])) {
      object["failures"].push_back({{"folder", jobs[i].folder},
                                    {"state", key_of(status.jobs[i].state)},
                                    {"message", status.jobs[i].message}});
    }
  }
  object["strangers"] = status.strangers;
  return object;
}

}  // namespace pair::cli
