#include "pair/report/summary.h"

#include <algorithm>
#include <set>

#include "pair/report/evaluation_words.h"
#include "pair/report/number.h"
#include "pair/report/ranking.h"
#include "pair/report/series.h"

namespace pair::report {
namespace {

template <class Items, class Shown>
std::string listed(const Items& items, std::size_t most, Shown shown) {
  std::string text;
  std::size_t count = 0;
  for (const auto& item : items) {
    if (count == most) {
      return text + " and " + std::to_string(items.size() - most) + " more";
    }
    text += (count++ == 0 ? "" : ", ") + shown(item);
  }
  return text;
}

std::string said_as(const Metric& metric, double value) {
  return metric.kind == Kind::accuracy ? said_accuracy(value) : said(value);
}

std::string said_spread(const Metric& metric, const Spread& spread) {
  return said_as(metric, spread.mean) +
         (spread.runs > 1 ? " ± " + said_as(metric, spread.deviation) + " over " + counted(spread.runs, "run")
                          : "");
}

std::string trained(const Sources& sources) {
  const select::History& history = sources.history();
  std::set<std::string> datasets;
  for (const select::Run& run : history) {
    datasets.insert(run.dataset);
  }
  std::string text = counted(history.size(), "run") + " on " +
                     listed(datasets, 4, [](const auto& name) { return name; }) + ": " +
                     listed(sources.methods, 8, [](const Method& method) {
                       return method.label + " (" + counted(method.runs.size(), "run") + ", " +
                              counted(method.seeds, "seed") + ")";
                     });
  const auto count = [&sources](State state) {
    return static_cast<std::size_t>(
        std::count_if(sources.states.begin(), sources.states.end(),
                      [state](const RunState& run) { return run.state == state; }));
  };
  text += ". " + std::to_string(count(State::done)) + " finished";
  if (const std::size_t open = count(State::open); open > 0) {
    text += ", " + std::to_string(open) + " running or stopped";
  }
  if (const std::size_t failed = count(State::failed) + sources.histories.failed.size(); failed > 0) {
    text += ", " + std::to_string(failed) + " failed";
  }
  return text + "; " + counted(sources.histories.records, "record") + ".";
}

std::vector<Sentence> best(const Sources& sources) {
  constexpr std::size_t most = 6;
  const std::vector<Ranking> rankings = rankings_of(sources);
  if (rankings.empty()) {
    return {{"best", "No run has a test accuracy or test error, so runs cannot be ranked."}};
  }
  const bool several = have_several_datasets(sources.methods);
  std::vector<Sentence> sentences;
  for (std::size_t i = 0; i < std::min(most, rankings.size()); ++i) {
    const auto& [dataset, with, metric, methods] = rankings[i];
    const std::string part = with.empty() ? "" : " " + with;
    std::string text;
    if (methods.size() == 1) {
      text = methods[0].first->label + " ends with a " + metric->label + " of " +
             said_spread(*metric, methods[0].second) + part;
    } else {
      text = "Best" + (several ? " on " + dataset : "") + part + " at the last record, by mean " +
             metric->label + ": " + listed(methods, 4, [&metric = *metric](const auto& entry) {
               return entry.first->algorithm + " " + said_spread(metric, entry.second);
             });
    }
    sentences.push_back({"best", text + "."});
  }
  if (rankings.size() > most) {
    sentences.push_back(
        {"best", counted(rankings.size() - most, "more ranking") + ": see the table of all runs."});
  }
  return sentences;
}

std::vector<Sentence> criteria(const Sources& sources) {
  constexpr std::size_t most = 3;
  const bool several = have_several_datasets(sources.methods);
  std::vector<Sentence> sentences;
  for (const select::Selection& selection : sources.selections) {
    if (selection.decisions.empty() || selection.criterion == "oracle" ||
        selection.title.find("test-domain") != std::string::npos) {
      continue;
    }
    sentences.push_back(
        {"criterion", "By " + selection.title + ": " +
                          listed(selection.decisions, most,
                                 [several](const select::Decision& decision) {
                                   const select::Candidate& chosen = decision.chosen();
                                   const double worst =
                                       chosen.tests.empty()
                                           ? 0.0
                                           : *std::min_element(chosen.tests.begin(), chosen.tests.end());
                                   return decision.algorithm + (several ? " on " + decision.dataset : "") +
                                          ", trial " + std::to_string(decision.trial_seed) + ", with " +
                                          test_environments_of(*chosen.run) + ": " + chosen.run->name +
                                          " at step " + std::to_string(chosen.run->steps[chosen.record]) +
                                          " (" + said_accuracy(worst) + " in the worst test environment)";
                                 }) +
                          "."});
  }
  if (sentences.empty()) {
    sentences.push_back(
        {"criterion",
         "No criterion without access to test data could choose a run; Selection below gives the reasons."});
  }
  return sentences;
}

}  // namespace

std::vector<Sentence> summary_of(const Sources& sources) {
  if (sources.history().empty()) {
    std::vector<Sentence> sentences{{"trained", "No run with records found yet."}};
    if (!sources.histories.failed.empty()) {
      sentences.push_back({"distrust", early_failures(sources)});
    }
    return sentences;
  }
  std::vector<Sentence> sentences{{"trained", trained(sources)}};
  for (const auto& part : {best(sources), criteria(sources), evaluation_sentences(sources)}) {
    sentences.insert(sentences.end(), part.begin(), part.end());
  }
  for (std::string& doubt : doubts_of(sources)) {
    sentences.push_back({"distrust", std::move(doubt)});
  }
  return sentences;
}

}  // namespace pair::report
