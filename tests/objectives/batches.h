#pragma once

#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "pair/data/random.h"
#include "pair/objectives/objective.h"

// Small random batches in double precision, for tests.

namespace pair::objectives::testing {

struct Batch {
  torch::Tensor features;
  torch::Tensor logits;
  torch::Tensor labels;
  std::vector<std::int64_t> sizes;
  data::TaskLoss loss;

  [[nodiscard]] HeadView view() const { return view_of(features, logits, labels, sizes, loss); }
  // The same environments in another order of rows.
  [[nodiscard]] Batch rows(const torch::Tensor& order, std::vector<std::int64_t> new_sizes) const {
    return {features.index_select(0, order), logits.index_select(0, order), labels.index_select(0, order),
            std::move(new_sizes), loss};
  }
};

inline torch::Tensor normal(std::int64_t rows, std::int64_t columns, data::Random& random) {
  torch::Tensor values = torch::empty({rows, columns}, torch::kFloat64);
  for (std::int64_t i = 0; i < values.numel(); ++i) {
    values.data_ptr<double>()[i] = random.normal();
  }
  return values;
}

inline torch::Tensor labels_of(data::TaskLoss loss, std::int64_t n, std::int64_t classes,
                               data::Random& random) {
  if (loss == data::TaskLoss::squared_error) {
    return normal(n, 1, random).select(1, 0).contiguous();
  }
  torch::Tensor labels = torch::empty({n}, torch::kInt64);
  const std::uint64_t bound = loss == data::TaskLoss::cross_entropy ? static_cast<std::uint64_t>(classes) : 2;
  for (std::int64_t i = 0; i < n; ++i) {
    labels.data_ptr<std::int64_t>()[i] = static_cast<std::int64_t>(random.below(bound));
  }
  return loss == data::TaskLoss::cross_entropy ? labels : labels.to(torch::kFloat64);
}

// Three features, and three logits for classes.
inline Batch random_batch(data::TaskLoss loss, std::vector<std::int64_t> sizes, std::uint64_t seed = 1) {
  data::Random random(seed, "batch");
  std::int64_t n = 0;
  for (const std::int64_t size : sizes) {
    n += size;
  }
  const std::int64_t outputs = loss == data::TaskLoss::cross_entropy ? 3 : 1;
  torch::Tensor features = normal(n, 3, random);
  torch::Tensor logits = 1.5 * normal(n, outputs, random);
  torch::Tensor labels = labels_of(loss, n, outputs, random);
  return {std::move(features), std::move(logits), std::move(labels), std::move(sizes), loss};
}

}  // namespace pair::objectives::testing
