#pragma once

#include <torch/types.h>

namespace pair::models {

// The mean of each channel over the image, [n, c, h, w] to [n, c]; in fp32 for images in bfloat16.
inline torch::Tensor mean_over_image(const torch::Tensor& images) {
  const torch::ScalarType type =
      images.scalar_type() == torch::kBFloat16 ? torch::kFloat : images.scalar_type();
  return images.mean({2, 3}, /*keepdim=*/false, type);
}

}  // namespace pair::models
