#pragma once

#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "pair/sweep/status.h"

// The output of 'pair sweep' about the progress of a sweep.

namespace pair::cli {

// "60 jobs: 41 done, 2 running, 17 not begun".
std::string summary_of(const sweep::Counts& counts);

// The summary, one line per cell, and the failures, the first few or all.
void write_status(std::span<const sweep::Job> jobs, const sweep::SweepStatus& status, bool all,
                  std::ostream& out);

// {"jobs", "done", "running", ..., "cells": [...], "failures": [{"folder", "state", "message"}],
// "strangers"}.
nlohmann::ordered_json status_json(std::span<const sweep::Job> jobs, const sweep::SweepStatus& status);

}  // namespace pair::cli
