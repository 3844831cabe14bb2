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
  std::vector<Run> runs;  // nearly always one; more if lines have different args
  bool done = false;      // the run's folder has the file `done`
  std::optional<Omission> left_out;
  std::size_t records = 0;
  std::uint64_t bytes = 0;
};

// Reads results files one after another and reuses its buffers. Use one per thread.
class ResultsReader {
 public:
  explicit ResultsReader(std::size_t longest_line) : longest_(longest_line), parser_(make_line_parser()) {}

  // Reads the run in a folder and names it after the folder. Does not throw: a file that cannot be read is
  // left out. So are the records of a finished run that do not match the number and digest in its `done`
  // (data/chained_digest.h). DomainBed's `done`, the word "done", only says that the run has finished; the
  // records next to any other `done` are left out.
  ResultsFile read_run(const std::filesystem::path& folder);

  // Reads a single file; the runs are named after `name`. A file that cannot be read is left out.
  ResultsFile read(const std::filesystem::path& file, const std::string& name);

 private:
  // Also updates the digest with the bytes read, unless it is null.
  void read_lines(base::RegularFile& file, data::ChainedDigest* digest, ResultsFile& result);
  void take_line(const char* line, std::size_t length, ResultsFile& result);
  // Adds the line, which is already counted, to its run, or returns what is wrong with it.
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
