#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "pair/select/decision.h"

namespace pair::cli {

struct ExportedModel {
  std::string run;  // its folder
  std::int64_t step = 0;
  std::filesystem::path place;  // where it was copied to
};

// Copies the model of every choice, as of the chosen step. One choice: into the folder `to`, or its weights
// into the file `to` if that ends in .safetensors. Several: into subfolders of `to` that are named by
// dataset, algorithm, test environments and trial. Nothing is copied unless all models are there.
//
// Throws std::invalid_argument if `to` is a .safetensors file and there are several choices, and
// std::runtime_error that names the run, the step and the nearest kept step if a model was not kept, or if
// writing fails.
std::vector<ExportedModel> export_choices(const std::vector<select::Decision>& decisions,
                                          const std::filesystem::path& to);

}  // namespace pair::cli
