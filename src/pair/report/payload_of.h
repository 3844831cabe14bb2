#pragma once

#include <nlohmann/json_fwd.hpp>

#include "pair/report/sources.h"

namespace pair::report {

// payload (payload.h) from what was read.
nlohmann::json payload_of(const Sources& sources);

}  // namespace pair::report
