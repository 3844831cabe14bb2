#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace pair::runs {

// Copies the weights of a run's model to a file, which is replaced atomically: those after `step`, if the run
// kept them (folder_of_step in kept_models.h), or those of the last step. If a finished run has no model, it
// is first made from the last checkpoint and kept in the run's folder; returns whether it was. Throws the
// errors of TrainedModel and make_model_from_checkpoint (model_files.h), and std::runtime_error if the file
// cannot be written.
bool export_model(const std::filesystem::path& run, const std::filesystem::path& file,
                  std::optional<std::int64_t> step = {});

}  // namespace pair::runs
