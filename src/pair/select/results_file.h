#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pair/base/files.h"
#include "pair/data/chained_digest.h"
#include "pair/select/read_histories.h"
#include "pair/select/record_line.h"

namespace pair::select {

// One results.jsonl.
struct ResultsFile {
  std::vector<Run> runs;  // nearly always one; more where lines have different args
  bool done = false;      // the run's folder has the file `done`
  std::optional<Omission> left_out;
  std::size_t records = 0;
  std::uint64_t bytes = 0;
};

// Reads results files one after another, with buffers that it keeps. One a thread.
class ResultsReader {
 public:
  explicit ResultsReader(std::size_t longest_line) : longest_(longest_line), parser_(make_line_parser()) {}

  // The run in a folder, named after it. A file that cannot be read is left out; nothing is thrown. So are
  // the records of a run that is done where they are not those that it ended with: its `done` has their
  // number and their digest (data/chained_digest.h). A `done` that has none, such as DomainBed's, says only
  // that the run is done.
  ResultsFile read_run(const std::filesystem::path& folder);

  // One file alone; the runs are named after `name`. A file that cannot be read is left out.
  ResultsFile read(const std::filesystem::path& file, const std::string& name);

 private:
  // Of the file's bytes, where there is a digest to compare with.
  void read_lines(base::RegularFile& file, data::ChainedDigest* digest, ResultsFile& result);
  void take_line(const char* line, std::size_t length, ResultsFile& result);
  // What the line, counted already, is: a record of some run, or what is wrong with it.
  std::string take_record(const char* line, std::size_t length, ResultsFile& result);
  void leave_out(std::string what, ResultsFile& result);

  std::size_t longest_;
  std::unique_ptr<LineParser> parser_;
  std::string buffer_;
  RecordLine record_;
  std::filesystem::path file_;
  std::string name_;
  std::size_t line_ = 0;
};

}  // namespace pair::select
