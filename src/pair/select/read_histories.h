#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "pair/select/history.h"

// Reads sweeps from disk: folders of run folders, each with a results.jsonl, DomainBed's or ours.

namespace pair::select {

// A line that was left out.
struct BadLine {
  std::size_t line = 0;  // from 1
  std::string what;      // "is not JSON"
};

// A file, folder or line that was left out.
struct Omission {
  std::filesystem::path path;  // a file, or a run's folder
  std::size_t line = 0;        // from 1; 0 if not about a line
  std::string what;            // "is not JSON", "has no results.jsonl"
  // Further lines of the same file that were left out: their number, and the first few.
  std::size_t more_lines = 0;
  std::vector<BadLine> next_lines = {};

  // The number of lines per file whose reasons are kept, including the first.
  static constexpr std::size_t most_reasons = 20;

  // "sweep/a/results.jsonl, line 3, is not JSON (and 2 more lines)".
  [[nodiscard]] std::string sentence() const;
  // One sentence per line whose reason was kept, and one for the rest.
  [[nodiscard]] std::vector<std::string> sentences() const;
};

// A run that failed before its first record.
struct FailedRun {
  std::filesystem::path folder;
  std::string reason;  // the first line of its file 'failed'

  // "sweep/a failed before its first record: no such dataset".
  [[nodiscard]] std::string sentence() const;
};

struct Histories {
  History history;                    // sorted by name
  std::vector<FailedRun> failed;      // sorted by folder; runs that failed later are in the history
  std::vector<Omission> left_out;     // sorted by path
  std::vector<std::string> not_done;  // runs without the file 'done'; their records are included
  std::size_t records = 0;
  std::uint64_t bytes = 0;
};

struct ReadOptions {
  std::size_t threads = 0;                           // 0: one per core
  std::size_t longest_line = std::size_t{16} << 20;  // bytes; a longer line is left out
  // Called occasionally, from the calling thread, with the number of run folders read and the total.
  std::function<void(std::size_t, std::size_t)> progress = {};
};

// Reads the runs in the given folders and in their direct subfolders. Links are followed; a file that is
// reached twice is read once. If some runs name an algorithm as DomainBed does and others as we do, all get
// DomainBed's name (catalog.h).
//
// A given folder without runs is reported in left_out if another one has runs, and so is a subfolder that has runs
// only in its own subfolders.
//
// Invalid content does not stop the reading: it is left out and reported. This includes the records of a
// finished run if they do not match the digest in its file 'done' (DomainBed's 'done' has none), and an
// incomplete last line, as in a run that is being written or was killed; a complete record without a line end
// is read. Throws std::invalid_argument if a given folder does not exist, is not a folder or cannot be read.
Histories read_histories(std::span<const std::filesystem::path> folders, const ReadOptions& options = {});

}  // namespace pair::select
