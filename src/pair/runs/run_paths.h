#pragma once

#include <cstdint>
#include <filesystem>

// The names of the files in a run's folder; run_directory.h says what they hold.

namespace pair::runs {

std::filesystem::path spec_file(const std::filesystem::path& directory);
std::filesystem::path results_file(const std::filesystem::path& directory);
std::filesystem::path checkpoint_file(const std::filesystem::path& directory);
std::filesystem::path done_file(const std::filesystem::path& directory);
std::filesystem::path failed_file(const std::filesystem::path& directory);

// Of any folder that holds a model: a run's, or one of models_folder.
std::filesystem::path weights_file(const std::filesystem::path& directory);  // model.safetensors
std::filesystem::path card_file(const std::filesystem::path& directory);     // model.json

std::filesystem::path evaluation_file(const std::filesystem::path& directory);  // evaluation.json

std::filesystem::path models_folder(const std::filesystem::path& directory);  // models
// models/step-000300; more digits if the step has more.
std::filesystem::path kept_folder(const std::filesystem::path& directory, std::int64_t step);

}  // namespace pair::runs
