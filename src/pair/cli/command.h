#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <iosfwd>
#include <span>
#include <stdexcept>

// What every subcommand shares. A subcommand is one function, add_NAME(app, context), in a file of its own:
// it declares its options, a footer with an example, and a callback that does the work. main.cpp lists them.

namespace pair::cli {

// What 'pair' exits with. A subcommand that goes on after an error records it in Context::status.
inline constexpr int exit_ok = 0;
inline constexpr int exit_failure = 1;    // it could not be done: no memory, a full disk
inline constexpr int exit_bad_input = 2;  // it could not be understood: arguments, files or lines of input

struct Context {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  int status = exit_ok;
  std::span<const char* const> arguments = {};  // all of them, the program's name first; set by run()
};

// Arguments that cannot be used; ends the program with exit_bad_input. Any other exception that leaves a
// subcommand ends it with exit_failure. The message becomes "pair: MESSAGE".
class UsageError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The reader of the output has gone, as with 'pair report --json | head'. run() ends quietly with the status
// so far.
class ReaderGone : public std::runtime_error {
 public:
  ReaderGone() : std::runtime_error("cannot write the output: the reader closed it") {}
};

// Writes out what is still buffered. Throws ReaderGone where nobody reads it any more, and std::runtime_error
// where it fails otherwise, as on a full disk.
void flush(std::ostream& out);

// Parses the arguments, runs the subcommand that they name and returns the exit status. Reports everything
// on context.err, exceptions included; --help and --version go to context.out.
int run(int argc, const char* const* argv, Context& context,
        const std::function<void(CLI::App&, Context&)>& add_subcommands);

}  // namespace pair::cli
