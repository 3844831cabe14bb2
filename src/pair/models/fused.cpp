#include "pair/models/fused.h"

#include <ATen/Context.h>
#include <torch/autograd.h>
#include <torch/utils.h>

#include "pair/device/kernels.h"

namespace pair::models {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// The product, the bias and the rectifier in one; the way back gives the bias its gradient on the way.
class LinearRelu : public torch::autograd::Function<LinearRelu> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& rows,
                               const torch::Tensor& weight, const torch::Tensor& bias) {
    const torch::Tensor output = at::_addmm_activation(bias, rows, weight.t());
    context->save_for_backward({rows, weight, output});
    context->saved_data["inner"] = rows.requires_grad();  // and not the data
    return output;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    device::ReluGradient g;
    if (torch::GradMode::is_enabled()) {  // it will itself be differentiated, as the kernel cannot be
      g.gradient = gradients[0] * (saved[2] > 0);
      g.sum = g.gradient.sum(0);
    } else {
      g = device::relu_backward(gradients[0], saved[2]);
    }
    return {context->saved_data["inner"].toBool() ? torch::mm(g.gradient, saved[1]) : torch::Tensor(),
            torch::mm(g.gradient.t(), saved[0]), g.sum};
  }
};

class ReluGroupNorm : public torch::autograd::Function<ReluGroupNorm> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& bias,
                               std::int64_t groups, const torch::Tensor& gamma, const torch::Tensor& beta,
                               double epsilon) {
    const auto [result, statistics] = device::relu_group_norm(x, bias, groups, gamma, beta, epsilon);
    context->save_for_backward({x, bias, gamma, beta, statistics});
    context->saved_data["groups"] = groups;
    context->saved_data["epsilon"] = epsilon;
    return result;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const std::int64_t groups = context->saved_data["groups"].toInt();
    if (torch::GradMode::is_enabled()) {  // as above
      const torch::Tensor again =
          torch::group_norm((saved[0] + saved[1].view({-1, 1, 1})).relu(), groups, saved[2], saved[3],
                            context->saved_data["epsilon"].toDouble());
      const variable_list plain =
          torch::autograd::grad({again}, {saved[0], saved[1], saved[2], saved[3]}, {gradients[0]},
                                /*retain_graph=*/true, /*create_graph=*/true);
      return {plain[0], plain[1], {}, plain[2], plain[3], {}};
    }
    const device::NormGradients all =
        device::relu_group_norm_backward(gradients[0], saved[0], saved[1], groups, saved[2], saved[4]);
    return {all.x, all.bias, {}, all.gamma, all.beta, {}};
  }
};

}  // namespace

torch::Tensor linear_relu(const torch::nn::Linear& layer, const torch::Tensor& rows) {
  if (device::has_kernels(rows) && layer->bias.defined() && layer->weight.size(0) % 4 == 0) {
    return LinearRelu::apply(rows, layer->weight, layer->bias);
  }
  return torch::linear(rows, layer->weight, layer->bias).relu_();
}

torch::Tensor convolution_relu_norm(const torch::nn::Conv2d& convolution, const torch::nn::GroupNorm& norm,
                                    const torch::Tensor& images, std::int64_t padding) {
  const std::int64_t groups = norm->options.num_groups();
  const bool half = images.is_cuda() && images.scalar_type() == torch::kHalf;
  if (!(half || device::has_kernels(images)) ||
      !device::takes_group_norm(convolution->weight.size(0), groups)) {
    torch::Tensor result =
        torch::conv2d(images, convolution->weight, convolution->bias, convolution->options.stride(), padding);
    return torch::group_norm(result.relu_(), groups, norm->weight, norm->bias, norm->options.eps());
  }
  // What stands beside the product is added where its result is read next, in the kernel.
  const torch::Tensor product =
      torch::conv2d(images.contiguous(at::MemoryFormat::ChannelsLast),
                    convolution->weight.to(images.scalar_type()).contiguous(at::MemoryFormat::ChannelsLast),
                    {}, convolution->options.stride(), padding);
  if (!torch::GradMode::is_enabled()) {
    return device::relu_group_norm(product, convolution->bias, groups, norm->weight, norm->bias,
                                   norm->options.eps())
        .result;
  }
  return ReluGroupNorm::apply(product, convolution->bias, groups, norm->weight, norm->bias,
                              norm->options.eps());
}

}  // namespace pair::models
