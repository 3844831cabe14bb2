#include "pair/paper/provenance.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <system_error>

namespace pair::paper {
namespace {

std::string first_after(const std::string& path, const std::string& key) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with(key)) {
      const std::size_t value = line.find_first_not_of(" \t:", key.size());
      return value == std::string::npos ? "" : line.substr(value);
    }
  }
  return "";
}

std::string cuda_card() {
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/driver/nvidia/gpus", none)) {
    return first_after(entry.path() / "information", "Model");
  }
  return "";
}

// The version in "NVRM version: NVIDIA UNIX ... Kernel Module ...  580.95.05  Release Build ...".
std::string cuda_driver() {
  std::istringstream words(first_after("/proc/driver/nvidia/version", "NVRM version"));
  for (std::string word; words >> word;) {
    if (word.find('.') != std::string::npos &&
        std::all_of(word.begin(), word.end(), [](char c) { return c == '.' || (c >= '0' && c <= '9'); })) {
      return word;
    }
  }
  return "";
}

}  // namespace

nlohmann::json provenance(const std::string& device) {
  const auto today = std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  const std::chrono::year_month_day date(today);
  char day[16];
  std::snprintf(day, sizeof day, "%04d-%02u-%02u", static_cast<int>(date.year()),
                static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()));
  nlohmann::json json = {{"date", day},
                         {"device", device},
                         {"processor", first_after("/proc/cpuinfo", "model name")},
                         {"pair", PAIR_VERSION},
                         {"libtorch", PAIR_TORCH_VERSION},
                         {"compiler", PAIR_COMPILER}};
  if (device != "cpu") {
    json["card"] = cuda_card();
    json["driver"] = cuda_driver();
  }
  return json;
}

}  // namespace pair::paper
