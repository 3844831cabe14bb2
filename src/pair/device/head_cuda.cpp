#include <algorithm>
#include <cstdint>

#include "pair/device/head.cuh"
#include "pair/device/head.h"
#include "pair/device/kernels.h"
#include "pair/device/launch.h"

namespace pair::device {
namespace {

using Kind = MomentFunction::Kind;

bool has_any(std::span<const MomentFunction> objectives, Kind kind) {
  return std::any_of(objectives.begin(), objectives.end(),
                     [&](const MomentFunction& objective) { return objective.kind == kind; });
}

// For contiguous tensors, which must outlive it.
cuda::Head launch_of(const Head& head, int parts) {
  cuda::Head launch{};
  launch.loss = head.loss;
  launch.rows = head.features.size(0);
  launch.width = static_cast<int>(head.features.size(1));
  launch.outputs = static_cast<int>(head.weight.size(0));
  launch.environments = static_cast<int>(head.environments);
  launch.features = head.features.data_ptr<float>();
  launch.weight = head.weight.data_ptr<float>();
  launch.bias = head.bias.data_ptr<float>();
  if (head.loss == Loss::cross_entropy) {
    launch.classes = head.labels.data_ptr<std::int64_t>();
  } else {
    launch.labels = head.labels.data_ptr<float>();
  }
  launch.parts = parts;
  launch.numbers = launch.outputs * (launch.width + 1);
  launch.blocks = cuda::head_blocks(launch.rows, launch.environments);
  return launch;
}

}  // namespace

bool takes_head(const torch::Tensor& weight, std::int64_t environments, std::int64_t samples,
                std::span<const MomentFunction> objectives) {
  if (has_any(objectives, Kind::mean_product_of_halves) &&
      (has_any(objectives, Kind::mean_squared_derivative) || samples < 2 ||
       !cuda::takes_halves(weight.size(0)))) {
    return false;
  }
  constexpr std::uintptr_t alignment = 16;  // kernels read four numbers at a time
  return has_kernels(weight) && weight.is_contiguous() &&
         reinterpret_cast<std::uintptr_t>(weight.data_ptr()) % alignment == 0 &&
         cuda::takes_head(weight.size(1), weight.size(0)) && environments >= 1 &&
         environments <= cuda::head_environments && !objectives.empty() &&
         objectives.size() <= cuda::head_objectives;
}

AtHead at_head(const Head& head, std::span<const MomentFunction> objectives, const torch::Tensor& also,
               const MomentAverages* averages) {
  AtHead at;
  at.head = head;
  at.head.features = head.features.contiguous();
  at.head.labels = head.labels.contiguous();
  const std::int64_t rows = head.features.size(0);
  TORCH_CHECK(head.environments >= 1 && rows >= head.environments && rows % head.environments == 0 &&
                  takes_head(head.weight, head.environments, rows / head.environments, objectives) &&
                  (head.loss == Loss::cross_entropy || head.weight.size(0) == 1) && head.bias.defined() &&
                  head.labels.numel() == rows,
              "takes_head is false for features of shape ", head.features.sizes(), " with ",
              head.labels.numel(), " labels for ", head.environments, " environments and ", objectives.size(),
              " objectives");
  const int parts = has_any(objectives, Kind::mean_product_of_halves) ? 3 : 2;
  const cuda::Head launch = launch_of(at.head, parts);
  const auto m = static_cast<std::int64_t>(objectives.size());
  const torch::TensorOptions floats = at.head.features.options();
  const torch::TensorOptions doubles = floats.dtype(torch::kDouble);
  const std::int64_t blocks = launch.environments * launch.blocks;
  const torch::Tensor partials = torch::empty({blocks * parts * launch.numbers}, floats);
  const torch::Tensor moment_partials = torch::empty({blocks * parts}, doubles);
  const torch::Tensor sums = torch::empty({parts * launch.environments * launch.numbers}, doubles);
  at.logits = torch::empty({launch.rows, launch.outputs}, floats);
  at.by_moments = torch::empty({m, parts * launch.environments}, doubles);
  at.by_head = torch::empty({m, launch.numbers}, floats);
  TORCH_CHECK(!also.defined() || (also.is_cuda() && also.is_contiguous()),
              "expected `also` to be contiguous on the device");
  const std::int64_t also_count = also.defined() ? also.numel() : 0;
  at.readings = torch::empty({m + m * m + also_count}, doubles);

  cuda::Objectives all{};
  std::copy(objectives.begin(), objectives.end(), all.all);
  all.count = static_cast<int>(m);
  cuda::HeadWork work{};
  work.partials = partials.data_ptr<float>();
  work.moment_partials = moment_partials.data_ptr<double>();
  work.sums = sums.data_ptr<double>();
  work.logits = at.logits.data_ptr<float>();
  work.by_moments = at.by_moments.data_ptr<double>();
  work.by_head = at.by_head.data_ptr<float>();
  work.readings = at.readings.data_ptr<double>();
  work.also = also.defined() ? also.data_ptr<double>() : nullptr;
  work.also_count = static_cast<int>(also_count);
  if (averages != nullptr) {
    TORCH_CHECK(parts == 2, "averages of derivatives of halves are not supported");
    const auto fits = [&](const torch::Tensor& state, std::int64_t numbers) {
      return state.is_cuda() && state.is_contiguous() && state.numel() == numbers;
    };
    TORCH_CHECK(fits(averages->steps, 1) && fits(averages->averages, 2 * head.environments) &&
                    fits(averages->squares, 2 * head.environments),
                "expected the averages of ", head.environments, " environments, contiguous on the device");
    work.averages = {averages->steps.data_ptr<double>(), averages->averages.data_ptr<double>(),
                     averages->squares.data_ptr<double>(), averages->window, averages->squares_window};
  }
  const cudaStream_t stream = stream_of(at.logits);
  cuda::moments_at_head(launch, work, stream);
  cuda::objectives_at_head(launch, all, work, stream);
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return at;
}

HeadGradient back_from_head(const AtHead& at, const torch::Tensor& weights, FeatureGradient wanted) {
  const auto parts = static_cast<int>(at.by_moments.size(1) / at.head.environments);
  const cuda::Head launch = launch_of(at.head, parts);
  TORCH_CHECK(weights.is_cuda() && weights.is_contiguous() && weights.numel() == at.by_head.size(0),
              "expected the weights of ", at.by_head.size(0), " objectives, contiguous on the device, ",
              "got ", weights.numel());
  const torch::TensorOptions floats = at.logits.options();
  HeadGradient result;
  result.head = torch::empty({launch.numbers}, floats);
  torch::Tensor partials;
  cuda::HeadBack back{};
  back.logits = at.logits.data_ptr<float>();
  back.by_moments = at.by_moments.data_ptr<double>();
  back.by_head = at.by_head.data_ptr<float>();
  back.weights = weights.data_ptr<double>();
  back.objectives = static_cast<int>(at.by_head.size(0));
  back.at_head = result.head.data_ptr<float>();
  if (wanted != FeatureGradient::none) {
    result.features = torch::empty_like(at.head.features);
    back.gradient = result.features.data_ptr<float>();
  }
  if (wanted == FeatureGradient::rectified) {
    partials = torch::empty({cuda::head_back_blocks(launch), launch.width}, floats);
    back.partials = partials.data_ptr<float>();
  }
  cuda::head_back(launch, back, stream_of(at.logits));
  if (wanted == FeatureGradient::rectified) {
    result.sums = column_sums(partials);
  }
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return result;
}

}  // namespace pair::device
