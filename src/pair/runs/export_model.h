#pragma once

#include <filesystem>

namespace pair::runs {

// Copies the weights of a finished run's model to a file, which is replaced at once. Where the run has no
// model, it is made from the last checkpoint first, and kept in the run's folder; the answer is whether it
// was. Throws as TrainedModel and make_model_from_checkpoint do (model_files.h), and std::runtime_error where
// the file cannot be written.
bool export_model(const std::filesystem::path& run, const std::filesystem::path& file);

}  // namespace pair::runs
