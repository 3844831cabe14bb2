#pragma once

#include <torch/nn/module.h>

#include <filesystem>

#include "pair/data/safetensors.h"

// A module's parameters and buffers as a safetensors file, under their dotted names
// ("layer1.0.bn1.running_mean"), as Python's state_dict has them. In Python,
// safetensors.torch.load_file(path) gives the same dictionary.

namespace pair::models {

// Writes all parameters and buffers. Tensors of any device and memory layout (channels-last, slices) are
// stored row by row. The metadata gets {"format", "pt"}, which Python's readers look for, unless it has a
// format already. An existing file is replaced at once. Throws std::invalid_argument for a tensor whose type
// the format lacks (complex, quantized), std::runtime_error where the file cannot be written.
void save_weights(const torch::nn::Module& module, const std::filesystem::path& path,
                  data::Metadata metadata = {});

// Sets all parameters and buffers from a file. They keep their device, memory layout and type; numbers of
// another type are converted, but real numbers are not rounded to integers. Names and shapes must agree with
// the file's exactly, except that BatchNorm's num_batches_tracked may be missing, since files of early
// PyTorch versions lack it: it then stays as it is.
//
// Throws std::runtime_error where the file cannot be read or does not fit, with one sentence that lists the
// missing, the unexpected and the misshapen names (the first eight of each). The module is then unchanged.
void load_weights(torch::nn::Module& module, const std::filesystem::path& path);

}  // namespace pair::models
