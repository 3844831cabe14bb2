#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <ios>
#include <istream>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "pair/base/reason.h"
#include "pair/cli/commands.h"
#include "pair/cli/lines.h"
#include "pair/cli/set_option.h"
#include "pair/cli/solve_line.h"

namespace pair::cli {
namespace {

constexpr std::size_t longest_line = std::size_t{64} << 20;

struct SolveArguments {
  std::string file = "-";
  SolveDefaults defaults;
  std::vector<std::string> set;
  bool json = false;  // accepted as everywhere
};

class Tally {
 public:
  void count(Outcome outcome, std::size_t line) {
    ++lines_;
    refused_ += outcome == Outcome::refused ? 1 : 0;
    failed_ += outcome == Outcome::failed ? 1 : 0;
    if (outcome != Outcome::solved && first_ == 0) {
      first_ = line;
    }
  }
  // The replies may go to a file, so errors are also reported on the terminal.
  void report(Context& context) const {
    if (first_ == 0) {
      return;
    }
    context.status = failed_ > 0 ? exit_failure : exit_bad_input;
    context.err << "pair: " << lines_ << (lines_ == 1 ? " line: " : " lines: ") << refused_ + failed_
                << " not solved, the first in line " << first_ << "; the replies have the reasons\n";
  }

 private:
  std::size_t lines_ = 0;
  std::size_t refused_ = 0;
  std::size_t failed_ = 0;
  std::size_t first_ = 0;
};

std::ifstream open(const std::string& file) {
  if (std::error_code ignored; std::filesystem::is_directory(file, ignored)) {
    throw UsageError("'" + file + "' is a directory; expected a file of JSON lines, or - for standard input");
  }
  errno = 0;
  std::ifstream stream(file, std::ios::binary);
  if (!stream) {
    throw UsageError("cannot open '" + file + "': " + base::reason(errno) +
                     "; expected a file of JSON lines, or - for standard input");
  }
  return stream;
}

void solve_lines(std::istream& in, bool interactive, const PreparedSolvers& solvers, Context& context) {
  LineReader reader(*in.rdbuf(), longest_line);
  Tally tally;
  for (auto found = reader.next(); found != LineReader::Found::end; found = reader.next()) {
    if (reader.line().find_first_not_of(" \t\r") == std::string::npos && found == LineReader::Found::line) {
      continue;
    }
    const Reply reply = found == LineReader::Found::too_long
                            ? refuse_line(
                                  "the line is longer than 64 MiB; use 'gram' in place of long "
                                  "'gradients'",
                                  reader.number())
                            : solve_line(reader.line(), reader.number(), solvers);
    tally.count(reply.outcome, reader.number());
    context.out << reply.json << '\n';
    // A program that writes lines into a pipe may wait for the reply before the next line.
    if (interactive || !context.out) {
      flush(context.out);
    }
  }
  flush(context.out);
  tally.report(context);
}

PreparedSolvers solvers_for(const SolveArguments& arguments) {
  SolveDefaults defaults = arguments.defaults;
  append_set_option(arguments.set, defaults.options);
  return PreparedSolvers(defaults);
}

void solve(const SolveArguments& arguments, Context& context) {
  const PreparedSolvers solvers = solvers_for(arguments);
  try {
    if (arguments.file == "-") {
      if (isatty(STDIN_FILENO) != 0) {
        context.err << "pair: reading problems from the terminal, one JSON object per line; Ctrl-D ends\n";
      }
      solve_lines(context.in, true, solvers, context);
    } else {
      std::ifstream stream = open(arguments.file);
      solve_lines(stream, false, solvers, context);
    }
  } catch (const std::ios_base::failure& error) {
    throw std::runtime_error("cannot read '" + arguments.file + "': " + error.code().message());
  }
}

constexpr auto footer_before_options = R"(Each line is an object with
  losses      [L1, ..., Lm], not negative, not all 0; m from 2 to 64
  preference  [p1, ..., pm], positive; a larger p_i asks for a smaller L_i
  gram        [[...], ...], m x m inner products of the objectives' gradients; or
  gradients   [[...], ...], the m gradients themselves, each 0 or of a norm from 1e-100 to 1e100
Optional fields:
  solver      its name; 'pair list solvers' has them
  previous    the last step's weights, for epo_smooth
)";

constexpr auto footer_after_options =
    R"(Blank lines are ignored, and so are other fields, except one whose name is similar to that
of a field that is not given: 'loss' in place of 'losses' is an error. The reply to each is a line with weights, phase
(null for solvers without phases), divergence, objective and status; or with error and line,
and then the exit status is 2. Weights are not negative and sum to 1, except that those of
pmtl may be negative; their absolute values then sum to 1.

Example:
  echo '{"losses": [1, 2], "gradients": [[1, 0], [0, 1]], "preference": [1, 1]}' | pair solve
  pair solve --solver mgda problems.jsonl > weights.jsonl)";

std::string footer(const std::vector<LineOption>& options) {
  constexpr std::size_t column = 12;
  std::string text = footer_before_options;
  for (const LineOption& option : options) {
    const std::string& name = option.field->name;
    text += "  " + name + std::string(column > name.size() ? column - name.size() : 1, ' ') +
            option.field->accepted + " (" + option.solvers + ")\n";
  }
  return text + footer_after_options;
}

// --epsilon for the option epsilon, and so on.
void add_options(CLI::App& command, const std::shared_ptr<SolveArguments>& arguments,
                 const std::vector<LineOption>& options) {
  for (const LineOption& option : options) {
    const std::string& name = option.field->name;
    std::string flag = "--" + name;
    std::replace(flag.begin(), flag.end(), '_', '-');
    command
        .add_option_function<std::string>(
            flag,
            [arguments, name](const std::string& text) {
              arguments->defaults.options.emplace_back(name, text);
            },
            "Default for lines without it: " + option.field->summary + " (" + option.solvers + ")")
        ->type_name("VALUE");
  }
  command.add_option("--set", arguments->set, "Any option of a solver as NAME=VALUE")
      ->type_name("NAME=VALUE")
      ->allow_extra_args(false);  // the next word is the file
}

}  // namespace

void add_solve(CLI::App& app, Context& context) {
  const auto arguments = std::make_shared<SolveArguments>();
  const std::vector<LineOption> options = line_options();
  CLI::App* command =
      app.add_subcommand("solve", "Weigh objectives: problems as JSON lines in, weights as JSON lines out");
  command
      ->add_option("FILE", arguments->file,
                   "File of problems, one JSON object per line; - for standard input")
      ->capture_default_str();
  command->add_option("--solver", arguments->defaults.solver, "Solver for lines that do not name one")
      ->capture_default_str();
  add_options(*command, arguments, options);
  command->add_flag("--json", arguments->json, "Has no effect: replies are always JSON lines");
  command->footer(footer(options));
  command->callback([arguments, &context] { solve(*arguments, context); });
}

}  // namespace pair::cli
