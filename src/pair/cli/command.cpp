#include "pair/cli/command.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <exception>
#include <iostream>
#include <new>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/names.h"
#include "pair/base/reason.h"
#include "pair/cli/parse_errors.h"

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
                             (errno != 0 ? base::reason(errno) : "the stream has failed"));
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

  const auto refuse = [&](const std::exception& error) {
    context.err << "pair: " << printable_lines(with_option_name(app, error.what())) << '\n';
    return exit_bad_input;
  };
  try {
    try {
      refuse_unknown_subcommands(app, context.arguments.subspan(1));
      app.parse(argc, argv);
    } catch (const CLI::Success& request) {
      app.exit(request, context.out, context.err);  // prints the help or the version
    } catch (const CLI::ParseError& error) {
      throw UsageError(message_of(error, app, context.settings));
    }
    flush(context.out);
    return context.status;
  } catch (const UsageError& error) {
    return refuse(error);
  } catch (const std::invalid_argument& error) {
    return refuse(error);
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

std::string notice_line(std::string_view sentence) {
  return (sentence.starts_with("warning: ") ? "pair: " : "pair: note: ") + printable_lines(sentence);
}

}  // namespace pair::cli
