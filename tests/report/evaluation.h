#pragma once

#include <string>

#include "pair/runs/evaluation.h"

namespace pair::report::testing {

// A table's evaluation: three training environments and a test environment, in which 'tone' points the wrong way.
inline runs::Evaluation table_evaluation() {
  runs::Evaluation evaluation;
  evaluation.steps = 100;
  evaluation.label = "outcome";
  evaluation.classes = {"no", "yes"};
  evaluation.classes_in_all = 2;
  const double accuracies[] = {0.82, 0.8, 0.75, 0.32};
  const char* const names[] = {"Eastside", "Lakeview", "Northgate", "St. Mary"};
  for (std::size_t e = 0; e < 4; ++e) {
    runs::Evaluation::Environment environment{
        .name = names[e], .key = "env" + std::to_string(e) + "_out", .test = e == 3, .samples = 100};
    environment.accuracy = accuracies[e];
    environment.confidence = 0.8;
    environment.calibration_error = 0.05;
    const auto right = static_cast<std::int64_t>(50 * accuracies[e]);
    environment.confusion = runs::Evaluation::Confusion{
        .classes = {0, 1}, .others = false, .counts = {{right, 50 - right}, {50 - right, right}}};
    environment.confused = {{1, 0, 50 - right}, {0, 1, 50 - right}};
    evaluation.environments.push_back(environment);
  }
  evaluation.worst = 3;
  runs::Evaluation::Wrong wrong{.environment = 3, .sample = "line 12"};
  wrong.truth = 1;
  wrong.answer = 0;
  wrong.probability = 0.97;
  wrong.cells = {{"age", "47"}, {"tone", "92"}};
  evaluation.wrong = {wrong};
  evaluation.columns =
      runs::Evaluation::Columns{.names = {"tone", "age"},
                                .left_out = 0,
                                .fitted = false,
                                .environments = {0, 1, 2, 3},
                                .share = {{0.6, 0.4}, {0.6, 0.4}, {0.5, 0.5}, {0.3, 0.7}},
                                .agreement = {{0.6, 0.2}, {0.5, 0.3}, {0.4, 0.2}, {-0.7, 0.3}}};
  return evaluation;
}

}  // namespace pair::report::testing
