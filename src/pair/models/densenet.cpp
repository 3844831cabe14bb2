#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/conv.h>

#include <array>
#include <cstdint>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "pair/models/batch_norm.h"
#include "pair/models/dropout.h"
#include "pair/models/initial.h"
#include "pair/models/model.h"
#include "pair/models/pooling.h"
#include "pair/models/registry.h"

// DenseNet-121 (Huang et al., "Densely Connected Convolutional Networks", CVPR 2017) as torchvision has it,
// under its names of parameters and buffers: "features.denseblock1.denselayer1.norm1.weight",
// "classifier.weight". Each layer gets the outputs of all layers of its block before it. Inputs are [n,
// channels, rows, columns] with any number of channels.

namespace pair::models {
namespace {

struct DenseNetOptions {
  double dropout = 0.0;
  bool freeze_bn = false;
};

void describe(base::Fields<DenseNetOptions>& field) {
  field
      .number("densenet_dropout", &DenseNetOptions::dropout, {.low = 0, .high = 1, .open_high = true},
              "share of the features that training sets to 0 before the head")
      .domainbed = base::Choice{{"0", "0.1", "0.5"}};
  field.flag("freeze_bn", &DenseNetOptions::freeze_bn,
             "keep the statistics of BatchNorm as they are; for pretrained weights");
}

constexpr std::int64_t growth = 32;          // channels that a layer adds
constexpr std::int64_t bottleneck = 4;       // times growth: channels between a layer's convolutions
constexpr std::int64_t first_channels = 64;  // of the first convolution
constexpr std::array<std::int64_t, 4> layers_of_blocks{6, 12, 24, 16};

torch::nn::Conv2d dense_convolution(std::int64_t from, std::int64_t to, std::int64_t side,
                                    std::int64_t stride = 1) {
  return torch::nn::Conv2d(
      torch::nn::Conv2dOptions(from, to, side).stride(stride).padding(side / 2).bias(false));
}

class DenseLayer final : public torch::nn::Module {
 public:
  explicit DenseLayer(std::int64_t from) {
    norm1_ = register_module("norm1", torch::nn::BatchNorm2d(from));
    conv1_ = register_module("conv1", dense_convolution(from, bottleneck * growth, 1));
    norm2_ = register_module("norm2", torch::nn::BatchNorm2d(bottleneck * growth));
    conv2_ = register_module("conv2", dense_convolution(bottleneck * growth, growth, 3));
  }
  torch::Tensor forward(const torch::Tensor& inputs) {
    const torch::Tensor narrow = conv1_->forward(batch_norm_relu(norm1_, inputs));
    return conv2_->forward(batch_norm_relu(norm2_, narrow));
  }

 private:
  torch::nn::BatchNorm2d norm1_{nullptr};
  torch::nn::Conv2d conv1_{nullptr};
  torch::nn::BatchNorm2d norm2_{nullptr};
  torch::nn::Conv2d conv2_{nullptr};
};

class DenseBlock final : public torch::nn::Module {
 public:
  DenseBlock(std::int64_t from, std::int64_t layers) {
    for (std::int64_t i = 0; i < layers; ++i) {
      layers_.push_back(register_module("denselayer" + std::to_string(i + 1),
                                        std::make_shared<DenseLayer>(from + i * growth)));
    }
  }
  torch::Tensor forward(const torch::Tensor& inputs) {
    torch::Tensor images = inputs;
    for (const std::shared_ptr<DenseLayer>& layer : layers_) {
      images = torch::cat({images, layer->forward(images)}, 1);
    }
    return images;
  }

 private:
  std::vector<std::shared_ptr<DenseLayer>> layers_;
};

// Halves channels, rows and columns between two blocks.
class Transition final : public torch::nn::Module {
 public:
  explicit Transition(std::int64_t from) {
    norm_ = register_module("norm", torch::nn::BatchNorm2d(from));
    conv_ = register_module("conv", dense_convolution(from, from / 2, 1));
  }
  torch::Tensor forward(const torch::Tensor& inputs) {
    return torch::avg_pool2d(conv_->forward(batch_norm_relu(norm_, inputs)), 2, 2);
  }

 private:
  torch::nn::BatchNorm2d norm_{nullptr};
  torch::nn::Conv2d conv_{nullptr};
};

class DenseFeatures final : public torch::nn::Module {
 public:
  explicit DenseFeatures(std::int64_t channels) {
    conv0_ = register_module("conv0", dense_convolution(channels, first_channels, 7, 2));
    norm0_ = register_module("norm0", torch::nn::BatchNorm2d(first_channels));
    for (std::size_t i = 0; i < layers_of_blocks.size(); ++i) {
      const std::string number = std::to_string(i + 1);
      blocks_.push_back(register_module("denseblock" + number,
                                        std::make_shared<DenseBlock>(outputs_, layers_of_blocks[i])));
      outputs_ += layers_of_blocks[i] * growth;
      if (i + 1 < layers_of_blocks.size()) {
        transitions_.push_back(
            register_module("transition" + number, std::make_shared<Transition>(outputs_)));
        outputs_ /= 2;
      }
    }
    norm5_ = register_module("norm5", torch::nn::BatchNorm2d(outputs_));
  }
  torch::Tensor forward(const torch::Tensor& inputs) {
    torch::Tensor images = torch::max_pool2d(batch_norm_relu(norm0_, conv0_->forward(inputs)), 3, 2, 1);
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      images = blocks_[i]->forward(images);
      if (i < transitions_.size()) {
        images = transitions_[i]->forward(images);
      }
    }
    return mean_over_image(batch_norm_relu(norm5_, images));
  }
  [[nodiscard]] std::int64_t outputs() const { return outputs_; }

 private:
  std::int64_t outputs_ = first_channels;
  torch::nn::Conv2d conv0_{nullptr};
  torch::nn::BatchNorm2d norm0_{nullptr};
  std::vector<std::shared_ptr<DenseBlock>> blocks_;
  std::vector<std::shared_ptr<Transition>> transitions_;
  torch::nn::BatchNorm2d norm5_{nullptr};
};

void require_side(const ModelInput& input) {
  // Each side is halved five times.
  constexpr std::int64_t shortest_side = 32;
  if (input.shape[1] < shortest_side || input.shape[2] < shortest_side) {
    std::ostringstream message;
    message << "densenet121: expected inputs of shape [channels, rows, columns] with at least "
            << shortest_side << " rows and columns, got " << at::IntArrayRef(input.shape);
    throw std::invalid_argument(message.str());
  }
}

class DenseNet final : public Model {
 public:
  DenseNet(const DenseNetOptions& options, const ModelInput& input) : freeze_bn_(options.freeze_bn) {
    features_ = register_module("features", std::make_shared<DenseFeatures>(input.shape.front()));
    dropout_ = register_module("dropout", std::make_shared<Dropout>(options.dropout));
    head = register_module("classifier", torch::nn::Linear(features_->outputs(), input.outputs));
  }

  torch::Tensor features(const torch::Tensor& inputs) override {
    if (inputs.dim() != 4) {
      std::ostringstream message;
      message << "inputs: expected the shape [n, channels, rows, columns], got " << inputs.sizes();
      throw std::invalid_argument(message.str());
    }
    return dropout_->forward(features_->forward(inputs));
  }

  void train(bool on) override {
    Model::train(on);
    if (on && freeze_bn_) {
      freeze_batch_norm(*this);
    }
  }

  // Files of 2017 have "denselayer1.norm.1.weight": a dot that torchvision deletes, too.
  [[nodiscard]] std::string name_of_weight(const std::string& name) const override {
    if (name.find(".denselayer") == std::string::npos) {
      return name;
    }
    for (const char* const old : {".norm.1.", ".norm.2.", ".conv.1.", ".conv.2."}) {
      if (const std::size_t at = name.find(old); at != std::string::npos) {
        constexpr std::size_t dot = 5;  // after ".norm"
        return name.substr(0, at + dot) + name.substr(at + dot + 1);
      }
    }
    return name;
  }
  [[nodiscard]] std::string first_convolution() const override { return "features.conv0.weight"; }

 private:
  bool freeze_bn_;
  std::shared_ptr<DenseFeatures> features_;
  std::shared_ptr<Dropout> dropout_;
};

}  // namespace

ModelEntry densenet121() {
  ModelEntry entry = model_entry<DenseNetOptions>(
      "densenet121", "121 layers with BatchNorm, each connected to all before it; 1024 features",
      [](const DenseNetOptions& options, const ModelInput& input, data::Random& random) {
        auto model = std::make_shared<DenseNet>(options, input);
        fill_for_relu(*model, random);
        return model;
      });
  entry.takes = Takes::images;
  entry.check = [](const base::Options& /*options*/, const ModelInput& input) { require_side(input); };
  return entry;
}

}  // namespace pair::models
