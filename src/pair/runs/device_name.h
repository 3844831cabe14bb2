#pragma once

#include <torch/types.h>

#include <string>

namespace pair::runs {

// cpu, cuda or cuda:N. Throws std::invalid_argument for other names, and for devices that this machine does
// not have.
torch::Device device_named(const std::string& name);

}  // namespace pair::runs
