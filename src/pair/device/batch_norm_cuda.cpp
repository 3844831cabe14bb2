#include "pair/device/batch_norm.cuh"
#include "pair/device/batch_norm.h"
#include "pair/device/launch.h"

namespace pair::device {
namespace {

cuda::BatchNormLaunch launch_of(const torch::Tensor& x, const BatchNorm& norm, const torch::Tensor& partials,
                                const torch::Tensor& statistics) {
  return {x.numel() / x.size(1),        static_cast<int>(x.size(1)), static_cast<float>(norm.epsilon),
          norm.gamma.data_ptr<float>(), norm.beta.data_ptr<float>(), partials.data_ptr<float>(),
          statistics.data_ptr<float>()};
}

BatchNorm aligned(const BatchNorm& norm) {
  return {device::aligned(norm.gamma), device::aligned(norm.beta), norm.epsilon};
}

torch::Tensor workspace(const torch::Tensor& x, const BatchNorm& norm) {
  return torch::empty({cuda::most_partials, 2, x.size(1)}, norm.gamma.options());
}

}  // namespace

bool takes_batch_norm(const torch::Tensor& images) {
  return images.is_cuda() && images.dim() == 4 && is_kernels_type(images.scalar_type()) &&
         images.size(1) % 4 == 0 && images.numel() > images.size(1) &&
         images.is_contiguous(at::MemoryFormat::ChannelsLast);
}

BatchNormed batch_norm_relu(const torch::Tensor& x, const BatchNorm& norm, const torch::Tensor& residual,
                            torch::Tensor running_mean, torch::Tensor running_variance, double momentum) {
  const torch::Tensor images = device::aligned(channels_last(x));
  const torch::Tensor added = residual.defined() ? device::aligned(channels_last(residual)) : residual;
  const BatchNorm ready = aligned(norm);
  BatchNormed made;
  made.result = torch::empty_like(images);
  made.statistics = torch::empty({2, x.size(1)}, norm.gamma.options());
  const torch::Tensor partials = workspace(x, norm);
  with_kernels_type(x.scalar_type(), [&]<class Number>(Number* /*type*/) {
    cuda::batch_norm_relu<Number>(
        launch_of(images, ready, partials, made.statistics), pointer_to<Number>(images),
        pointer_to<Number>(added), pointer_to<Number>(made.result), pointer_to<float>(running_mean),
        pointer_to<float>(running_variance), static_cast<float>(momentum), stream_of(images));
  });
  return made;
}

BatchNormGradients batch_norm_relu_backward(const torch::Tensor& gradient, const torch::Tensor& x,
                                            const BatchNorm& norm, const torch::Tensor& statistics,
                                            const torch::Tensor& result) {
  const torch::Tensor images = device::aligned(channels_last(x));
  const torch::Tensor slopes = device::aligned(channels_last(gradient));
  const BatchNorm ready = aligned(norm);
  BatchNormGradients made;
  made.x = torch::empty_like(images);
  made.gamma = torch::empty_like(norm.gamma);
  made.beta = torch::empty_like(norm.beta);
  if (result.defined()) {
    made.residual = torch::empty_like(images);
  }
  const torch::Tensor partials = workspace(x, norm);
  const torch::Tensor means = torch::empty_like(statistics);
  with_kernels_type(x.scalar_type(), [&]<class Number>(Number* /*type*/) {
    cuda::batch_norm_relu_backward<Number>(
        launch_of(images, ready, partials, statistics), pointer_to<Number>(slopes),
        pointer_to<Number>(images), pointer_to<Number>(result), pointer_to<Number>(made.x),
        pointer_to<Number>(made.residual), made.gamma.data_ptr<float>(), made.beta.data_ptr<float>(),
        means.data_ptr<float>(), stream_of(images));
  });
  return made;
}

}  // namespace pair::device
