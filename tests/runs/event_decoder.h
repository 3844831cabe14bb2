#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

// TensorBoard's event files, read by other means than those that wrote them: no protobuf, and the checksum
// a bit at a time.

namespace pair::runs::testing {

struct DecodedEvent {
  double wall_time = 0.0;
  std::int64_t step = 0;
  std::string file_version;
  std::map<std::string, float> scalars;
};

// Throws std::runtime_error for a byte that should not be there.
std::vector<DecodedEvent> decode_events(const std::filesystem::path& file);

// In the order of their names.
std::vector<std::filesystem::path> event_files_in(const std::filesystem::path& folder);

}  // namespace pair::runs::testing
