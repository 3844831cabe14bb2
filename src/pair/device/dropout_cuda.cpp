#include <cmath>

#include "pair/device/dropout.cuh"
#include "pair/device/dropout.h"
#include "pair/device/launch.h"

namespace pair::device {
namespace {

cuda::Mask launch_mask(const DropoutMask& mask, const torch::Tensor& numbers) {
  TORCH_CHECK(
      !mask.places.defined() || (mask.places.is_cuda() && mask.places.scalar_type() == torch::kLong &&
                                 mask.places.is_contiguous() && mask.places.numel() == numbers.size(0)),
      "places: expected one int64 per row, on the device");
  constexpr int bits_of_four = 16;
  constexpr int bits_of_one = 31;
  const std::int64_t per_row = numbers.numel() / numbers.size(0);
  const bool four = numbers.dim() > 2;
  const auto least =
      static_cast<std::int64_t>(std::ceil(std::ldexp(mask.share, four ? bits_of_four : bits_of_one)));
  return {mask.key.data_ptr<std::int64_t>(),
          mask.offset,
          pointer_to<std::int64_t>(mask.places),
          four ? (per_row + 3) / 4 : per_row,
          four,
          four ? least - (1 << (bits_of_four - 1)) : least,
          static_cast<float>(1.0 / (1.0 - mask.share))};
}

cuda::Weights shape_of(const torch::Tensor& weights) {
  return {weights.size(0), static_cast<int>(weights.size(1) * weights.size(2)),
          static_cast<int>(weights.size(3))};
}

}  // namespace

bool takes_dropout(const torch::Tensor& numbers) {
  return numbers.is_cuda() && is_kernels_type(numbers.scalar_type());
}

bool takes_attention_weights(const torch::Tensor& scores) {
  constexpr std::int64_t most_columns = 1024;
  constexpr std::int64_t most_rows = 65'535 * 8;  // blocks of a grid, by rows per block
  return takes_dropout(scores) && scores.dim() == 4 && scores.size(3) <= most_columns &&
         scores.size(1) * scores.size(2) <= most_rows;
}

torch::Tensor dropped(const torch::Tensor& numbers, const DropoutMask& mask) {
  const torch::Tensor from = aligned(numbers.contiguous());
  torch::Tensor to = torch::empty_like(from);
  with_kernels_type(from.scalar_type(), [&]<class Number>(Number* /*type*/) {
    cuda::drop(pointer_to<Number>(from), pointer_to<Number>(to), from.size(0), from.numel() / from.size(0),
               launch_mask(mask, from), stream_of(from));
  });
  return to;
}

AttentionWeights attention_weights(const torch::Tensor& scores, const torch::Tensor& bias,
                                   const DropoutMask& mask) {
  TORCH_CHECK(bias.numel() == scores.size(0) * scores.size(3), "bias: expected [n, 1, 1, s]");
  const torch::Tensor from = aligned(scores.contiguous());
  const torch::Tensor added = aligned(bias.to(torch::kFloat).contiguous());
  AttentionWeights result{torch::empty_like(from), torch::empty_like(from)};
  with_kernels_type(from.scalar_type(), [&]<class Number>(Number* /*type*/) {
    cuda::attention_weights(shape_of(from), pointer_to<Number>(from), added.data_ptr<float>(),
                            launch_mask(mask, from), pointer_to<Number>(result.weights),
                            pointer_to<Number>(result.dropped), stream_of(from));
  });
  return result;
}

torch::Tensor attention_weights_backward(const torch::Tensor& gradient, const torch::Tensor& weights,
                                         const DropoutMask& mask) {
  const torch::Tensor from = aligned(gradient.contiguous());
  torch::Tensor result = torch::empty_like(weights);
  with_kernels_type(weights.scalar_type(), [&]<class Number>(Number* /*type*/) {
    cuda::attention_weights_backward(shape_of(weights), pointer_to<Number>(from), pointer_to<Number>(weights),
                                     launch_mask(mask, weights), pointer_to<Number>(result),
                                     stream_of(weights));
  });
  return result;
}

}  // namespace pair::device
