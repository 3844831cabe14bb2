#include <sys/ioctl.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pair/cli/commands.h"
#include "pair/cli/train_arguments.h"
#include "pair/cli/train_events.h"
#include "pair/cli/train_interrupt.h"
#include "pair/cli/train_progress.h"
#include "pair/cli/train_ranks.h"
#include "pair/cli/train_specs.h"
#include "pair/cli/train_summary.h"
#include "pair/data/image.h"
#include "pair/runs/launch_check.h"
#include "pair/runs/rank_run.h"
#include "pair/runs/run.h"
#include "pair/runs/run_directory.h"
#include "pair/runs/settings.h"
#include "pair/runs/warnings.h"

namespace pair::cli {
namespace {

using runs::RunResult;
using runs::RunSpec;

ProgressDisplay display_for(const TrainArguments& arguments, std::ostream& err) {
  using Style = ProgressDisplay::Style;
  struct winsize size {};
  const bool terminal = isatty(STDERR_FILENO) != 0;
  const bool known = terminal && ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return {err,
          arguments.quiet ? Style::none
          : terminal      ? Style::bar
                          : Style::lines,
          known ? size.ws_col : 80U};
}

// One run, to its end or until it is stopped. Adds the sentences that it prints to `said`, and prints none of
// those again.
RunResult train_one(const RunSpec& spec, const std::filesystem::path& directory,
                    const TrainArguments& arguments, const train::Ranks& ranks, const Interrupt& interrupt,
                    runs::DatasetCache& datasets, std::set<std::string>& said, Context& context) {
  const std::vector<std::string> warnings =
      ranks.rank() == 0 ? runs::warnings_of(std::span(&spec, 1)) : std::vector<std::string>();
  for (const std::string& warning : warnings) {
    if (said.insert(warning).second) {
      context.err << notice_line("warning: " + warning) << std::endl;
    }
  }
  TensorBoardFiles tensorboard(directory, arguments.tensorboard);
  ProgressDisplay display = display_for(arguments, context.err);
  const auto began = std::chrono::steady_clock::now();
  runs::RunHooks hooks;
  hooks.keep_model = !arguments.no_model;
  hooks.ranks = ranks;
  hooks.should_stop = [&] { return interrupt.signal() != 0; };
  hooks.notice = [&](std::string_view sentence) {
    if (!said.emplace(sentence).second) {
      return;
    }
    if (ranks.rank() == 0 && sentence.starts_with("warning: ")) {
      display.warn(notice_line(sentence));
    } else {
      display.say(notice_line(sentence));
    }
  };
  hooks.progress = [&](const runs::Progress& progress) {
    tensorboard.follow(progress);
    if (progress.step == progress.first && progress.first > 0) {
      display.say("Resumed at step " + std::to_string(progress.first) + " of " +
                  std::to_string(progress.steps));
    }
    display.show(progress, std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count());
  };

  RunResult result;
  try {
    result = runs::run(spec, directory, datasets, hooks);
    if (result.was_done) {
      tensorboard.catch_up(result.step);
    }
  } catch (...) {
    display.end();
    throw;
  }
  display.end();

  if (!arguments.json && !arguments.quiet) {
    write_scores(spec, result, context.out);
    context.out << (result.was_done ? "Already finished; records in " : "Records in ")
                << runs::results_file(directory).string() << '\n';
  }
  if (result.status == RunResult::Status::stopped) {
    // Another rank may have received the signal.
    context.status = 128 + (interrupt.signal() != 0 ? interrupt.signal() : SIGTERM);
  }
  if (result.status == RunResult::Status::stopped && ranks.rank() == 0) {
    display.say("Stopped at step " + std::to_string(result.step) + " of " +
                std::to_string(spec.settings.steps) + "; the same command continues from there");
  }
  return result;
}

void train_specs(const std::vector<RunSpec>& specs, const TrainArguments& arguments,
                 const train::Ranks& ranks, const Interrupt& interrupt, Context& context) {
  if (arguments.no_model && specs.front().keep_checkpoints != runs::KeepCheckpoints::last) {
    throw UsageError("--no-model: expected keep_checkpoints to be last, got '" +
                     runs::text_of(specs.front(), "keep_checkpoints") + "', which keeps models");
  }
  const bool several = specs.size() > 1;
  runs::DatasetCache datasets;
  runs::LaunchCheck check;
  std::vector<TrainedRun> done;
  std::set<std::string> said;
  for (const RunSpec& spec : specs) {
    const std::filesystem::path directory =
        arguments.out.empty() ? runs::default_directory(spec)
        : several             ? std::filesystem::path(arguments.out) / runs::folder_name(spec)
                              : std::filesystem::path(arguments.out);
    // Rank 0 has the folder.
    bool finished = false;
    runs::check_together(ranks, [&] {
      finished = ranks.rank() == 0 && runs::RunDirectory::finished(directory, spec).has_value();
    });
    finished = ranks.from_first(finished ? "1" : "0") == "1";
    // Before a folder is made: errors in a user's data, model and weights are found here.
    if (!finished) {
      runs::check_together(ranks, [&] { check.require_trainable(runs::placed(spec, ranks), datasets); });
      if (data::entry_of(spec.dataset.name).described && !arguments.json && !arguments.quiet) {
        context.out << runs::description_of_data(spec, datasets) << std::flush;
      }
    }
    const std::int64_t sent = ranks.bytes_sent();
    RunResult result = train_one(spec, directory, arguments, ranks, interrupt, datasets, said, context);
    done.push_back({spec, std::move(result), directory, ranks.bytes_sent() - sent});
    if (done.back().result.status == RunResult::Status::stopped) {
      break;
    }
  }

  const bool complete =
      done.size() == specs.size() && done.back().result.status == RunResult::Status::finished;
  if (arguments.json) {
    context.out << (several ? left_out_json(done, ranks.size(), complete)
                            : summary_json(done.front(), ranks.size()))
                       .dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace)
                << '\n';
  } else if (several && !arguments.quiet && done.size() == specs.size()) {
    write_left_out(done, context.out);
  }
}

void train(const TrainArguments& arguments, Context& context) {
  // Exceeding a file size limit must be a failed write, like a full disk.
  std::signal(SIGXFSZ, SIG_IGN);
  std::vector<std::string> notes;
  const std::vector<RunSpec> specs = specs_of(arguments, &notes);  // before ranks are started
  const Interrupt interrupt;
  TrainRanks ranks(arguments.ranks, context.arguments);
  const std::int64_t rank = ranks.ranks().rank();
  TrainArguments own = arguments;
  if (rank > 0) {  // rank 0 reports
    own.quiet = true;
    own.json = false;
    own.tensorboard = false;
  }
  for (const std::string& note : own.quiet ? std::vector<std::string>() : notes) {
    context.err << notice_line(note) << std::endl;
  }
  const std::string name = rank > 0 ? "rank " + std::to_string(rank) + ": " : "";
  try {
    train_specs(specs, own, ranks.ranks(), interrupt, context);
  } catch (const train::RankLost& lost) {
    std::string message = name + lost.what();
    for (const std::string& sentence : ranks.end()) {
      message += "; " + sentence;
    }
    throw std::runtime_error(message);
  } catch (const runs::Reported& error) {
    context.status = error.bad_input() ? exit_bad_input : exit_failure;
  } catch (const data::BrokenImage& broken) {
    throw std::invalid_argument(name + broken.what());
  } catch (const std::invalid_argument&) {
    if (rank == 0) {
      throw;
    }
    context.status = exit_bad_input;  // all ranks find it, and rank 0 reports it
  } catch (const std::runtime_error& error) {
    if (rank == 0) {
      throw;
    }
    throw std::runtime_error(name + error.what());
  }
  for (const std::string& sentence : ranks.end()) {
    context.err << "pair: " << sentence << std::endl;
  }
}

}  // namespace

void add_train(CLI::App& app, Context& context) {
  const auto arguments = std::make_shared<TrainArguments>();
  CLI::App* command = app.add_subcommand("train", "Train a model and record its losses and accuracies");
  add_train_options(*command, *arguments);
  command->callback([arguments, command, &context] {
    check_train_options(*command, *arguments);
    train(*arguments, context);
  });
}

}  // namespace pair::cli
