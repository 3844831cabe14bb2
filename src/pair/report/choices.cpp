#include "pair/report/choices.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "pair/plot/text.h"
#include "pair/report/number.h"
#include "pair/select/catalog.h"

namespace pair::report {
namespace {

using nlohmann::json;

json choice_of(const select::Decision& decision, const select::History& history) {
  const select::Candidate& chosen = decision.chosen();
  json losses = json::object();
  for (std::size_t i = 0; i < std::min(decision.losses.size(), chosen.losses.size()); ++i) {
    losses[plot::clean(decision.losses[i])] = number(chosen.losses[i]);
  }
  json names = json::array();
  for (const int environment : decision.test_envs) {
    names.push_back(plot::clean(select::environment_name(*chosen.run, environment)));
  }
  return {{"dataset", plot::clean(decision.dataset)},
          {"algorithm", plot::clean(decision.algorithm)},
          {"trial", decision.trial_seed},
          {"test", decision.test_envs},
          {"test_names", std::move(names)},
          {"run", chosen.run - history.data()},
          {"step", chosen.run->steps[chosen.record]},
          {"validation", number(chosen.validation)},
          {"tests", numbers(chosen.tests)},
          {"score", number(chosen.score)},
          {"losses", std::move(losses)},
          {"candidates", decision.candidates.size()},
          {"why", plot::clean(reason_of(decision))}};
}

}  // namespace

std::string reason_of(const select::Decision& decision) {
  const std::string among = counted(decision.candidates.size(), "run");
  if (decision.losses.empty()) {
    return "the largest validation accuracy of " + among;
  }
  std::string score;
  for (std::size_t i = 0; i < std::min(decision.losses.size(), decision.preference.size()); ++i) {
    score += (i == 0 ? "" : " + ") + said(decision.preference[i]) + " " + decision.losses[i];
  }
  const std::string within = "within a run, the step with the smallest " + score;
  if (decision.by_validation) {
    return within + "; among " + among + ", the run with the largest " +
           (decision.by_test ? "accuracy in the test domains" : "validation accuracy");
  }
  const auto reach = std::count_if(decision.candidates.begin(), decision.candidates.end(),
                                   [](const select::Candidate& candidate) { return candidate.above_bar; });
  return within + "; the same criterion among the " + std::to_string(reach) + " of " + among +
         " with a validation accuracy of at least " + said_accuracy(decision.bar);
}

nlohmann::json choices_of(const Sources& sources) {
  constexpr std::size_t most = 120;  // choices per criterion, to keep the page small
  json selections = json::array();
  for (const select::Selection& selection : sources.selections) {
    json choices = json::array();
    for (std::size_t i = 0; i < std::min(most, selection.decisions.size()); ++i) {
      choices.push_back(choice_of(selection.decisions[i], sources.history()));
    }
    json notes = json::array();
    for (const std::string& note : selection.notes) {
      notes.push_back(plot::clean(note));
    }
    selections.push_back(
        {{"criterion", selection.criterion},
         {"title", selection.title},
         {"choices", std::move(choices)},
         {"choices_left_out", selection.decisions.size() - std::min(most, selection.decisions.size())},
         {"notes", std::move(notes)}});
  }
  return selections;
}

}  // namespace pair::report
