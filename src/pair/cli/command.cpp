#include "pair/cli/command.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <exception>
#include <iostream>
#include <new>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/names.h"

namespace pair::cli {
namespace {

// CLI11 would only report an unexpected word.
void refuse_unknown_subcommands(const CLI::App& app, std::span<const char* const> arguments) {
  const CLI::App* level = &app;
  for (const std::string_view argument : arguments) {
    const std::vector<const CLI::App*> known = level->get_subcommands([](const CLI::App*) { return true; });
    if (known.empty() || argument.empty() || argument.front() == '-') {
      return;
    }
    const CLI::App* named = nullptr;
    std::vector<std::string> names;
    for (const CLI::App* candidate : known) {
      names.push_back(candidate->get_name());
      named = candidate->get_name() == argument ? candidate : named;
    }
    if (named == nullptr) {
      throw UsageError(base::unknown_name("subcommand", argument,
                                          std::vector<std::string_view>(names.begin(), names.end())));
    }
    level = named;
  }
}

// CLI11 only reports "Could not convert: --last = x", not what is expected.
void refuse_unconverted(const CLI::App& app, std::string_view said) {
  constexpr std::string_view before = "Could not convert: ";
  constexpr std::string_view between = " = ";
  const std::size_t middle = said.find(between);
  if (!said.starts_with(before) || middle == std::string_view::npos) {
    return;
  }
  const std::string name(said.substr(before.size(), middle - before.size()));
  const CLI::App* level = &app;
  while (!level->get_subcommands().empty()) {
    level = level->get_subcommands().front();
  }
  const CLI::Option* const option = level->get_option_no_throw(name);
  const std::string type = option != nullptr ? option->get_type_name() : "";
  const char* const expected = type.starts_with("UINT")    ? "an integer of at least 0"
                               : type.starts_with("INT")   ? "an integer"
                               : type.starts_with("FLOAT") ? "a number"
                                                           : nullptr;
  if (expected != nullptr) {
    throw UsageError(name + ": expected " + expected + ", got '" +
                     std::string(said.substr(middle + between.size())) + "'");
  }
}

// A message may quote the content of a file or the name of a folder.
std::string printable_lines(std::string_view text) {
  std::string lines;
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
    lines += base::printable(text.substr(0, end)) + '\n';
  }
  return lines + base::printable(text);
}

// A write that failed earlier has left no errno, but the pipe still reports it.
bool is_closed_pipe(const std::ostream& out) {
  if (out.rdbuf() != std::cout.rdbuf()) {
    return false;
  }
  pollfd output{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return ::poll(&output, 1, 0) > 0 && (output.revents & POLLERR) != 0;
}

}  // namespace

void flush(std::ostream& out) {
  errno = 0;
  if (!out.flush()) {
    if (errno == EPIPE || is_closed_pipe(out)) {
      throw ReaderGone();
    }
    throw std::runtime_error(std::string("cannot write the output: ") +
                             (errno != 0 ? std::strerror(errno) : "the stream has failed"));
  }
}

int run(int argc, const char* const* argv, Context& context,
        const std::function<void(CLI::App&, Context&)>& add_subcommands) {
  context.arguments = std::span(argv, static_cast<std::size_t>(argc));
  CLI::App app("PAIR: train and select models that generalise to unseen environments.", "pair");
  app.set_version_flag("--version", "pair " PAIR_VERSION, "Print the version and exit");
  app.require_subcommand(1);
  app.footer(
      "Every subcommand has --help.\n\n"
      "Example:\n"
      "  pair demo\n"
      "  pair train --dataset cmnist --algorithm pair\n"
      "  pair list algorithms");
  add_subcommands(app, context);

  try {
    try {
      refuse_unknown_subcommands(app, context.arguments.subspan(1));
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      refuse_unconverted(app, error.what());
      if (app.exit(error, context.out, context.err) != 0) {
        return exit_bad_input;
      }
    }
    flush(context.out);
    return context.status;
  } catch (const UsageError& error) {
    context.err << "pair: " << printable_lines(error.what()) << '\n';
    return exit_bad_input;
  } catch (const ReaderGone&) {
    return context.status;
  } catch (const std::bad_alloc&) {
    context.err << "pair: out of memory\n";
    return exit_failure;
  } catch (const std::exception& error) {
    context.err << "pair: " << printable_lines(error.what()) << '\n';
    return exit_failure;
  }
}

}  // namespace pair::cli
