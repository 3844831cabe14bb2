#pragma once

#include <torch/nn/module.h>

#include <filesystem>
#include <string>
#include <vector>

#include "pair/data/safetensors.h"
#include "pair/data/weights_file.h"

// A module's parameters and buffers as a safetensors file, under their dotted names
// ("layer1.0.bn1.running_mean"), as in Python's state_dict. In Python, safetensors.torch.load_file(path)
// returns the same dictionary.

namespace pair::models {

// Writes all parameters and buffers. Tensors of any device and memory layout (channels-last, slices) are
// stored row by row. The metadata gets {"format", "pt"}, which Python's readers expect, unless it already has
// a format. An existing file is replaced atomically. Throws std::invalid_argument for a tensor whose type the
// format lacks (complex, quantized), std::runtime_error if the file cannot be written.
void save_weights(const torch::nn::Module& module, const std::filesystem::path& path,
                  data::Metadata metadata = {});

// Sets all parameters and buffers from a file. They keep their device, memory layout and type; numbers of
// another type are converted, but real numbers are not rounded to integers. Names and shapes must match the
// file exactly, except that BatchNorm's num_batches_tracked may be missing, as in files of early PyTorch
// versions; it is then unchanged.
//
// Throws std::runtime_error if the file cannot be read or does not match, with one sentence that lists the
// missing, the unexpected and the misshapen names (the first eight of each). The module is then unchanged.
void load_weights(torch::nn::Module& module, const std::filesystem::path& path);

class Model;

// Sets a model's parameters and buffers from pretrained weights of another program, for example torchvision's
// ResNet-50 for ImageNet, and returns sentences about what differs. As load_weights, except that
//   - names are translated by the model (Model::name_of_weight);
//   - a head that is missing in the file or has another number of classes keeps its initial values;
//   - the first convolution, on another number of channels, repeats the file's filters in turn, as DomainBed
//     does: channel c gets those of channel c mod 3;
//   - a model that starts from weights of another task (other_task.h) leaves those of that task alone, and
//     keeps the initial values of its own.
// `name` is the file's, for messages. Throws like load_weights; the model is then unchanged.
std::vector<std::string> load_pretrained(Model& model, const data::WeightsFile& file,
                                         const std::string& name);

}  // namespace pair::models
