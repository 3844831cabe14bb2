#include "pair/runs/records.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "pair/runs/file.h"

namespace pair::runs {

std::vector<nlohmann::json> parse_records(std::string_view text, std::string_view name) {
  std::vector<nlohmann::json> records;
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
    nlohmann::json record = nlohmann::json::parse(text.substr(0, end), nullptr, /*allow_exceptions=*/false);
    if (!record.is_object()) {
      throw std::runtime_error(std::string(name) + ", line " + std::to_string(records.size() + 1) +
                               ", is not a JSON object");
    }
    records.push_back(std::move(record));
  }
  return records;
}

std::vector<nlohmann::json> read_records(const std::filesystem::path& file) {
  return parse_records(read_file(file, base::largest_records), file.string());
}

}  // namespace pair::runs
