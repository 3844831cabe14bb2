#pragma once

#include <filesystem>

namespace pair::runs {

// Copies a model, model.safetensors and model.json, from one folder to another, which is created. If `to`
// ends in .safetensors, it is a file and gets the weights alone. Each file is replaced atomically, model.json
// last. Needs no LibTorch: checks that the weights are those that model.json names by their digest, not that
// they fit the network. Throws std::invalid_argument if the folder has no such model, std::runtime_error if
// writing fails.
void copy_model(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace pair::runs
