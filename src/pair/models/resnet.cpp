#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/conv.h>

#include <cstdint>
#include <memory>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pair/models/batch_norm.h"
#include "pair/models/dropout.h"
#include "pair/models/initial.h"
#include "pair/models/model.h"
#include "pair/models/pooling.h"
#include "pair/models/registry.h"

// Residual networks (He et al., "Deep Residual Learning for Image Recognition", CVPR 2016) as torchvision has
// them, under its names of parameters and buffers: "layer1.0.bn1.running_mean", "fc.weight". ResNet-50 is the
// variant with the stride in the 3x3 convolution ("v1.5"). Inputs are [n, channels, rows, columns] with any
// number of channels.

namespace pair::models {
namespace {

struct ResNetOptions {
  double dropout = 0.0;    // DomainBed's resnet_dropout
  bool freeze_bn = false;  // DomainBed freezes; training from scratch must not
};

void describe(base::Fields<ResNetOptions>& field) {
  field
      .number("resnet_dropout", &ResNetOptions::dropout, {.low = 0, .high = 1, .open_high = true},
              "share of the features that training sets to 0 before the head")
      .domainbed = base::Choice{{"0", "0.1", "0.5"}};
  field.flag("freeze_bn", &ResNetOptions::freeze_bn,
             "keep the statistics of BatchNorm as they are; for pretrained weights");
}

torch::nn::Conv2d convolution(std::int64_t from, std::int64_t to, std::int64_t side, std::int64_t stride) {
  return torch::nn::Conv2d(
      torch::nn::Conv2dOptions(from, to, side).stride(stride).padding(side / 2).bias(false));
}

// relu(x' + block(x)), x' = x or, where the size changes, downsample(x).
class Block : public torch::nn::Module {
 public:
  torch::Tensor forward(const torch::Tensor& inputs) {
    torch::Tensor images = inputs;
    const std::size_t last = convolutions_.size() - 1;
    for (std::size_t i = 0; i < last; ++i) {
      images = batch_norm_relu(norms_[i], convolutions_[i]->forward(images));
    }
    return batch_norm_relu(norms_[last], convolutions_[last]->forward(images),
                           downsample_ ? downsample_->forward(inputs) : inputs);
  }

 protected:
  void add(std::int64_t from, std::int64_t to, std::int64_t side, std::int64_t stride) {
    const std::string number = std::to_string(convolutions_.size() + 1);
    convolutions_.emplace_back(register_module("conv" + number, convolution(from, to, side, stride)));
    norms_.emplace_back(register_module("bn" + number, torch::nn::BatchNorm2d(to)));
  }
  void fit(std::int64_t from, std::int64_t to, std::int64_t stride) {
    if (from != to || stride != 1) {
      downsample_ = register_module(
          "downsample", torch::nn::Sequential(convolution(from, to, 1, stride), torch::nn::BatchNorm2d(to)));
    }
  }

 private:
  std::vector<torch::nn::Conv2d> convolutions_;  // "conv1", ...
  std::vector<torch::nn::BatchNorm2d> norms_;    // "bn1", ...
  torch::nn::Sequential downsample_{nullptr};
};

struct Basic final : Block {
  static constexpr std::int64_t expansion = 1;
  Basic(std::int64_t from, std::int64_t width, std::int64_t stride) {
    add(from, width, 3, stride);
    add(width, width, 3, 1);
    fit(from, width, stride);
  }
};

struct Bottleneck final : Block {
  static constexpr std::int64_t expansion = 4;
  Bottleneck(std::int64_t from, std::int64_t width, std::int64_t stride) {
    add(from, width, 1, 1);
    add(width, width, 3, stride);
    add(width, width * expansion, 1, 1);
    fit(from, width * expansion, stride);
  }
};

class ResNet final : public Model {
 public:
  template <class BlockKind>
  static std::shared_ptr<ResNet> of(const std::vector<std::int64_t>& blocks, const ResNetOptions& options,
                                    const ModelInput& input);

  torch::Tensor features(const torch::Tensor& inputs) override;

  void train(bool on) override {
    Model::train(on);
    if (on && freeze_bn_) {
      freeze_batch_norm(*this);
    }
  }

  [[nodiscard]] std::string first_convolution() const override { return "conv1.weight"; }

 private:
  bool freeze_bn_ = false;
  torch::nn::Conv2d first_{nullptr};           // "conv1"
  torch::nn::BatchNorm2d norm_{nullptr};       // "bn1"
  std::vector<torch::nn::Sequential> layers_;  // "layer1" ... "layer4"
  std::shared_ptr<Dropout> dropout_;
};

template <class BlockKind>
std::shared_ptr<ResNet> ResNet::of(const std::vector<std::int64_t>& blocks, const ResNetOptions& options,
                                   const ModelInput& input) {
  constexpr std::int64_t first_width = 64;
  auto net = std::make_shared<ResNet>();
  net->freeze_bn_ = options.freeze_bn;
  net->first_ = net->register_module("conv1", convolution(input.shape.front(), first_width, 7, 2));
  net->norm_ = net->register_module("bn1", torch::nn::BatchNorm2d(first_width));
  std::int64_t from = first_width;
  for (std::size_t layer = 0; layer < blocks.size(); ++layer) {
    const std::int64_t width = first_width << layer;
    torch::nn::Sequential sequence;
    for (std::int64_t block = 0; block < blocks[layer]; ++block) {
      sequence->push_back(std::make_shared<BlockKind>(from, width, block == 0 && layer > 0 ? 2 : 1));
      from = width * BlockKind::expansion;
    }
    net->layers_.emplace_back(net->register_module("layer" + std::to_string(layer + 1), sequence));
  }
  net->dropout_ = net->register_module("dropout", std::make_shared<Dropout>(options.dropout));
  net->head = net->register_module("fc", torch::nn::Linear(from, input.outputs));
  return net;
}

torch::Tensor ResNet::features(const torch::Tensor& inputs) {
  if (inputs.dim() != 4) {
    std::ostringstream message;
    message << "inputs: expected the shape [n, channels, rows, columns], got " << inputs.sizes();
    throw std::invalid_argument(message.str());
  }
  torch::Tensor images = torch::max_pool2d(batch_norm_relu(norm_, first_->forward(inputs)), 3, 2, 1);
  for (torch::nn::Sequential& layer : layers_) {
    images = layer->forward(images);
  }
  return dropout_->forward(mean_over_image(images));
}

template <class BlockKind>
ModelEntry resnet(std::string name, std::string summary, std::vector<std::int64_t> blocks) {
  ModelEntry entry = model_entry<ResNetOptions>(
      std::move(name), std::move(summary),
      [blocks = std::move(blocks)](const ResNetOptions& options, const ModelInput& input,
                                   data::Random& random) {
        std::shared_ptr<ResNet> model = ResNet::of<BlockKind>(blocks, options, input);
        fill_for_relu(*model, random);
        return model;
      });
  entry.takes = Takes::images;
  return entry;
}

}  // namespace

ModelEntry resnet18() {
  return resnet<Basic>("resnet18", "18 layers with BatchNorm and residual connections; 512 features",
                       {2, 2, 2, 2});
}

ModelEntry resnet50() {
  return resnet<Bottleneck>("resnet50", "50 layers with BatchNorm and residual connections; 2048 features",
                            {3, 4, 6, 3});
}

}  // namespace pair::models
