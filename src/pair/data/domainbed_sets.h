#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

// DomainBed's datasets of pictures on disk: where its download.py puts them below a root folder, and what is
// in them.

namespace pair::data {

struct DomainBedSet {
  std::string_view name;                       // "PACS"
  std::string_view folder;                     // below the root: "PACS", "office_home"
  std::vector<std::string_view> environments;  // folders, in DomainBed's order
  std::int64_t classes = 0;
  std::int64_t images = 0;      // as Gulrajani and Lopez-Paz (ICLR 2021) count them
  int record_every = 0;         // DomainBed's steps between two records
  double batch_exponent = 5.5;  // DomainBed draws batches of up to 2 to this power
};

// PACS, VLCS, OfficeHome, TerraIncognita and DomainNet.
const std::vector<DomainBedSet>& domainbed_sets();
// Throws std::invalid_argument that suggests the nearest name and lists all.
const DomainBedSet& domainbed_set_named(std::string_view name);

struct CheckedSet {
  std::filesystem::path folder;
  std::int64_t images = 0;
  std::vector<std::pair<std::string, std::int64_t>> environments;  // images per environment that was found
  std::vector<std::string> problems;  // sentences: what is missing or wrong; the set cannot be trained on
  std::vector<std::string> notes;     // sentences: what differs from the published set
};

// Lists the set's files without opening them.
CheckedSet check_domainbed_set(const DomainBedSet& set, const std::filesystem::path& root);

}  // namespace pair::data
