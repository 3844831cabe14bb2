#include "pair/train/batch.h"

namespace pair::train {

torch::Tensor rows_of_share(const torch::Tensor& rows, const std::vector<std::int64_t>& sizes,
                            data::Share share) {
  std::vector<torch::Tensor> parts;
  std::int64_t start = 0;
  for (const std::int64_t size : sizes) {
    parts.push_back(rows.narrow(0, start + share.first(size), share.count(size)));
    start += size;
  }
  return torch::cat(parts);
}

Batch with_roles(const Batch& batch, std::int64_t count) {
  const auto environments = static_cast<std::int64_t>(batch.sizes.size());
  const std::int64_t size = batch.sizes.front();
  const auto part = [&](const torch::Tensor& rows, std::int64_t first, std::int64_t length) {
    std::vector<std::int64_t> shape = rows.sizes().vec();
    shape.insert(shape.begin() + 1, size);
    shape.front() = environments;
    return rows.view(shape).narrow(1, first, length).flatten(0, 1).contiguous();
  };
  Batch result = batch;
  result.inputs = part(batch.inputs, count, size - count);
  result.labels = part(batch.labels, count, size - count);
  result.sizes.assign(batch.sizes.size(), size - count);
  result.measuring = {part(batch.inputs, 0, count), part(batch.labels, 0, count),
                      std::vector<std::int64_t>(batch.sizes.size(), count)};
  return result;
}

}  // namespace pair::train
