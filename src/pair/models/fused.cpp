#include "pair/models/fused.h"

#include <torch/autograd.h>
#include <torch/utils.h>

#include <algorithm>

#include "pair/device/convolution.h"
#include "pair/device/group_norm.h"
#include "pair/device/half.h"
#include "pair/device/kernels.h"
#include "pair/device/perceptron.h"

namespace pair::models {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// Product, bias and rectifier in one; the backward pass also computes the bias's gradient.
class LinearRelu : public torch::autograd::Function<LinearRelu> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& rows,
                               const torch::Tensor& weight, const torch::Tensor& bias) {
    torch::Tensor output = at::_addmm_activation(bias, rows, weight.t());
    context->save_for_backward({rows, weight, output});
    context->saved_data["inner"] = rows.requires_grad();  // false for the data itself
    return output;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    device::ReluGradient g;
    if (torch::GradMode::is_enabled()) {  // double differentiation, which the kernel does not support
      g.gradient = gradients[0] * (saved[2] > 0);
      g.sum = g.gradient.sum(0);
    } else {
      g = device::relu_backward(gradients[0], saved[2]);
    }
    return {context->saved_data["inner"].toBool() ? back_through(saved[1], g.gradient) : torch::Tensor(),
            torch::mm(g.gradient.t(), saved[0]), g.sum};
  }
};

class ReluGroupNorm : public torch::autograd::Function<ReluGroupNorm> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& x, const torch::Tensor& bias,
                               std::int64_t groups, const torch::Tensor& gamma, const torch::Tensor& beta,
                               double epsilon, bool pooled) {
    const auto [result, statistics] = device::relu_group_norm(x, bias, groups, gamma, beta, epsilon, pooled);
    context->save_for_backward({x, bias, gamma, beta, statistics});
    context->saved_data["groups"] = groups;
    context->saved_data["epsilon"] = epsilon;
    context->saved_data["pooled"] = pooled;
    return result;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const std::int64_t groups = context->saved_data["groups"].toInt();
    const bool pooled = context->saved_data["pooled"].toBool();
    if (torch::GradMode::is_enabled()) {  // as above
      torch::Tensor again = torch::group_norm((saved[0] + saved[1].view({-1, 1, 1})).relu(), groups, saved[2],
                                              saved[3], context->saved_data["epsilon"].toDouble());
      again = pooled ? again.mean({2, 3}) : again;
      const variable_list plain =
          torch::autograd::grad({again}, {saved[0], saved[1], saved[2], saved[3]}, {gradients[0]},
                                /*retain_graph=*/true, /*create_graph=*/true);
      return {plain[0], plain[1], {}, plain[2], plain[3], {}, {}};
    }
    const device::NormGradients all = device::relu_group_norm_backward(gradients[0], saved[0], saved[1],
                                                                       groups, saved[2], saved[4], pooled);
    return {all.x, all.bias, {}, all.gamma, all.beta, {}, {}};
  }
};

// The numbers of a contiguous tensor, in memory order.
torch::Tensor as_they_lie(const torch::Tensor& tensor) {
  return tensor.as_strided({tensor.numel()}, {1});
}

// Parts of one flat tensor, each with the shape and layout of its like.
variable_list parts_of(const torch::Tensor& flat, at::TensorList likes) {
  variable_list parts;
  std::int64_t start = 0;
  for (const torch::Tensor& like : likes) {
    parts.push_back(flat.as_strided(like.sizes(), like.strides(), start));
    start += like.numel();
  }
  return parts;
}

// Rounds several weights at the same time, and their gradients in the backward pass.
class Round : public torch::autograd::Function<Round> {
 public:
  static variable_list forward(AutogradContext* context, at::TensorList weights) {
    context->save_for_backward(weights.vec());
    return parts_of(gathered(weights, torch::kHalf), weights);
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list weights = context->get_saved_variables();
    variable_list result;
    if (torch::GradMode::is_enabled()) {  // as above
      for (const torch::Tensor& gradient : gradients) {
        result.push_back(gradient.to(torch::kFloat));
      }
      return result;
    }
    for (std::size_t i = 0; i < gradients.size(); ++i) {
      result.push_back(gradients[i].contiguous(weights[i].suggest_memory_format()));
    }
    return parts_of(gathered(result, torch::kFloat), weights);
  }

 private:
  static torch::Tensor gathered(at::TensorList tensors, torch::ScalarType type) {
    std::vector<device::Part> parts;
    for (const torch::Tensor& tensor : tensors) {
      parts.push_back({as_they_lie(tensor)});
    }
    return device::gathered(parts, type);
  }
};

constexpr std::int64_t window_side = 3;

// Row lengths aligned for matrix units.
std::int64_t aligned(std::int64_t numbers) {
  return (numbers + 7) / 8 * 8;
}

// device::first_layer does not materialise windows; the backward pass makes them each time.
class FirstLayer : public torch::autograd::Function<FirstLayer> {
 public:
  static torch::Tensor forward(AutogradContext* context, const torch::Tensor& images,
                               const torch::Tensor& weight, const torch::Tensor& bias, std::int64_t groups,
                               const torch::Tensor& gamma, const torch::Tensor& beta, double epsilon) {
    const device::FirstLayer layer = device::first_layer(images, weight, bias, gamma, beta, epsilon,
                                                         /*for_the_way_back=*/true);
    context->save_for_backward({images, weight, bias, gamma, beta, layer.x, layer.statistics});
    context->saved_data["groups"] = groups;
    context->saved_data["epsilon"] = epsilon;
    return layer.result;
  }

  static variable_list backward(AutogradContext* context, const variable_list& gradients) {
    const variable_list saved = context->get_saved_variables();
    const torch::Tensor& images = saved[0];
    const torch::Tensor& weight = saved[1];
    const std::int64_t groups = context->saved_data["groups"].toInt();
    if (torch::GradMode::is_enabled()) {  // as above
      const torch::Tensor x = torch::conv2d(images.to(torch::kFloat), weight, saved[2], /*stride=*/1,
                                            /*padding=*/1);
      const torch::Tensor again =
          torch::group_norm(x.relu(), groups, saved[3], saved[4], context->saved_data["epsilon"].toDouble());
      const variable_list plain = torch::autograd::grad({again}, {weight, saved[2], saved[3], saved[4]},
                                                        {gradients[0].to(torch::kFloat)},
                                                        /*retain_graph=*/true, /*create_graph=*/true);
      return {{}, plain[0], plain[1], {}, plain[2], plain[3], {}};
    }
    const device::NormGradients norm = device::relu_group_norm_backward(
        gradients[0], saved[5], saved[2], groups, saved[3], saved[6], /*pooled=*/false);
    const std::int64_t numbers = weight.size(1) * window_side * window_side;
    const torch::Tensor rows =
        device::windows(images, window_side, /*stride=*/1, /*padding=*/1, aligned(numbers));
    const torch::Tensor slopes = norm.x.permute({0, 2, 3, 1}).reshape({-1, weight.size(0)});
    const torch::Tensor by_weight = torch::mm(slopes.t(), rows).narrow(1, 0, numbers);
    return {{}, by_weight.to(weight.scalar_type()).view(weight.sizes()), norm.bias, {}, norm.gamma, norm.beta,
            {}};
  }
};

}  // namespace

bool takes_linear_relu(const torch::nn::Linear& layer, const torch::Tensor& rows) {
  return device::has_kernels(rows) && layer->bias.defined() && layer->weight.size(0) % 4 == 0;
}

// The product of long rows with a weight is a quarter faster if both are contiguous along the summed
// dimension; transposing the weight costs one more kernel.
torch::Tensor back_through(const torch::Tensor& weight, const torch::Tensor& gradient) {
  constexpr std::int64_t long_rows = 8192;
  return torch::mm(gradient, gradient.size(0) < long_rows ? weight : weight.t().contiguous().t());
}

torch::Tensor linear_relu(const torch::nn::Linear& layer, const torch::Tensor& rows) {
  if (takes_linear_relu(layer, rows)) {
    return LinearRelu::apply(rows, layer->weight, layer->bias);
  }
  return torch::linear(rows, layer->weight, layer->bias).relu_();
}

namespace {

constexpr std::int64_t most_channels_as_product = 2;

// The convolution without its bias, channels last in memory. For data with one or two channels it is a
// product with the windows of the images: cuDNN's backward pass to such weights takes five times as long.
torch::Tensor convolve(const torch::Tensor& images, const torch::Tensor& weight, std::int64_t stride,
                       std::int64_t padding) {
  constexpr auto last = at::MemoryFormat::ChannelsLast;
  const std::int64_t side = weight.size(2);
  if (weight.size(1) > most_channels_as_product || weight.size(3) != side || images.requires_grad()) {
    return torch::conv2d(images.contiguous(last), weight.contiguous(last), {}, stride, padding);
  }
  const std::int64_t numbers = weight.size(1) * side * side;
  const torch::Tensor rows = device::windows(images, side, stride, padding, aligned(numbers));
  const torch::Tensor flat = torch::constant_pad_nd(weight.flatten(1), {0, aligned(numbers) - numbers});
  const auto steps = [&](std::int64_t size) { return (size + 2 * padding - side) / stride + 1; };
  return torch::mm(rows, flat.t())
      .view({images.size(0), steps(images.size(2)), steps(images.size(3)), weight.size(0)})
      .permute({0, 3, 1, 2});
}

}  // namespace

torch::Tensor convolution_relu_norm(const torch::nn::Conv2d& convolution, const torch::nn::GroupNorm& norm,
                                    const torch::Tensor& images, std::int64_t padding, bool pooled,
                                    const torch::Tensor& rounded) {
  const std::int64_t groups = norm->options.num_groups();
  const std::int64_t stride = convolution->options.stride()->at(0);
  const bool half = images.is_cuda() && images.scalar_type() == torch::kHalf;
  if (!(half || device::has_kernels(images)) ||
      !device::takes_group_norm(convolution->weight.size(0), groups)) {
    const torch::Tensor result =
        torch::conv2d(images, convolution->weight, convolution->bias, stride, padding);
    const torch::Tensor normed =
        torch::group_norm(result.relu_(), groups, norm->weight, norm->bias, norm->options.eps());
    return pooled ? normed.mean({2, 3}) : normed;
  }
  if (!pooled && !images.requires_grad() &&
      device::takes_first_layer(images, convolution->weight, stride, padding, groups)) {
    const bool trained = convolution->weight.requires_grad() || convolution->bias.requires_grad() ||
                         norm->weight.requires_grad() || norm->bias.requires_grad();
    if (trained && torch::GradMode::is_enabled()) {
      return FirstLayer::apply(images, convolution->weight, convolution->bias, groups, norm->weight,
                               norm->bias, norm->options.eps());
    }
    return device::first_layer(images, convolution->weight, convolution->bias, norm->weight, norm->bias,
                               norm->options.eps(), /*for_the_way_back=*/false)
        .result;
  }
  // The bias is added in the kernel that reads the result next.
  const torch::Tensor weight = rounded.defined() ? rounded : convolution->weight.to(images.scalar_type());
  const torch::Tensor product = convolve(images, weight, stride, padding);
  if (!torch::GradMode::is_enabled()) {
    return device::relu_group_norm(product, convolution->bias, groups, norm->weight, norm->bias,
                                   norm->options.eps(), pooled)
        .result;
  }
  return ReluGroupNorm::apply(product, convolution->bias, groups, norm->weight, norm->bias,
                              norm->options.eps(), pooled);
}

std::vector<torch::Tensor> rounded_to_half(const std::vector<torch::Tensor>& weights) {
  constexpr std::int64_t alignment = 8;  // of cuDNN's vector loads
  const bool together = !weights.empty() && weights.size() <= device::most_parts &&
                        std::all_of(weights.begin(), weights.end(), [](const torch::Tensor& weight) {
                          return device::has_kernels(weight) && weight.numel() % alignment == 0 &&
                                 weight.is_contiguous(weight.suggest_memory_format());
                        });
  if (together) {
    return Round::apply(at::TensorList(weights));
  }
  std::vector<torch::Tensor> rounded;
  for (const torch::Tensor& weight : weights) {
    rounded.push_back(weight.to(torch::kHalf));
  }
  return rounded;
}

void lay_out_for_cuda(torch::nn::Module& module) {
  for (const torch::Tensor& parameter : module.parameters()) {
    if (parameter.dim() == 4 && parameter.size(1) > most_channels_as_product) {
      parameter.set_data(parameter.detach().contiguous(at::MemoryFormat::ChannelsLast));
    }
  }
}

}  // namespace pair::models
