#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace pair::base {

// RFC 4648, with padding: data: URLs and JSON.
std::string base64(std::span<const std::uint8_t> bytes);

}  // namespace pair::base
