#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "pair/base/options.h"

// Values of settings as JSON, in specs, records and model.json.

namespace pair::runs {

nlohmann::json as_json(const base::Value& value);
// None for values that no setting can have: null, objects, lists of mixed types.
std::optional<base::Value> value_from(const nlohmann::json& value);

}  // namespace pair::runs
