#pragma once

#include <torch/nn/module.h>
#include <torch/nn/modules/batchnorm.h>

namespace pair::models {

// Puts every BatchNorm of a network into evaluation mode: it normalises by its running statistics and does
// not update them. Scale and shift are still trained, as in DomainBed.
void freeze_batch_norm(torch::nn::Module& network);

// relu(norm(images) + residual), images and residual [n, c, h, w]; no residual if it is undefined. Updates the
// running statistics as norm does. In training mode, few passes over the images if the device has kernels for
// them (device/batch_norm.h); the same function of the same parameters either way.
torch::Tensor batch_norm_relu(torch::nn::BatchNorm2d& norm, const torch::Tensor& images,
                              const torch::Tensor& residual = {});

}  // namespace pair::models
