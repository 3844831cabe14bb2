#include "pair/runs/device_name.h"

#include <torch/cuda.h>

#include <cstdint>
#include <stdexcept>
#include <string_view>

#include "pair/base/numbers.h"

namespace pair::runs {

torch::Device device_named(const std::string& name) {
  constexpr std::string_view numbered = "cuda:";
  if (name == "cpu") {
    return torch::kCPU;
  }
  if (name != "cuda" && !name.starts_with(numbered)) {
    throw std::invalid_argument("device: expected cpu, cuda or cuda:N, got '" + name + "'");
  }
  const auto count = static_cast<std::int64_t>(torch::cuda::device_count());
  if (count == 0) {
    throw std::invalid_argument("device: expected cpu, since LibTorch finds no CUDA device, got '" + name +
                                "'");
  }
  // Checked before torch parses the number, of which it keeps eight bits.
  std::int64_t number = 0;
  if (name.starts_with(numbered)) {
    number = base::number_from<std::int64_t>(name.substr(numbered.size())).value_or(count);
  }
  if (number < 0 || number >= count) {
    throw std::invalid_argument("device: expected cuda:0 to cuda:" + std::to_string(count - 1) + ", got '" +
                                name + "'");
  }
  return torch::Device(name);
}

}  // namespace pair::runs
