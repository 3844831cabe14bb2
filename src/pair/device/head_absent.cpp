#include <stdexcept>

#include "pair/device/head.h"

namespace pair::device {

bool takes_head(const torch::Tensor& /*weight*/, std::int64_t /*environments*/, std::int64_t /*samples*/,
                std::span<const MomentFunction> /*objectives*/) {
  return false;
}
AtHead at_head(const Head& /*head*/, std::span<const MomentFunction> /*objectives*/,
               const torch::Tensor& /*also*/, const MomentAverages* /*averages*/) {
  throw std::logic_error("this build has no CUDA kernels; check takes_head first");
}
HeadGradient back_from_head(const AtHead& /*at*/, const torch::Tensor& /*weights*/,
                            FeatureGradient /*wanted*/) {
  throw std::logic_error("this build has no CUDA kernels; check takes_head first");
}

}  // namespace pair::device
