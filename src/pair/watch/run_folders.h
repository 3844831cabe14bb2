#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

// Which runs a folder holds, and whether their files changed.

namespace pair::watch {

// What tells that a file changed, without opening it.
struct Stamp {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint64_t size = 0;
  std::int64_t modified = 0;  // nanoseconds since 1970

  bool operator==(const Stamp&) const = default;
};

struct RunStamps {
  std::optional<Stamp> results;  // nothing where the run has no results.jsonl
  std::optional<Stamp> done;
  std::optional<Stamp> failed;

  bool operator==(const RunStamps&) const = default;
};

struct RunFolders {
  std::map<std::filesystem::path, RunStamps> runs;  // by folder
  std::vector<std::string> left_out;                // sentences, one a folder that is not looked into

  bool operator==(const RunFolders&) const = default;
};

// The folder itself, where it has a results.jsonl, and the folders directly inside of it. A link counts as
// what it leads to, but only while that lies inside of the folder: one that leads out is left out, and so is
// a run with a file that leads out or is no plain file. A folder that is gone, or cannot be read, holds
// nothing.
RunFolders find_runs(const std::filesystem::path& folder);

}  // namespace pair::watch
