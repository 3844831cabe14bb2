#include "pair/runs/run_paths.h"

#include <algorithm>
#include <string>

namespace pair::runs {

std::filesystem::path spec_file(const std::filesystem::path& directory) {
  return directory / "spec.json";
}
std::filesystem::path results_file(const std::filesystem::path& directory) {
  return directory / "results.jsonl";
}
std::filesystem::path checkpoint_file(const std::filesystem::path& directory) {
  return directory / "checkpoint";
}
std::filesystem::path done_file(const std::filesystem::path& directory) {
  return directory / "done";
}
std::filesystem::path failed_file(const std::filesystem::path& directory) {
  return directory / "failed";
}
std::filesystem::path weights_file(const std::filesystem::path& directory) {
  return directory / "model.safetensors";
}
std::filesystem::path card_file(const std::filesystem::path& directory) {
  return directory / "model.json";
}

std::filesystem::path evaluation_file(const std::filesystem::path& directory) {
  return directory / "evaluation.json";
}

std::filesystem::path models_folder(const std::filesystem::path& directory) {
  return directory / "models";
}
std::filesystem::path kept_folder(const std::filesystem::path& directory, std::int64_t step) {
  constexpr std::size_t digits = 6;
  const std::string number = std::to_string(step);
  return models_folder(directory) /
         ("step-" + std::string(digits - std::min(digits, number.size()), '0') + number);
}

}  // namespace pair::runs
