#include <stdexcept>

#include "pair/device/head.h"

namespace pair::device {

bool takes_head(const torch::Tensor& /*weight*/, std::int64_t /*environments*/, std::int64_t /*samples*/,
                std::span<const MomentFunction> /*objectives*/) {
  return false;
}
AtHead at_head(const Head& /*head*/, std::span<const MomentFunction> /*objectives*/,
               const torch::Tensor& /*also*/) {
  throw std::logic_error("takes_head was not asked, or its answer not heard");
}
HeadGradient back_from_head(const AtHead& /*at*/, const torch::Tensor& /*weights*/,
                            FeatureGradient /*wanted*/) {
  throw std::logic_error("takes_head was not asked, or its answer not heard");
}

}  // namespace pair::device
