#pragma once

#include <nlohmann/json_fwd.hpp>

#include "pair/report/sources.h"

namespace pair::report {

// The payload (payload.h) of sources that were already read.
nlohmann::json payload_of(const Sources& sources);

}  // namespace pair::report
