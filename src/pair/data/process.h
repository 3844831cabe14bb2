#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace pair::data {

struct Finished {
  int status = 0;      // the exit status, or 128 + the signal that ended it; 0 is success
  std::string output;  // standard output and standard error, interleaved
};

// Whether a program of that name is on PATH.
bool is_installed(const std::string& program);

// Runs a program from PATH in a folder and waits for its end. No shell is involved: arguments are passed
// unchanged. Its input is empty. Throws std::runtime_error if it cannot be started.
Finished run_program(std::vector<std::string> command, const std::filesystem::path& folder);

}  // namespace pair::data
