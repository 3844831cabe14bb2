#include <ATen/cuda/CUDAContext.h>
#include <c10/cuda/CUDAException.h>

#include <type_traits>
#include <vector>

#include "pair/device/kernels.cuh"
#include "pair/device/kernels.h"
#include "pair/device/launch.h"
#include "pair/device/stream.h"

namespace pair::device {
namespace {

cuda::Norm norm_of(const torch::Tensor& x, std::int64_t groups, double epsilon) {
  return {x.size(0), static_cast<int>(x.size(2) * x.size(3)), static_cast<int>(x.size(1)),
          static_cast<int>(groups), static_cast<float>(epsilon)};
}

// The sums over the rows of [n, ...].
torch::Tensor column_sums(const torch::Tensor& rows) {
  const torch::Tensor sums = torch::empty(rows.sizes().slice(1), rows.options());
  cuda::column_sums(rows.data_ptr<float>(), sums.data_ptr<float>(), rows.size(0),
                    static_cast<int>(sums.numel()), stream_of(rows));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return sums;
}

}  // namespace

bool has_kernels(const torch::Tensor& numbers) {
  return numbers.is_cuda() && numbers.scalar_type() == torch::kFloat;
}

bool takes_group_norm(std::int64_t channels, std::int64_t groups) {
  return channels % 32 == 0 && groups >= 1 && channels % (4 * groups) == 0 && 32 % (channels / groups) == 0;
}

void update(UpdateState& state, const torch::Tensor& gradient, const torch::Tensor& losses,
            const torch::Tensor& lr, double momentum, bool restart, std::int64_t patience) {
  static_assert(update_workspace == cuda::update_workspace);
  const torch::Tensor flat = gradient.contiguous();
  cuda::Update launch{};
  launch.parameters = state.parameters.data_ptr<float>();
  launch.last_good = state.last_good.data_ptr<float>();
  launch.first = state.first.data_ptr<float>();
  launch.second = state.second.defined() ? state.second.data_ptr<float>() : nullptr;
  launch.gradient = flat.data_ptr<float>();
  launch.count = flat.numel();
  launch.losses = losses.data_ptr<double>();
  launch.loss_count = static_cast<int>(losses.numel());
  launch.lr = lr.data_ptr<double>();
  launch.tally = state.tally.data_ptr<double>();
  launch.decays = state.decays.defined() ? state.decays.data_ptr<double>() : nullptr;
  launch.workspace = state.workspace.data_ptr<double>();
  launch.momentum = static_cast<float>(momentum);
  launch.restart = restart;
  launch.patience = static_cast<double>(patience);
  cuda::update(launch, stream_of(flat));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
}

ReluGradient relu_backward(const torch::Tensor& gradient, const torch::Tensor& output) {
  const torch::Tensor rows = gradient.contiguous();
  ReluGradient result;
  result.gradient = torch::empty_like(rows);
  const std::int64_t blocks = (rows.size(0) + cuda::relu_rows_per_block - 1) / cuda::relu_rows_per_block;
  const torch::Tensor partials = torch::empty({blocks, rows.size(1)}, rows.options());
  cuda::relu_backward(rows.data_ptr<float>(), output.contiguous().data_ptr<float>(),
                      result.gradient.data_ptr<float>(), partials.data_ptr<float>(), rows.size(0),
                      static_cast<int>(rows.size(1)), stream_of(rows));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  result.sum = column_sums(partials);
  return result;
}

torch::Tensor outer(const torch::Tensor& column, const torch::Tensor& row) {
  const torch::Tensor result = torch::empty({column.size(0), row.size(1)}, row.options());
  cuda::outer(column.contiguous().data_ptr<float>(), row.contiguous().data_ptr<float>(),
              result.data_ptr<float>(), column.size(0), static_cast<int>(row.size(1)), stream_of(row));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return result;
}

Normed relu_group_norm(const torch::Tensor& x, const torch::Tensor& bias, std::int64_t groups,
                       const torch::Tensor& gamma, const torch::Tensor& beta, double epsilon, bool pooled) {
  const torch::Tensor images = channels_last(x);
  Normed normed;
  normed.result = pooled ? torch::empty({x.size(0), x.size(1)}, bias.options()) : torch::empty_like(images);
  normed.statistics = torch::empty({x.size(0), groups, 2}, bias.options());
  const cuda::Norm norm = norm_of(images, groups, epsilon);
  const auto launch = [&](const auto* from, auto* to) {
    cuda::relu_group_norm(norm, from, bias.data_ptr<float>(), gamma.data_ptr<float>(), beta.data_ptr<float>(),
                          pooled ? nullptr : to, pooled ? normed.result.data_ptr<float>() : nullptr,
                          normed.statistics.data_ptr<float>(), stream_of(images));
  };
  if (images.scalar_type() == torch::kHalf) {
    launch(static_cast<const __half*>(images.data_ptr()), static_cast<__half*>(normed.result.data_ptr()));
  } else {
    launch(static_cast<const float*>(images.data_ptr()), static_cast<float*>(normed.result.data_ptr()));
  }
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return normed;
}

NormGradients relu_group_norm_backward(const torch::Tensor& gradient, const torch::Tensor& x,
                                       const torch::Tensor& bias, std::int64_t groups,
                                       const torch::Tensor& gamma, const torch::Tensor& statistics,
                                       bool pooled) {
  const torch::Tensor images = channels_last(x);
  const torch::Tensor dy = pooled ? gradient.contiguous() : channels_last(gradient);
  NormGradients result;
  result.x = torch::empty_like(images);
  const torch::Tensor sums = torch::empty({x.size(0), 3, x.size(1)}, bias.options());
  const auto launch = [&](const auto* from, auto* to) {
    using Number = std::remove_const_t<std::remove_pointer_t<decltype(from)>>;
    cuda::relu_group_norm_backward(
        norm_of(images, groups, 0.0), from, bias.data_ptr<float>(), gamma.data_ptr<float>(),
        statistics.data_ptr<float>(), pooled ? nullptr : static_cast<const Number*>(dy.data_ptr()),
        pooled ? dy.data_ptr<float>() : nullptr, to, sums.data_ptr<float>(), stream_of(images));
  };
  if (images.scalar_type() == torch::kHalf) {
    launch(static_cast<const __half*>(images.data_ptr()), static_cast<__half*>(result.x.data_ptr()));
  } else {
    launch(static_cast<const float*>(images.data_ptr()), static_cast<float*>(result.x.data_ptr()));
  }
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  const torch::Tensor all = column_sums(sums);
  result.gamma = all[0];
  result.beta = all[1];
  result.bias = all[2];
  return result;
}

torch::Tensor windows(const torch::Tensor& images, std::int64_t side, std::int64_t stride,
                      std::int64_t padding, std::int64_t columns) {
  TORCH_CHECK(columns % 4 == 0 && columns <= 256 && columns >= images.size(1) * side * side, "windows of ",
              images.size(1), " x ", side, " x ", side, " numbers do not fit into ", columns);
  const torch::Tensor dense = images.contiguous();
  const cuda::Windows shape{dense.size(0),
                            static_cast<int>(dense.size(1)),
                            static_cast<int>(dense.size(2)),
                            static_cast<int>(dense.size(3)),
                            static_cast<int>(side),
                            static_cast<int>(stride),
                            static_cast<int>(padding),
                            static_cast<int>(columns)};
  const torch::Tensor rows =
      torch::empty({shape.images * shape.down() * shape.across(), columns}, dense.options());
  if (dense.scalar_type() == torch::kHalf) {
    cuda::windows(shape, static_cast<const __half*>(dense.data_ptr()), static_cast<__half*>(rows.data_ptr()),
                  stream_of(dense));
  } else {
    cuda::windows(shape, dense.data_ptr<float>(), rows.data_ptr<float>(), stream_of(dense));
  }
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return rows;
}

bool takes_first_layer(const torch::Tensor& images, const torch::Tensor& weight, std::int64_t stride,
                       std::int64_t padding, std::int64_t groups) {
  return images.is_cuda() && images.scalar_type() == torch::kHalf && images.size(1) <= 2 &&
         weight.size(1) == images.size(1) && weight.scalar_type() == torch::kFloat &&
         weight.size(0) == cuda::FirstLayer::outputs && weight.size(2) == 3 && weight.size(3) == 3 &&
         stride == 1 && padding == 1 && groups == cuda::FirstLayer::groups &&
         (images.size(2) + 2) * (images.size(3) + 2) <= cuda::FirstLayer::most_places;
}

FirstLayer first_layer(const torch::Tensor& images, const torch::Tensor& weight, const torch::Tensor& bias,
                       const torch::Tensor& gamma, const torch::Tensor& beta, double epsilon,
                       bool for_the_way_back) {
  const torch::Tensor dense = images.contiguous();
  const torch::Tensor flat = weight.contiguous();
  FirstLayer layer;
  const auto empty = [&] {
    return torch::empty({dense.size(0), cuda::FirstLayer::outputs, dense.size(2), dense.size(3)},
                        dense.options(), at::MemoryFormat::ChannelsLast);
  };
  layer.result = empty();
  if (for_the_way_back) {
    layer.x = empty();
    layer.statistics = torch::empty({dense.size(0), cuda::FirstLayer::groups, 2}, bias.options());
  }
  const cuda::FirstLayer shape{dense.size(0),
                               static_cast<int>(dense.size(1)),
                               static_cast<int>(dense.size(2)),
                               static_cast<int>(dense.size(3)),
                               static_cast<float>(epsilon),
                               at::cuda::getCurrentDeviceProperties()->multiProcessorCount};
  cuda::first_layer(shape, static_cast<const __half*>(dense.data_ptr()), flat.data_ptr<float>(),
                    bias.data_ptr<float>(), gamma.data_ptr<float>(), beta.data_ptr<float>(),
                    for_the_way_back ? static_cast<__half*>(layer.x.data_ptr()) : nullptr,
                    static_cast<__half*>(layer.result.data_ptr()),
                    for_the_way_back ? layer.statistics.data_ptr<float>() : nullptr, stream_of(dense));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return layer;
}

namespace {

// The kernels for losses take labels of one of two types.
struct Samples {
  torch::Tensor logits;
  torch::Tensor labels;
  cuda::Risks risks;

  Samples(Loss loss, const torch::Tensor& given, const torch::Tensor& truth, std::int64_t environments)
      : logits(given.contiguous()),
        labels(truth.contiguous()),
        risks{loss, logits.size(0), static_cast<int>(logits.size(1)), static_cast<int>(environments)} {}

  [[nodiscard]] const float* numbers() const {
    return risks.loss == Loss::cross_entropy ? nullptr : labels.data_ptr<float>();
  }
  [[nodiscard]] const std::int64_t* classes() const {
    return risks.loss == Loss::cross_entropy ? labels.data_ptr<std::int64_t>() : nullptr;
  }
  [[nodiscard]] torch::TensorOptions doubles() const { return logits.options().dtype(torch::kDouble); }
};

}  // namespace

torch::Tensor moments(Loss loss, const torch::Tensor& logits, const torch::Tensor& labels,
                      std::int64_t environments) {
  const Samples samples(loss, logits, labels, environments);
  const torch::Tensor partials = torch::empty({2 * environments * cuda::risk_blocks}, samples.doubles());
  torch::Tensor result = torch::empty({2, environments}, samples.doubles());
  cuda::moments(samples.risks, samples.logits.data_ptr<float>(), samples.numbers(), samples.classes(),
                partials.data_ptr<double>(), result.data_ptr<double>(), stream_of(samples.logits));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return result;
}

torch::Tensor moment_slopes(Loss loss, const torch::Tensor& logits, const torch::Tensor& labels,
                            const torch::Tensor& by_risks, const torch::Tensor& by_derivatives) {
  const torch::Tensor& given = by_risks.defined() ? by_risks : by_derivatives;
  const Samples samples(loss, logits, labels, given.size(1));
  torch::Tensor result =
      torch::empty({given.size(0), logits.size(0), logits.size(1)}, samples.logits.options());
  const torch::Tensor first = by_risks.defined() ? by_risks.contiguous() : by_risks;
  const torch::Tensor second = by_derivatives.defined() ? by_derivatives.contiguous() : by_derivatives;
  cuda::moment_slopes(samples.risks, samples.logits.data_ptr<float>(), samples.numbers(), samples.classes(),
                      static_cast<int>(given.size(0)), first.defined() ? first.data_ptr<double>() : nullptr,
                      second.defined() ? second.data_ptr<double>() : nullptr, result.data_ptr<float>(),
                      stream_of(samples.logits));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return result;
}

Scaled scale_for_half(const torch::Tensor& numbers) {
  const torch::Tensor dense = numbers.contiguous();
  Scaled result;
  result.numbers = torch::empty_like(dense);
  result.factor = torch::empty({}, dense.options());
  cuda::scale_for_half(dense.data_ptr<float>(), dense.numel(), result.numbers.data_ptr<float>(),
                       result.factor.data_ptr<float>(), stream_of(dense));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return result;
}

torch::Tensor gathered(std::span<const Part> parts, torch::ScalarType type, const torch::Tensor& factor) {
  static_assert(most_parts == cuda::most_parts);
  TORCH_CHECK(parts.size() <= most_parts, "expected at most ", most_parts, " tensors, got ", parts.size());
  cuda::Parts all{};
  std::int64_t start = 0;
  for (const Part& part : parts) {
    const torch::ScalarType kind = part.numbers.scalar_type();
    TORCH_CHECK(part.numbers.is_contiguous() && (kind == torch::kFloat || kind == torch::kHalf),
                "expected contiguous tensors of 32 or 16 bits");
    TORCH_CHECK(!part.scaled || factor.defined(), "expected a factor for scaled tensors");
    all.all[all.count++] = {part.numbers.data_ptr(), part.numbers.numel(), start,
                            /*first_block=*/0,       kind == torch::kHalf, part.scaled};
    start += part.numbers.numel();
  }
  const torch::Tensor& first = parts.front().numbers;
  torch::Tensor result = torch::empty({start}, first.options().dtype(type));
  const float* const by = factor.defined() ? factor.data_ptr<float>() : nullptr;
  if (type == torch::kHalf) {
    cuda::gather(all, by, static_cast<__half*>(result.data_ptr()), stream_of(first));
  } else {
    cuda::gather(all, by, result.data_ptr<float>(), stream_of(first));
  }
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return result;
}

torch::Tensor rows_in_half(const torch::Tensor& numbers, const torch::Tensor& rows) {
  const torch::Tensor dense = numbers.contiguous();
  std::vector<std::int64_t> shape = dense.sizes().vec();
  shape.front() = rows.size(0);
  torch::Tensor result = torch::empty(shape, dense.options().dtype(torch::kHalf));
  cuda::rows_in_half(dense.data_ptr<float>(), dense.numel() / dense.size(0),
                     rows.contiguous().data_ptr<std::int64_t>(), rows.size(0),
                     static_cast<__half*>(result.data_ptr()), stream_of(dense));
  C10_CUDA_KERNEL_LAUNCH_CHECK();
  return result;
}

}  // namespace pair::device
