#include "pair/select/validation.h"

#include <algorithm>
#include <cmath>

#include "pair/select/means.h"

namespace pair::select {

double validation_of(const Run& run, const Accuracies& accuracies, std::size_t record, Validation which) {
  std::vector<double> values;
  const auto is_test = [&run](int environment) {
    return std::find(run.test_envs.begin(), run.test_envs.end(), environment) != run.test_envs.end();
  };
  switch (which) {
    case Validation::train_domain:
      for (int i = 0; i < accuracies.held_out(record); ++i) {
        if (!is_test(i)) {
          values.push_back(accuracies.out(i, record));
        }
      }
      break;
    case Validation::test_domain:
      for (const int i : run.test_envs) {
        values.push_back(accuracies.out(i, record));
      }
      break;
    case Validation::training:
      for (int i = 0; i < accuracies.environments(); ++i) {
        if (!is_test(i)) {
          values.push_back(accuracies.in(i, record));
        }
      }
      break;
    case Validation::leave_one_out:
      break;
  }
  return mean(values);
}

double test_accuracy(const Accuracies& accuracies, int environment, std::size_t record) {
  const double split = accuracies.in(environment, record);
  return std::isnan(split) ? accuracies.out(environment, record) : split;
}

bool has_whole_test_environments(const Run& run) {
  if (run.records() == 0) {
    return false;
  }
  const Accuracies accuracies(run);
  const std::size_t last = run.records() - 1;
  return std::all_of(run.test_envs.begin(), run.test_envs.end(), [&](int environment) {
    return std::isnan(accuracies.in(environment, last)) && !std::isnan(accuracies.out(environment, last));
  });
}

}  // namespace pair::select
