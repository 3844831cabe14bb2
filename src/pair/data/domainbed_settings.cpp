#include "pair/data/domainbed_settings.h"

#include <algorithm>
#include <string>

namespace pair::data {

base::Assignments domainbed_settings(int batch, int eval_every, const base::Assignments& changes) {
  base::Assignments settings{{"model", "mnist_cnn"},
                             {"batch", std::to_string(batch)},
                             {"steps", "5001"},
                             {"l2", "0"},
                             {"fishr_mean", "true"},
                             {"irmv1_unbiased", "true"},
                             {"balance_optimizer", "adam"},
                             {"balance_lr", "1e-3"},
                             {"decay", "none"},
                             {"backtrack", "false"},
                             {"eval_every", std::to_string(eval_every)},
                             {"eval_first", "1"},
                             {"checkpoint_every", "100"}};
  for (const base::Assignment& change : changes) {
    const auto same = std::ranges::find(settings, change.first, &base::Assignment::first);
    if (same != settings.end()) {
      same->second = change.second;
    } else {
      settings.push_back(change);
    }
  }
  return settings;
}

}  // namespace pair::data
