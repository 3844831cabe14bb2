#include "pair/train/algorithm.h"

#include <stdexcept>

namespace pair::train {

std::unique_ptr<Algorithm> make_algorithm(const Settings& settings, const data::EnvironmentSet& data,
                                          const std::shared_ptr<models::Model>& model, std::uint64_t seed,
                                          torch::Device device) {
  if (settings.scheme != Scheme::own) {
    return nullptr;
  }
  if (!settings.update.make) {
    throw std::invalid_argument(
        "scheme: expected linear or pair for an algorithm without its own update, got own");
  }
  return settings.update.make({settings, data, model, seed, device});
}

}  // namespace pair::train
