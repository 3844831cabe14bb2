#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pair/select/read_histories.h"
#include "pair/select/record_line.h"

namespace pair::select {

// One results.jsonl.
struct ResultsFile {
  std::vector<Run> runs;  // nearly always one; more where lines have different args
  std::optional<Omission> left_out;
  std::size_t records = 0;
  std::uint64_t bytes = 0;
};

// Reads results files one after another, with buffers that it keeps. One a thread.
class ResultsReader {
 public:
  explicit ResultsReader(std::size_t longest_line) : longest_(longest_line), parser_(make_line_parser()) {}

  // The runs are named after `name`. A file that cannot be read is left out; nothing is thrown.
  ResultsFile read(const std::filesystem::path& file, const std::string& name);

 private:
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
