#include "pair/models/model.h"

#include <sstream>
#include <stdexcept>

namespace pair::models {
std::vector<torch::Tensor> Model::featurizer_parameters() const {
  std::vector<torch::Tensor> all = parameters(/*recurse=*/false);
  for (const auto& child : named_children()) {
    if (child.value().get() != head.get()) {
      const std::vector<torch::Tensor> some = child.value()->parameters();
      all.insert(all.end(), some.begin(), some.end());
    }
  }
  return all;
}

torch::Tensor flatten_inputs(const torch::Tensor& inputs, std::int64_t input_size) {
  if (inputs.dim() < 1 || inputs.numel() != inputs.size(0) * input_size) {
    std::ostringstream message;
    message << "inputs: expected shape [n, ...] with " << input_size << " numbers per input, got "
            << inputs.sizes();
    throw std::invalid_argument(message.str());
  }
  return inputs.reshape({inputs.size(0), input_size});
}

}  // namespace pair::models
