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

}  // namespace pair::train
