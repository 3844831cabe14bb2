#pragma once

#include <torch/nn/module.h>

#include "pair/data/random.h"

// Initial values of layers, drawn from a run's own generator: layer by layer in the module's order, each
// weight row by row and then its bias. torch's own initial values are all overwritten.

namespace pair::models {

// Linear layers: weights uniform within +- sqrt(6 / (inputs + outputs)) (Glorot and Bengio, AISTATS 2010),
// biases zero.
void fill_xavier_uniform(torch::nn::Module& module, data::Random& random);

// PyTorch's default, which DomainBed trains from: weights and biases of linear layers and convolutions
// uniform within +- 1 / sqrt(fan-in), embeddings standard normal. Norms keep their ones and zeros.
void fill_default(torch::nn::Module& module, data::Random& random);

// For deep networks with ReLU, as torchvision's residual networks: weights of convolutions normal with the
// deviation sqrt(2 / (outputs * rows * columns of the kernel)) (He et al., ICCV 2015), their biases zero;
// linear layers as above. Norms keep their ones and zeros.
void fill_for_relu(torch::nn::Module& module, data::Random& random);

}  // namespace pair::models
