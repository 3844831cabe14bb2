#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "pair/select/history.h"

// Sweeps on disk: folders of run folders, each with a results.jsonl, DomainBed's or ours or both.

namespace pair::select {

// A line of a file that was left out.
struct BadLine {
  std::size_t line = 0;  // from 1
  std::string what;      // "is no JSON"
};

// Something that was left out.
struct Omission {
  std::filesystem::path path;  // a file, or a run's folder
  std::size_t line = 0;        // from 1; 0: it is not about a line
  std::string what;            // "is no JSON", "has no results.jsonl"
  // Lines of the same file that were left out after this one: how many, and the first few of them.
  std::size_t more_lines = 0;
  std::vector<BadLine> next_lines = {};

  // So many lines of a file have their reasons kept, the first included.
  static constexpr std::size_t most_reasons = 20;

  // "sweep/a/results.jsonl, line 3, is no JSON (and 2 more lines)".
  [[nodiscard]] std::string sentence() const;
  // The same, a sentence for each line whose reason was kept and one for the rest.
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
  History history;                    // by name
  std::vector<FailedRun> failed;      // by folder; runs that failed later are in the history
  std::vector<Omission> left_out;     // by path
  std::vector<std::string> not_done;  // runs without the file 'done': what they have is read
  std::size_t records = 0;
  std::uint64_t bytes = 0;
};

struct ReadOptions {
  std::size_t threads = 0;                           // 0: one a processor
  std::size_t longest_line = std::size_t{16} << 20;  // bytes; a longer line is left out
  // Called now and then, from the calling thread, with run folders read and in all.
  std::function<void(std::size_t, std::size_t)> progress = {};
};

// The runs in the folders directly inside of those given, and in those themselves. The records of a run that
// is done are left out where they are not those that it ended with: its file 'done' has their digest, but for
// DomainBed's, which is plain. Links are followed; a file
// that is reached twice is read once. An algorithm that some runs have by DomainBed's name and some by ours
// has DomainBed's in all (catalog.h). Nothing inside a sweep stops the reading: what cannot be used is left
// out. So is a last line that is cut off, as a run has that is being written or was killed; a whole record
// there is read, though its line has no end. Throws std::invalid_argument where a folder that is given is
// not a folder, does not exist or cannot be read.
Histories read_histories(std::span<const std::filesystem::path> folders, const ReadOptions& options = {});

}  // namespace pair::select
