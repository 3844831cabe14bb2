#include "pair/train/shared_cut.h"

#include <torch/utils.h>

#include <algorithm>
#include <utility>

namespace pair::train {
namespace {

SharedCut::Level level_of(std::span<const std::unique_ptr<objectives::Objective>> objectives) {
  SharedCut::Level level = SharedCut::Level::moments;
  for (const auto& objective : objectives) {
    if (objective->of_moments()) {
      continue;
    }
    if (!objective->moment_function()) {
      return SharedCut::Level::features;
    }
    level = SharedCut::Level::logits;  // moments of halves of the batch
  }
  return level;
}

// This rank's part of each environment, [environments] doubles.
torch::Tensor fractions_of(const Batch& batch, torch::Device device) {
  std::vector<double> fractions;
  for (std::size_t e = 0; e < batch.sizes.size(); ++e) {
    fractions.push_back(static_cast<double>(batch.sizes[e]) / static_cast<double>(batch.whole[e]));
  }
  return torch::tensor(fractions, torch::kDouble).to(device);
}

}  // namespace

SharedCut::SharedCut(Ranks ranks, std::span<const std::unique_ptr<objectives::Objective>> objectives)
    : ranks_(std::move(ranks)), level_(level_of(objectives)) {}

void SharedCut::settle_order(const Batch& batch) {
  if (whole_ == batch.whole) {
    return;
  }
  whole_ = batch.whole;
  std::vector<std::int64_t> rows_of_ranks;
  for (std::int64_t r = 0; r < ranks_.size(); ++r) {
    std::int64_t rows = 0;
    for (const std::int64_t size : whole_) {
      rows += data::Share{r, ranks_.size()}.count(size);
    }
    rows_of_ranks.push_back(rows);
  }
  most_ = *std::max_element(rows_of_ranks.begin(), rows_of_ranks.end());
  std::vector<std::int64_t> order;
  std::vector<std::int64_t> own;
  std::vector<std::int64_t> taken(rows_of_ranks.size(), 0);
  for (const std::int64_t size : whole_) {
    for (std::int64_t r = 0; r < ranks_.size(); ++r) {
      std::int64_t& next = taken[static_cast<std::size_t>(r)];
      for (std::int64_t i = 0; i < data::Share{r, ranks_.size()}.count(size); ++i) {
        if (r == ranks_.rank()) {
          own.push_back(static_cast<std::int64_t>(order.size()));
        }
        order.push_back(r * most_ + next++);
      }
    }
  }
  order_ = torch::tensor(order, torch::kLong).to(batch.labels.device());
  own_ = torch::tensor(own, torch::kLong).to(batch.labels.device());
}

torch::Tensor SharedCut::all_rows(const torch::Tensor& own) const {
  std::vector<std::int64_t> shape = own.sizes().vec();
  shape[0] = most_;
  torch::Tensor filled = torch::zeros(shape, own.options().requires_grad(false));
  filled.narrow(0, 0, own.size(0)).copy_(own);
  return ranks_.gathered(filled).flatten(0, 1).index_select(0, order_);
}

SharedCut::Seen SharedCut::seen(const torch::Tensor& features, const torch::Tensor& logits,
                                const Batch& batch) {
  if (!several() || level_ == Level::moments) {
    return {features, logits, batch.labels, batch.sizes};
  }
  const torch::NoGradGuard no_graph;
  settle_order(batch);
  // Objectives of logits alone do not read the features, which are too many to exchange for nothing.
  return {
      level_ == Level::features ? all_rows(features) : torch::zeros({order_.size(0), 0}, features.options()),
      all_rows(logits), all_rows(batch.labels), batch.whole};
}

Moments SharedCut::moments(const Moments& seen, const Batch& batch) const {
  if (!several()) {
    return seen;
  }
  const torch::NoGradGuard no_graph;
  if (level_ != Level::moments) {
    (void)ranks_.sum_and_wishes(torch::zeros({0}, torch::kDouble));
    return seen;
  }
  const bool both = seen.derivatives.defined();
  const torch::Tensor own = both ? torch::stack({seen.risks, seen.derivatives}) : seen.risks.unsqueeze(0);
  const torch::Tensor whole = ranks_.sum_and_wishes(own * fractions_of(batch, own.device()));
  return {whole[0], both ? whole[1] : torch::Tensor()};
}

torch::Tensor SharedCut::for_seen(const torch::Tensor& by_moments, const Batch& batch) const {
  if (!several() || level_ != Level::moments || !by_moments.defined()) {
    return by_moments;
  }
  const torch::NoGradGuard no_graph;
  return by_moments * fractions_of(batch, by_moments.device());
}

torch::Tensor SharedCut::own_rows(const torch::Tensor& seen, std::int64_t dim) {
  if (!several() || level_ == Level::moments || !seen.defined()) {
    return seen;
  }
  const torch::NoGradGuard no_graph;
  return seen.index_select(dim, own_);
}

torch::Tensor SharedCut::once(const torch::Tensor& shared) const {
  return !several() || ranks_.rank() == 0 ? shared : torch::zeros_like(shared);
}

}  // namespace pair::train
