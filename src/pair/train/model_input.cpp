#include "pair/train/model_input.h"

#include <algorithm>
#include <functional>
#include <numeric>

namespace pair::train {
namespace {

// A number above all token ids; 0 for data whose inputs are numbers. Texts are resident.
std::int64_t tokens_of(const data::EnvironmentSet& data) {
  std::int64_t tokens = 0;
  for (const auto* environments : {&data.train, &data.held_out}) {
    for (const data::Environment& environment : *environments) {
      const torch::Tensor& ids = environment.inputs;
      if (!data.streamed() && (ids.scalar_type() == torch::kInt || ids.scalar_type() == torch::kLong)) {
        const std::int64_t largest = ids.numel() > 0 ? ids.max().item<std::int64_t>() : 0;
        tokens = std::max({tokens, largest + 1, std::int64_t{1}});
      }
    }
  }
  return tokens;
}

}  // namespace

models::ModelInput model_input(const data::EnvironmentSet& data) {
  const std::vector<std::int64_t> shape = data::input_shape(data);
  return {.size = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>()),
          .shape = shape,
          .outputs = data.outputs,
          .tokens = tokens_of(data)};
}

}  // namespace pair::train
