#include "pair/models/batch_norm.h"

#include <torch/autograd.h>
#include <torch/utils.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "pair/device/batch_norm.h"

namespace pair::models {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

class BatchNormRelu : public torch::autograd::Function<BatchNormRelu> {
 public:
  // residuals: none or one. The running statistics are changed.
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& gamma,
                               const torch::Tensor& beta, at::TensorList residuals,
                               const torch::Tensor& running_mean, const torch::Tensor& running_variance,
                               double epsilon, double momentum) {
    const auto [result, statistics] = device::batch_norm_relu(
        x, {gamma, beta, epsilon}, residuals.empty() ? torch::Tensor() : residuals.front(), running_mean,
        running_variance, momentum);
    // Without a residual, the signs of the result follow from x.
    context->save_for_backward({x, gamma, beta, statistics, residuals.empty() ? torch::Tensor() : result});
    context->saved_data["epsilon"] = epsilon;
    return result;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const double epsilon = context->saved_data["epsilon"].toDouble();
    const torch::Tensor& x = saved[0];
    const torch::Tensor& gamma = saved[1];
    const torch::Tensor& beta = saved[2];
    const torch::Tensor& result = saved[4];
    if (torch::GradMode::is_enabled()) {  // double differentiation, which the kernels do not support
      return with_the_rest(differentiable(gradients[0], x, gamma, beta, result, epsilon));
    }
    const device::BatchNormGradients all =
        device::batch_norm_relu_backward(gradients[0], x, {gamma, beta, epsilon}, saved[3], result);
    variable_list found{all.x, all.gamma, all.beta};
    if (result.defined()) {
      found.push_back(all.residual);
    }
    return with_the_rest(std::move(found));
  }

 private:
  // The backward pass by torch's operations, in 32 bits: gradients of x, gamma, beta and, if there is one, the
  // residual. result: of the forward pass if there was a residual.
  static variable_list differentiable(const torch::Tensor& gradient, const torch::Tensor& x,
                                      const torch::Tensor& gamma, const torch::Tensor& beta,
                                      const torch::Tensor& result, double epsilon) {
    const std::vector<std::int64_t> pixels{0, 2, 3};
    const auto by_channel = [](const torch::Tensor& vector) { return vector.view({1, -1, 1, 1}); };
    const torch::Tensor images = x.to(torch::kFloat);
    const torch::Tensor centred = images - images.mean(pixels, /*keepdim=*/true);
    const torch::Tensor inverse = (centred.square().mean(pixels, /*keepdim=*/true) + epsilon).rsqrt();
    const torch::Tensor unit = centred * inverse;
    const torch::Tensor before = result.defined() ? result : by_channel(gamma) * unit + by_channel(beta);
    const torch::Tensor g = gradient.to(torch::kFloat).masked_fill(before <= 0, 0.0);
    const torch::Tensor product = g * unit;
    variable_list found{
        by_channel(gamma) * inverse * (g - g.mean(pixels, true) - unit * product.mean(pixels, true)),
        product.sum(pixels), g.sum(pixels)};
    if (result.defined()) {
      found.push_back(g);
    }
    return found;
  }

  // The arguments of forward behind the residuals have no gradients.
  static variable_list with_the_rest(variable_list gradients) {
    gradients.resize(gradients.size() + 4);
    return gradients;
  }
};

bool takes_kernels(const torch::nn::BatchNorm2dImpl& norm, const torch::Tensor& images,
                   const torch::Tensor& residual) {
  return norm.is_training() && norm.options.track_running_stats() && norm.options.affine() &&
         norm.options.momentum().has_value() && norm.weight.scalar_type() == torch::kFloat &&
         device::takes_batch_norm(images) &&
         (!residual.defined() ||
          (residual.scalar_type() == images.scalar_type() && residual.sizes() == images.sizes()));
}

}  // namespace

void freeze_batch_norm(torch::nn::Module& network) {
  for (const auto& module : network.modules(/*include_self=*/false)) {
    if (module->as<torch::nn::BatchNorm2dImpl>() != nullptr) {
      module->eval();
    }
  }
}

torch::Tensor batch_norm_relu(torch::nn::BatchNorm2d& norm, const torch::Tensor& images,
                              const torch::Tensor& residual) {
  if (!takes_kernels(*norm, images, residual)) {
    const torch::Tensor normed = norm->forward(images);
    return (residual.defined() ? normed + residual : normed).relu();
  }
  {
    const torch::NoGradGuard no_graph;
    norm->num_batches_tracked += 1;
  }
  variable_list residuals;
  if (residual.defined()) {
    residuals.push_back(residual);
  }
  return BatchNormRelu::apply(images, norm->weight, norm->bias, at::TensorList(residuals), norm->running_mean,
                              norm->running_var, norm->options.eps(), *norm->options.momentum());
}

}  // namespace pair::models
