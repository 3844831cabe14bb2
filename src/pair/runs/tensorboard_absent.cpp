// Replaces tensorboard.cpp in builds without protobuf.

#include <stdexcept>

#include "pair/runs/tensorboard.h"

namespace pair::runs {

bool has_tensorboard() {
  return false;
}

EventFile::EventFile(std::filesystem::path /*folder*/) {
  throw std::runtime_error(
      "TensorBoard files cannot be written: pair was built without protobuf (Debian: libprotobuf-dev)");
}

void EventFile::record(const nlohmann::json& /*record*/, double /*wall_time*/) {}
void EventFile::record(const nlohmann::json& /*record*/) {}

}  // namespace pair::runs
