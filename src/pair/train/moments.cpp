#include "pair/train/moments.h"

#include <torch/utils.h>

#include "pair/device/kernels.h"
#include "pair/device/moments.h"
#include "pair/objectives/losses.h"
#include "pair/train/kernel_loss.h"

namespace pair::train {
namespace {

bool by_kernel(const torch::Tensor& logits, const std::vector<std::int64_t>& sizes) {
  return device::has_kernels(logits) && objectives::equal_sizes(sizes);
}

// The gradients of the samples [n, k], each weighted by its environment's derivative, [m, environments], over
// the number of samples: [m, n, k].
torch::Tensor shared_out(const torch::Tensor& by_means, const torch::Tensor& gradients,
                         const std::vector<std::int64_t>& sizes) {
  const std::int64_t m = by_means.size(0);
  const std::int64_t outputs = gradients.size(1);
  if (objectives::equal_sizes(sizes)) {
    const auto environments = static_cast<std::int64_t>(sizes.size());
    const torch::Tensor shares = (by_means / static_cast<double>(sizes.front())).to(gradients.scalar_type());
    return (shares.view({m, environments, 1, 1}) *
            gradients.reshape({1, environments, sizes.front(), outputs}))
        .reshape({m, -1, outputs});
  }
  std::vector<torch::Tensor> parts;
  const std::vector<torch::Tensor> split = gradients.split_with_sizes(sizes);
  for (std::size_t e = 0; e < split.size(); ++e) {
    const torch::Tensor shares =
        (by_means.select(1, static_cast<std::int64_t>(e)) / static_cast<double>(sizes[e]))
            .to(gradients.scalar_type());
    parts.push_back(shares.view({m, 1, 1}) * split[e].unsqueeze(0));
  }
  return torch::cat(parts, 1);
}

}  // namespace

Moments moments_of(data::TaskLoss loss, const torch::Tensor& logits, const torch::Tensor& labels,
                   const std::vector<std::int64_t>& sizes, bool derivatives) {
  const torch::NoGradGuard no_graph;
  if (by_kernel(logits, sizes)) {
    const torch::Tensor both =
        device::moments(kernel_loss(loss), logits, labels, static_cast<std::int64_t>(sizes.size()));
    return {both[0], derivatives ? both[1] : torch::Tensor()};
  }
  Moments moments;
  moments.risks = objectives::risks_of(loss, logits, labels, sizes);
  if (derivatives) {
    const torch::Tensor samples = objectives::logit_gradient(loss, logits, labels) * logits;
    moments.derivatives = objectives::environment_means(samples, sizes).sum(1);
  }
  return moments;
}

torch::Tensor through_moments(data::TaskLoss loss, const torch::Tensor& logits, const torch::Tensor& labels,
                              const std::vector<std::int64_t>& sizes, const torch::Tensor& by_risks,
                              const torch::Tensor& by_derivatives) {
  const torch::NoGradGuard no_graph;
  if (by_kernel(logits, sizes)) {
    return device::moment_slopes(kernel_loss(loss), logits, labels, by_risks, by_derivatives);
  }
  torch::Tensor slopes = shared_out(by_risks, objectives::logit_gradient(loss, logits, labels), sizes);
  if (by_derivatives.defined()) {
    slopes += shared_out(by_derivatives, objectives::scale_derivative_gradient(loss, logits, labels), sizes);
  }
  return slopes;
}

}  // namespace pair::train
