#pragma once

#include <cstddef>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>

#include "pair/paper/study.h"

namespace pair::paper {

// Runs what is missing of a study below root, jobs at a time, and gives its result (result_json of study.h);
// null where it was stopped. Throws std::invalid_argument for a request that cannot be met, before anything
// runs, and std::runtime_error where a run failed that others start from. Other runs that fail are in the
// result.
nlohmann::json run_study(const Study& study, const StudyRequest& request, const std::filesystem::path& root,
                         std::size_t jobs, const sweep::ManyRunsHooks& hooks = {});

}  // namespace pair::paper
