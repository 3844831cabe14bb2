#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "pair/paper/study.h"

namespace pair::paper {

// Runs what is missing of a study below root, `jobs` at a time, and returns its result (result_json of
// study.h), or null if it was stopped. Throws std::invalid_argument for an invalid request before anything
// runs, and std::runtime_error if a run fails that others start from. Other failed runs are listed in the
// result.
nlohmann::json run_study(const Study& study, const StudyRequest& request, const std::filesystem::path& root,
                         std::size_t jobs, const sweep::ManyRunsHooks& hooks = {});

}  // namespace pair::paper
