#pragma once

#include <nlohmann/json_fwd.hpp>

#include "pair/runs/run_spec.h"
#include "pair/train/trainer.h"

namespace pair::runs {

// A line of results.jsonl (records.h).
nlohmann::json record_of(const RunSpec& spec, const train::Evaluation& evaluation);

}  // namespace pair::runs
