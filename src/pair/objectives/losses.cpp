#include "pair/objectives/losses.h"

#include <algorithm>
#include <stdexcept>
#include <string>

namespace pair::objectives {

torch::Tensor per_sample_loss(data::TaskLoss loss, const torch::Tensor& logits, const torch::Tensor& labels) {
  switch (loss) {
    case data::TaskLoss::binary_cross_entropy:
      return torch::binary_cross_entropy_with_logits(logits.select(1, 0), labels, {}, {},
                                                     at::Reduction::None);
    case data::TaskLoss::cross_entropy:
      return torch::cross_entropy_loss(logits, labels, {}, at::Reduction::None);
    case data::TaskLoss::squared_error:
      return (logits.select(1, 0) - labels).square();
  }
  throw std::logic_error("a task loss without a definition");
}

torch::Tensor logit_gradient(data::TaskLoss loss, const torch::Tensor& logits, const torch::Tensor& labels) {
  const torch::Tensor column = labels.unsqueeze(1);
  switch (loss) {
    case data::TaskLoss::binary_cross_entropy:
      return torch::sigmoid(logits) - column;
    case data::TaskLoss::cross_entropy:
      // one_hot would wait for the device to check the range of the labels.
      return torch::softmax(logits, 1).scatter_add(1, column, torch::full_like(column, -1, logits.options()));
    case data::TaskLoss::squared_error:
      return 2 * (logits - column);
  }
  throw std::logic_error("a task loss without a definition");
}

torch::Tensor scale_derivative_gradient(data::TaskLoss loss, const torch::Tensor& logits,
                                        const torch::Tensor& labels) {
  const torch::Tensor slopes = logit_gradient(loss, logits, labels);
  switch (loss) {
    case data::TaskLoss::binary_cross_entropy: {
      const torch::Tensor p = torch::sigmoid(logits);
      return slopes + p * (1 - p) * logits;
    }
    case data::TaskLoss::cross_entropy: {
      const torch::Tensor p = torch::softmax(logits, 1);
      return slopes + p * (logits - (p * logits).sum(1, /*keepdim=*/true));
    }
    case data::TaskLoss::squared_error:
      return slopes + 2 * logits;
  }
  throw std::logic_error("a task loss without a definition");
}

bool equal_sizes(const std::vector<std::int64_t>& sizes) {
  return std::all_of(sizes.begin(), sizes.end(), [&](std::int64_t size) { return size == sizes.front(); });
}

torch::Tensor environment_means(const torch::Tensor& rows, const std::vector<std::int64_t>& sizes) {
  if (equal_sizes(sizes)) {
    std::vector<std::int64_t> shape = rows.sizes().vec();
    shape.front() = sizes.front();
    shape.insert(shape.begin(), static_cast<std::int64_t>(sizes.size()));
    return rows.reshape(shape).mean(1, /*keepdim=*/false, torch::kDouble);
  }
  std::vector<torch::Tensor> means;
  means.reserve(sizes.size());
  for (const torch::Tensor& part : rows.split_with_sizes(sizes)) {
    means.push_back(part.mean(0, /*keepdim=*/false, torch::kDouble));
  }
  return torch::stack(means);
}

torch::Tensor risks_of(data::TaskLoss loss, const torch::Tensor& logits, const torch::Tensor& labels,
                       const std::vector<std::int64_t>& sizes) {
  return environment_means(per_sample_loss(loss, logits, labels), sizes);
}

torch::Tensor zero_of(const torch::Tensor& numbers) {
  return numbers.sum() * 0;
}

void require_samples(std::string_view objective, const std::vector<std::int64_t>& sizes,
                     std::int64_t fewest) {
  const auto smallest = std::min_element(sizes.begin(), sizes.end());
  if (*smallest < fewest) {
    throw std::invalid_argument(std::string(objective) + ": expected at least " + std::to_string(fewest) +
                                " samples per environment; environment " +
                                std::to_string(smallest - sizes.begin()) + " of the batch has " +
                                std::to_string(*smallest));
  }
}

}  // namespace pair::objectives
