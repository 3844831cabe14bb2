#include "pair/train/algorithm.h"

#include <stdexcept>

#include "pair/train/adversary.h"
#include "pair/train/mixup.h"

namespace pair::train {

std::unique_ptr<Algorithm> make_algorithm(const Settings& settings, const data::EnvironmentSet& data,
                                          const std::shared_ptr<models::Model>& model, std::uint64_t seed,
                                          torch::Device device) {
  if (weighs_objectives(settings.scheme)) {
    return nullptr;
  }
  if (data.train.size() < 2) {
    throw std::invalid_argument(std::string(to_string(settings.scheme)) +
                                " compares environments and needs at least 2 to train on; the data has " +
                                std::to_string(data.train.size()));
  }
  if (settings.scheme == Scheme::mixup) {
    return std::make_unique<Mixup>(settings, data.loss, model);
  }
  return std::make_unique<Adversarial>(settings, data, model, seed, device);
}

}  // namespace pair::train
