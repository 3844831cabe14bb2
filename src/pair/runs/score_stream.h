#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "pair/data/loader.h"
#include "pair/data/source.h"
#include "pair/runs/score_sheet.h"

namespace pair::data {
class ImageManifest;
}

namespace pair::runs {

// The samples of a list whose files do not exist, ascending, which the sheet counts as skipped. Throws
// std::invalid_argument for them unless `skip`.
std::vector<std::size_t> missing_in(ScoreSheet& sheet, const data::ImageManifest& list, bool skip);

// The model's answers on samples that are read on demand, in order. `name`: of the environment, for messages.
// Throws std::invalid_argument for a broken file, unless the options skip them, and if no sample is left;
// train::Interrupted.
Answers streamed_answers(ScoreSheet& sheet, const std::shared_ptr<const data::Source>& source,
                         std::vector<std::size_t> samples, data::LoaderOptions loading,
                         const std::string& name);

}  // namespace pair::runs
