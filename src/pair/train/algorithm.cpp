#include "pair/train/algorithm.h"

#include "pair/train/adversary.h"
#include "pair/train/mixup.h"

namespace pair::train {

std::unique_ptr<Algorithm> make_algorithm(const Settings& settings, const data::EnvironmentSet& data,
                                          const std::shared_ptr<models::Model>& model, std::uint64_t seed,
                                          torch::Device device) {
  if (weighs_objectives(settings.scheme)) {
    return nullptr;
  }
  if (settings.scheme == Scheme::mixup) {
    return std::make_unique<Mixup>(settings, data.loss, model);
  }
  return std::make_unique<Adversarial>(settings, data, model, seed, device);
}

}  // namespace pair::train
