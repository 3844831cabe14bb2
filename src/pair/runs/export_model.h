#pragma once

#include <filesystem>

namespace pair::runs {

// Copies the weights of a finished run's model to a file, which is replaced atomically. If the run has no
// model, it is first made from the last checkpoint and kept in the run's folder; returns whether it was.
// Throws the errors of TrainedModel and make_model_from_checkpoint (model_files.h), and std::runtime_error if
// the file cannot be written.
bool export_model(const std::filesystem::path& run, const std::filesystem::path& file);

}  // namespace pair::runs
