#pragma once

#include <nlohmann/json_fwd.hpp>

#include "pair/report/sources.h"

namespace pair::report {

// The choices of each criterion and their reasons, in the form that payload.h describes under `selections`:
// [{criterion, title, choices: [{dataset, algorithm, trial, test, test_names, run, step, validation, tests, score,
// losses, candidates, why}], choices_left_out, notes}]. `run` is an index into the history.
nlohmann::json choices_of(const Sources& sources);

// One sentence that says why the first candidate was chosen.
std::string reason_of(const select::Decision& decision);

}  // namespace pair::report
