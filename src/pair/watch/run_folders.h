#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

// The runs of a folder, and whether their files changed.

namespace pair::watch {

// Identifies a version of a file without opening it.
struct Stamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // nanoseconds since 1970

  bool operator==(const Stamp&) const = default;
};

struct RunStamps {
  std::optional<Stamp> results;  // none if the run has no results.jsonl
  std::optional<Stamp> done;
  std::optional<Stamp> failed;
  std::optional<Stamp> evaluation;  // evaluation.json

  bool operator==(const RunStamps&) const = default;
};

struct RunFolders {
  std::map<std::filesystem::path, RunStamps> runs;  // by folder
  std::vector<std::string> left_out;                // one sentence per folder that is not read

  bool operator==(const RunFolders&) const = default;
};

// The folder itself if it has a results.jsonl, and its direct subfolders. Links are followed as long as they
// stay inside the folder; links to the outside are left out, and so are runs with a file that links to the
// outside or is not a regular file. A folder that does not exist or cannot be read has no runs.
RunFolders find_runs(const std::filesystem::path& folder);

}  // namespace pair::watch
