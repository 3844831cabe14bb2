#include "pair/objectives/objective.h"

#include <algorithm>
#include <numeric>
#include <sstream>
#include <stdexcept>

#include "pair/objectives/losses.h"

namespace pair::objectives {
namespace {

template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  std::ostringstream message;
  (message << ... << parts);
  throw std::invalid_argument(message.str());
}

}  // namespace

torch::Tensor labels_for(const torch::Tensor& labels, std::int64_t n, std::int64_t k,
                         const std::vector<std::int64_t>& sizes, data::TaskLoss loss,
                         torch::ScalarType type) {
  if (labels.dim() != 1 || labels.size(0) != n) {
    refuse("labels: expected shape [", n, "], as there are ", n, " logits, got ", labels.sizes());
  }
  if (sizes.empty() || *std::min_element(sizes.begin(), sizes.end()) < 1 ||
      std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0}) != n) {
    refuse("sizes of environments: expected numbers of at least 1 that sum to ", n, ", got ",
           at::IntArrayRef(sizes));
  }
  if (loss == data::TaskLoss::cross_entropy) {
    if (labels.scalar_type() != torch::kInt64) {
      refuse("labels of classes: expected type ", torch::kInt64, ", got ", labels.scalar_type());
    }
    return labels;
  }
  if (k != 1) {
    refuse("logits: expected shape [n, 1] for the loss '", data::to_string(loss), "', got [", n, ", ", k,
           "]");
  }
  return labels.to(type);
}

HeadView view_of(torch::Tensor features, torch::Tensor logits, torch::Tensor labels,
                 std::vector<std::int64_t> sizes, data::TaskLoss loss, bool with_risks) {
  if (logits.dim() != 2) {
    refuse("logits: expected shape [n, k], got ", logits.sizes());
  }
  const std::int64_t n = logits.size(0);
  if (features.dim() != 2 || features.size(0) != n) {
    refuse("features: expected shape [", n, ", d], as there are ", n, " logits, got ", features.sizes());
  }
  labels = labels_for(labels, n, logits.size(1), sizes, loss, logits.scalar_type());
  torch::Tensor risks = with_risks ? risks_of(loss, logits, labels, sizes) : torch::Tensor();
  return {std::move(features),
          std::move(logits),
          std::move(labels),
          std::move(sizes),
          loss,
          std::move(risks),
          {},
          {}};
}

}  // namespace pair::objectives
