#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <iosfwd>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

// Common parts of all subcommands. A subcommand is one function, add_NAME(app, context), in its own file: it
// declares its options, a footer with an example, and a callback that does the work. program.cpp adds them.

namespace pair::cli {

// Exit statuses of 'pair'. A subcommand that continues after an error records it in Context::status.
inline constexpr int exit_ok = 0;
inline constexpr int exit_failure = 1;    // failure: out of memory, a full disk
inline constexpr int exit_bad_input = 2;  // invalid input: arguments, files or lines of input

struct Context {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  int status = exit_ok;
  std::span<const char* const> arguments = {};  // all arguments, including the program's name; set by run()
  // The names of all settings of runs, to suggest one for an unknown option. Empty in programs without
  // LibTorch.
  std::function<std::vector<std::string>()> settings = {};
};

// Invalid arguments. This and std::invalid_argument, which libraries throw for invalid input, end the program
// with exit_bad_input; any other exception from a subcommand ends it with exit_failure. The message is
// printed as "pair: MESSAGE".
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The reader of the output has closed it, as in 'pair report --json | head'. run() ends quietly with the
// status so far.
class ReaderGone : public std::runtime_error {
 public:
  ReaderGone() : std::runtime_error("cannot write the output: the reader closed it") {}
};

// Writes buffered output. Throws ReaderGone if the reader has closed it, and std::runtime_error for other
// failures, such as a full disk.
void flush(std::ostream& out);

// A library's notice as it is printed: "pair: note: SENTENCE", or "pair: warning: ..." for a sentence that begins
// with "warning: ". Characters that a terminal would not print are replaced (base/names.h), since it may quote the
// content of a file or the name of a folder.
std::string notice_line(std::string_view sentence);

// Parses the arguments, runs the subcommand and returns the exit status. Reports errors, including
// exceptions, on context.err; --help and --version go to context.out.
int run(int argc, const char* const* argv, Context& context,
        const std::function<void(CLI::App&, Context&)>& add_subcommands);

}  // namespace pair::cli
