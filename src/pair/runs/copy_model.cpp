#include "pair/runs/copy_model.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <system_error>

#include "pair/base/files.h"
#include "pair/data/sha256.h"
#include "pair/runs/run_paths.h"

namespace pair::runs {

void copy_model(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::string card;
  std::string weights;
  try {
    card = base::read_file(card_file(from));
    weights = base::read_file(weights_file(from), base::largest_checkpoint);
  } catch (const base::FileError& error) {
    throw std::invalid_argument(error.what());
  }
  const auto json = nlohmann::json::parse(card, nullptr, /*allow_exceptions=*/false);
  if (!json.is_object() || json.value("weights_sha256", nlohmann::json()) != data::sha256(weights)) {
    throw std::invalid_argument(weights_file(from).string() + " has changed since the run wrote it");
  }
  if (to.extension() == ".safetensors") {
    base::write_output(to, weights);
    return;
  }
  std::error_code error;
  std::filesystem::create_directories(to, error);
  if (error) {
    throw std::runtime_error("cannot create the folder " + to.string() + ": " + error.message());
  }
  base::write_output(weights_file(to), weights);
  base::write_output(card_file(to), card);
}

}  // namespace pair::runs
