#include <ATen/Context.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>

#include "pair/device/kernels.h"
#include "pair/models/fused.h"
#include "pair/models/initial.h"
#include "pair/models/model.h"
#include "pair/models/registry.h"

// DomainBed's network for digits (MNIST_CNN): four 3x3 convolutions of 64, 128, 128 and 128 channels, the
// second with stride 2, each followed by ReLU and a group norm with 8 groups; the mean over the image gives
// 128 features, a linear head the logits. Inputs are [n, channels, rows, columns] of any size.

namespace pair::models {
namespace {

constexpr std::int64_t groups = 8;
constexpr std::int64_t padding = 1;
struct Layer {
  std::int64_t channels;
  std::int64_t stride;
};
constexpr std::array layers = {Layer{64, 1}, Layer{128, 2}, Layer{128, 1}, Layer{128, 1}};

// Without gradients and with TF32 allowed, images are processed in 16 bits: their fraction is as long as
// TF32's, and sums are in 32 bits. Stored values must stay below 65504, as those of normalised images do.
// This halves the memory traffic and doubles the products per second.
bool scored_in_half(const torch::Tensor& inputs) {
  return !torch::GradMode::is_enabled() && device::has_kernels(inputs) &&
         at::globalContext().allowTF32CuDNN();
}

struct MnistCnnOptions {
  // fp16 has as many bits of fraction as TF32. Sums and parameters stay in 32 bits, and gradients are scaled
  // into range by a power of two. No effect on CPUs.
  bool half = false;
};

void describe(base::Fields<MnistCnnOptions>& field) {
  base::Field& half = field.flag("half", &MnistCnnOptions::half,
                                 "steps in fp16 on CUDA devices, by the network's own kernels");
  half.unsaid = "false";
  half.of_run = true;
}

class MnistCnn final : public Model {
 public:
  MnistCnn(const MnistCnnOptions& options, std::int64_t channels, std::int64_t outputs);

  torch::Tensor features(const torch::Tensor& inputs) override;
  [[nodiscard]] bool steps_in_half() const override { return options_.half; }
  [[nodiscard]] bool takes_autocast() const override { return false; }

 private:
  MnistCnnOptions options_;
  std::vector<torch::nn::Conv2d> convolutions_;  // parameters "conv1" ... "conv4"
  std::vector<torch::nn::GroupNorm> norms_;      // "norm1" ... "norm4"
};

}  // namespace

MnistCnn::MnistCnn(const MnistCnnOptions& options, std::int64_t channels, std::int64_t outputs)
    : options_(options) {
  std::int64_t before = channels;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const std::string number = std::to_string(i + 1);
    convolutions_.emplace_back(register_module(
        "conv" + number, torch::nn::Conv2d(torch::nn::Conv2dOptions(before, layers[i].channels, 3)
                                               .stride(layers[i].stride)
                                               .padding(padding))));
    norms_.emplace_back(register_module(
        "norm" + number, torch::nn::GroupNorm(torch::nn::GroupNormOptions(groups, layers[i].channels))));
    before = layers[i].channels;
  }
  head = register_module("head", torch::nn::Linear(before, outputs));
}

torch::Tensor MnistCnn::features(const torch::Tensor& inputs) {
  if (inputs.dim() != 4) {
    std::ostringstream message;
    message << "mnist_cnn: expected inputs of shape [n, channels, rows, columns], got " << inputs.sizes();
    throw std::invalid_argument(message.str());
  }
  torch::Tensor images = scored_in_half(inputs) ? inputs.to(torch::kHalf) : inputs;
  std::vector<torch::Tensor> rounded(layers.size());
  if (images.scalar_type() == torch::kHalf) {
    std::vector<torch::Tensor> weights;
    for (std::size_t i = 1; i < layers.size(); ++i) {
      weights.push_back(convolutions_[i]->weight);
    }
    weights = rounded_to_half(weights);
    std::copy(weights.begin(), weights.end(), rounded.begin() + 1);
  }
  for (std::size_t i = 0; i < layers.size(); ++i) {
    images = convolution_relu_norm(convolutions_[i], norms_[i], images, padding,
                                   /*pooled=*/i + 1 == layers.size(), rounded[i]);
  }
  return images;
}

ModelEntry mnist_cnn() {
  ModelEntry entry = model_entry<MnistCnnOptions>(
      "mnist_cnn",
      "DomainBed's network for digits: four convolutions with group norm, 128 features, a linear head",
      [](const MnistCnnOptions& options, const ModelInput& input, data::Random& random) {
        auto model = std::make_shared<MnistCnn>(options, input.shape.front(), input.outputs);
        fill_default(*model, random);
        return model;
      });
  entry.takes = Takes::images;
  entry.fp16_flag = "half";
  return entry;
}

}  // namespace pair::models
