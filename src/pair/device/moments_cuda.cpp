#include <c10/cuda/CUDAException.h>

#include "pair/device/moments.cuh"
#include "pair/device/moments.h"
#include "pair/device/stream.h"

namespace pair::device {
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

}  // namespace pair::device
