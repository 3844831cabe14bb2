#include "pair/data/environment.h"

#include "pair/device/recorder.h"

namespace pair::data {
namespace {

bool neighbours(const torch::Tensor& left, const torch::Tensor& right) {
  return left.is_contiguous() && right.is_contiguous() && left.dtype() == right.dtype() &&
         left.sizes().slice(1) == right.sizes().slice(1) && left.is_alias_of(right) &&
         left.storage_offset() + left.numel() == right.storage_offset();
}

using Part = torch::Tensor Environment::*;

void move_to(std::vector<Environment>& environments, Part part, torch::Device device) {
  if (environments.empty()) {
    return;
  }
  std::vector<torch::Tensor> tensors;
  std::vector<std::int64_t> sizes;
  for (const Environment& environment : environments) {
    tensors.push_back(environment.*part);
    sizes.push_back(tensors.back().size(0));
  }
  // As numbers: device memory suffices, and steps need not convert.
  const std::vector<torch::Tensor> moved = as_numbers(joined(tensors).to(device)).split_with_sizes(sizes);
  for (std::size_t i = 0; i < moved.size(); ++i) {
    environments[i].*part = moved[i];
  }
}

}  // namespace

torch::Tensor joined(const std::vector<torch::Tensor>& parts) {
  std::int64_t rows = parts.front().size(0);
  for (std::size_t i = 1; i < parts.size(); ++i) {
    if (!neighbours(parts[i - 1], parts[i])) {
      return torch::cat(parts);
    }
    rows += parts[i].size(0);
  }
  std::vector<std::int64_t> shape = parts.front().sizes().vec();
  shape.front() = rows;
  return parts.front().as_strided(shape, parts.front().strides(), parts.front().storage_offset());
}

std::vector<std::int64_t> input_shape(const EnvironmentSet& set) {
  const std::int64_t channels = set.loading.numbers > 0 ? set.loading.numbers : Image::channels;
  return set.streamed() ? std::vector<std::int64_t>{channels, set.loading.rows, set.loading.columns}
                        : set.train.front().inputs.sizes().slice(1).vec();
}

EnvironmentSet on_device(const EnvironmentSet& set, torch::Device device) {
  EnvironmentSet there = set;
  if (there.streamed()) {
    return there;
  }
  device::perform_apart(device, [&] {
    for (auto* environments : {&there.train, &there.held_out}) {
      for (const Part part : {&Environment::inputs, &Environment::labels}) {
        move_to(*environments, part, device);
      }
    }
  });
  return there;
}

}  // namespace pair::data
