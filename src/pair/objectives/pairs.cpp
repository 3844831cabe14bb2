#include "pair/objectives/pairs.h"

#include "pair/objectives/losses.h"

namespace pair::objectives {

torch::Tensor mean_over_pairs(
    const HeadView& view,
    const std::function<torch::Tensor(const torch::Tensor&, const torch::Tensor&)>& distance) {
  if (view.environments() < 2) {
    return zero_of(view.features);
  }
  const std::vector<torch::Tensor> features = view.split(view.features);
  std::vector<torch::Tensor> distances;
  for (std::size_t i = 0; i < features.size(); ++i) {
    for (std::size_t j = i + 1; j < features.size(); ++j) {
      distances.push_back(distance(features[i], features[j]));
    }
  }
  return torch::stack(distances).mean();
}

}  // namespace pair::objectives
