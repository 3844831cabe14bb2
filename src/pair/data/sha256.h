#pragma once

#include <string>

#include "pair/data/bytes.h"

namespace pair::data {

// The SHA-256 digest as 64 lower-case hexadecimal digits, as sha256sum prints it.
std::string sha256(BytesView bytes);

}  // namespace pair::data
