#include "pair/data/domainbed_settings.h"

namespace pair::data {

std::vector<std::pair<std::string, std::string>> domainbed_settings(int batch, int eval_every) {
  return {{"model", "mnist_cnn"},
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
}

}  // namespace pair::data
