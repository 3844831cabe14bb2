#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace pair::paper {

// Where and when a result was made: {"date", "device", "processor", "pair", "libtorch", "compiler"}, the last
// three as versions; on a GPU also {"card", "driver"}. A text that the system does not tell is empty.
nlohmann::json provenance(const std::string& device);

}  // namespace pair::paper
