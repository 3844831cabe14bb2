#include "pair/cli/select.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/algorithm_names.h"
#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/cli/left_out.h"
#include "pair/cli/reading_progress.h"
#include "pair/cli/select_export.h"
#include "pair/cli/select_report.h"
#include "pair/select/catalog.h"
#include "pair/select/criteria.h"
#include "pair/select/domainbed.h"
#include "pair/select/losses.h"
#include "pair/select/pair_within_run.h"
#include "pair/select/read_histories.h"

namespace pair::cli {
namespace {

using select::PairOptions;
using select::Validation;

struct CommandArguments {
  std::vector<std::string> folders;
  SelectArguments select;
};

// Keeps only the runs that the option names. A name that no run has is an error.
template <class Of, class Same>
void keep_named(const char* kind, const std::vector<std::string>& names, select::History& history, Of of,
                Same same) {
  if (names.empty()) {
    return;
  }
  std::set<std::string> known;
  for (const select::Run& run : history) {
    known.insert(of(run));
  }
  for (const std::string& name : names) {
    if (std::none_of(history.begin(), history.end(),
                     [&](const select::Run& run) { return same(name, run); })) {
      throw UsageError(
          base::unknown_name(kind, name, std::vector<std::string_view>(known.begin(), known.end())));
    }
  }
  std::erase_if(history, [&](const select::Run& run) {
    return std::none_of(names.begin(), names.end(), [&](const std::string& name) { return same(name, run); });
  });
}

// By the algorithm's name or by the method's: 'pair' keeps 'pair (erm, irmv1)', too.
void keep_algorithms(const std::vector<std::string>& names, select::History& history) {
  if (names.empty()) {
    return;
  }
  const auto is_called = [](const select::Run& run, const std::string& name) {
    return select::is_algorithm(name, run) || base::same_algorithm(name, run.trained_as());
  };
  std::set<std::string> known;
  for (const select::Run& run : history) {
    known.insert({run.algorithm, run.trained_as()});
  }
  for (const std::string& name : names) {
    if (std::none_of(history.begin(), history.end(),
                     [&](const select::Run& run) { return is_called(run, name); })) {
      throw UsageError(
          base::unknown_name("algorithm", name, std::vector<std::string_view>(known.begin(), known.end())));
    }
  }
  std::erase_if(history, [&](const select::Run& run) {
    return std::none_of(names.begin(), names.end(),
                        [&](const std::string& name) { return is_called(run, name); });
  });
}

void keep_what_is_asked_for(const SelectArguments& arguments, select::Histories& histories) {
  keep_named(
      "dataset", arguments.datasets, histories.history, [](const select::Run& run) { return run.dataset; },
      [](const std::string& name, const select::Run& run) { return name == run.dataset; });
  keep_algorithms(arguments.algorithms, histories.history);
  histories.records =
      std::accumulate(histories.history.begin(), histories.history.end(), std::size_t{0},
                      [](std::size_t sum, const select::Run& run) { return sum + run.records(); });
}

template <class Value, std::size_t size>
using Named = std::array<std::pair<std::string_view, Value>, size>;

constexpr Named<Validation, 4> validations{{{"train-domain", Validation::train_domain},
                                            {"test-domain", Validation::test_domain},
                                            {"leave-one-out", Validation::leave_one_out},
                                            {"training", Validation::training}}};
constexpr Named<select::Across, 3> across{{{"paper", select::Across::paper},
                                           {"score", select::Across::score},
                                           {"validation", select::Across::validation}}};
constexpr Named<select::LossesFrom, 2> losses_from{
    {{"train", select::LossesFrom::train}, {"held-out", select::LossesFrom::held_out}}};
using Writer = void (*)(const SelectReport&, std::ostream&);
constexpr Named<Writer, 5> formats{{{"text", write_text},
                                    {"latex", write_latex},
                                    {"markdown", write_markdown},
                                    {"csv", write_csv},
                                    {"json", write_json}}};

template <class Value, std::size_t size>
Value named(const char* kind, const std::string& name, const Named<Value, size>& known) {
  std::array<std::string_view, size> names;
  for (std::size_t i = 0; i < size; ++i) {
    if (known[i].first == name) {
      return known[i].second;
    }
    names[i] = known[i].first;
  }
  throw UsageError(base::unknown_name(kind, name, names));
}

std::vector<double> preference_of(const std::string& text) {
  std::vector<double> preference;
  if (text == "auto") {
    return preference;
  }
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t comma = std::min(text.find(',', start), text.size());
    double value = 0.0;
    const auto [end, error] = std::from_chars(text.data() + start, text.data() + comma, value);
    if (start == comma || error != std::errc() || end != text.data() + comma) {
      throw UsageError("--preference: expected auto or numbers, such as 1,1e10,1e12, got '" + text + "'");
    }
    preference.push_back(value);
    start = comma + 1;
  }
  return preference;
}

PairOptions pair_options(const SelectArguments& arguments) {
  PairOptions options;
  options.preference = preference_of(arguments.preference);
  options.skip = arguments.skip;
  options.last = arguments.last;
  options.percentile = arguments.percentile;
  options.losses = arguments.losses;
  options.losses_from = named("place of losses", arguments.losses_from, losses_from);
  options.with_sign = arguments.with_sign;
  options.across = named("way to choose among runs", arguments.across, across);
  return options;
}

void check_count(const char* option, const std::optional<std::int64_t>& count, std::int64_t least) {
  if (count && *count < least) {
    throw UsageError(std::string(option) + ": expected an integer of at least " + std::to_string(least) +
                     ", got " + std::to_string(*count));
  }
}

// A misspelt loss would leave out every run.
void check_losses(const std::vector<std::string>& losses, const select::History& history) {
  const std::set<std::string> known = select::loss_names(history);
  for (const std::string& loss : losses) {
    if (std::count(losses.begin(), losses.end(), loss) > 1) {
      throw UsageError("--losses: expected each loss once, got '" + loss + "' twice");
    }
    if (loss.ends_with("_acc")) {
      throw UsageError("--losses: '" + loss + "' is an accuracy, not a loss");
    }
    if (std::none_of(history.begin(), history.end(),
                     [&loss](const select::Run& run) { return run.find_loss(loss) != nullptr; })) {
      throw UsageError(
          base::unknown_name("loss", loss, std::vector<std::string_view>(known.begin(), known.end())));
    }
  }
}

// The release's rule for ColoredMNIST. Without --validation, training accuracy where nothing is held out.
select::Selection within_runs(const SelectArguments& arguments, const PairOptions& pair,
                              const select::History& history) {
  select::WithinRunOptions options{pair.losses, pair.preference, pair.skip, Validation::train_domain};
  if (!arguments.validation.empty()) {
    options.validation = named("validation", arguments.validation, validations);
    if (options.validation != Validation::train_domain && options.validation != Validation::training) {
      throw UsageError("--validation: expected train-domain or training for the criterion pair-run, got '" +
                       arguments.validation + "'");
    }
    return pair_within_run(history, options);
  }
  select::Selection held_out = pair_within_run(history, options);
  options.validation = Validation::training;
  return held_out.decisions.empty() ? pair_within_run(history, options) : held_out;
}

std::vector<select::Selection> selections_of(const SelectArguments& arguments,
                                             const select::History& history) {
  constexpr std::array<std::string_view, 6> known{"pair",          "pair-run", "train-domain",
                                                  "leave-one-out", "oracle",   "all"};
  const std::string& criterion = arguments.criterion;
  if (std::find(known.begin(), known.end(), criterion) == known.end()) {
    throw UsageError(base::unknown_name("criterion", criterion, known));
  }
  PairOptions options = pair_options(arguments);
  std::vector<select::Selection> selections;
  if (criterion == "pair" || criterion == "all") {
    check_losses(options.losses, history);
    std::vector<Validation> which{Validation::train_domain};
    if (!arguments.validation.empty()) {
      which = {named("validation", arguments.validation, validations)};
    } else if (criterion == "all") {
      which.push_back(Validation::test_domain);
    }
    for (const Validation validation : which) {
      options.validation = validation;
      selections.push_back(arguments.validation.empty() ? pair_s_or_training(history, options)
                                                        : pair_s(history, options));
    }
  }
  if (criterion == "pair-run") {
    check_losses(options.losses, history);
    selections.push_back(within_runs(arguments, options, history));
  }
  if (criterion == "train-domain" || criterion == "all") {
    selections.push_back(train_domain_or_training(history));
  }
  if (criterion == "leave-one-out" || criterion == "all") {
    selections.push_back(leave_one_out(history));
  }
  if (criterion == "oracle" || criterion == "all") {
    selections.push_back(oracle(history));
  }
  return selections;
}

void say_what_was_left_out(const select::Histories& histories,
                           const std::vector<select::Selection>& selections, bool all, std::ostream& err) {
  say_left_out(histories, all, "--explain names all", err);
  if (const std::size_t count = histories.not_done.size(); count > 0) {
    err << "pair: " << count << (count == 1 ? " run is" : " runs are") << " not finished, such as "
        << base::printable(histories.not_done.front()) << "; their records so far are included\n";
  }
  std::set<std::string> said;
  for (const select::Selection& selection : selections) {
    for (const std::string& note : selection.notes) {
      if (said.insert(note).second) {
        err << "pair: " << selection.title << ": " << base::printable(note) << '\n';
      }
    }
  }
}

}  // namespace

void run_select(std::span<const std::filesystem::path> folders, const SelectArguments& arguments,
                Context& context) {
  const Writer write = named("format", arguments.format, formats);
  if (arguments.explain && arguments.format == "latex") {
    throw UsageError("--explain does not apply to --format latex; expected text, markdown, csv or json");
  }
  if (!(arguments.percentile >= 0.0 && arguments.percentile <= 1.0)) {
    throw UsageError("--percentile: expected a number from 0 to 1, got " + base::shown(arguments.percentile));
  }
  check_count("--skip-steps", arguments.skip, 0);
  check_count("--last", arguments.last, 1);
  if (!arguments.export_to.empty() && arguments.criterion == "all") {
    throw UsageError(
        "--export: expected one criterion (--criterion pair, pair-run, train-domain, leave-one-out or "
        "oracle), "
        "got all");
  }
  select::ReadOptions options;
  options.progress = ReadingProgress(context.err);
  select::Histories histories = read_histories(folders, options);
  if (histories.history.empty()) {
    say_what_was_left_out(histories, {}, arguments.explain, context.err);
    throw UsageError("no run found in '" + folders.front().string() +
                     "'; expected a folder of run folders, each with a results.jsonl");
  }
  keep_what_is_asked_for(arguments, histories);
  SelectReport report{histories, selections_of(arguments, histories.history), arguments.percentile,
                      arguments.explain};
  say_what_was_left_out(histories, report.selections, arguments.explain, context.err);
  write(report, context.out);
  if (std::all_of(report.selections.begin(), report.selections.end(),
                  [](const select::Selection& selection) { return selection.decisions.empty(); })) {
    throw std::runtime_error("no model could be chosen from " + std::to_string(histories.history.size()) +
                             (histories.history.size() == 1 ? " run" : " runs") +
                             "; the lines above say what each criterion needs");
  }
  if (!arguments.export_to.empty()) {
    const std::vector<ExportedModel> models =
        export_choices(report.selections.front().decisions, arguments.export_to);
    // Other formats are for programs.
    std::ostream& out = arguments.format == "text" ? context.out : context.err;
    for (const ExportedModel& model : models) {
      out << base::printable("Model of " + model.run + ", step " + std::to_string(model.step) + ", in " +
                             model.place.string())
          << '\n';
    }
  }
}

void add_select_options(CLI::App& command, SelectArguments& arguments) {
  command
      .add_option(
          "--criterion", arguments.criterion,
          "pair, pair-run (PAIR-s within each run, as in the paper's ColoredMNIST tables), train-domain, "
          "leave-one-out, oracle, or all: all except pair-run")
      ->capture_default_str();
  command.add_option(
      "--validation", arguments.validation,
      "PAIR-s's validation accuracy: train-domain (held out), test-domain (held out), leave-one-out "
      "(in runs with a second test domain) or training (default: train-domain; with --criterion "
      "all, the first two)");
  command
      .add_option(
          "--preference", arguments.preference,
          "PAIR-s: one number per loss, such as 1,1e10, in the order of --losses or else of the run's "
          "objectives; auto: estimated from the losses in the sweep")
      ->capture_default_str();
  CLI::Option* skip = command.add_option("--skip-steps", arguments.skip,
                                         "PAIR-s: number of logged steps to ignore at the beginning");
  command
      .add_option("--last", arguments.last,
                  "PAIR-s: number of last logged steps to consider (default: the paper's 5 or 10)")
      ->excludes(skip);
  command
      .add_option("--percentile", arguments.percentile,
                  "PAIR-s: position of the bar between the smallest (0) and largest (1) validation accuracy")
      ->capture_default_str();
  command
      .add_option("--losses", arguments.losses,
                  "PAIR-s: keys of the records, such as nll,penalty (default: the paper's for the algorithm)")
      ->delimiter(',');
  command
      .add_option(
          "--losses-from", arguments.losses_from,
          "PAIR-s: where losses are measured: train (the samples of training steps) or held-out (held-out "
          "samples of the training environments)")
      ->capture_default_str();
  command.add_flag("--signed", arguments.with_sign,
                   "PAIR-s: use the sign of losses; by default, with two or more, only the magnitude counts");
  command
      .add_option("--across", arguments.across,
                  "PAIR-s: how to choose among runs: score, validation or paper (validation for GroupDRO, "
                  "DANN and the "
                  "test domain, otherwise score)")
      ->capture_default_str();
  command.add_option("--format", arguments.format, "text, latex, markdown, csv or json")
      ->capture_default_str();
  command.add_option(
      "--export", arguments.export_to,
      "Copy each chosen model, as of the chosen step, into this folder (model.safetensors and "
      "model.json; one subfolder per choice if there are several), or the weights alone into a "
      "file that ends in .safetensors. Needs one --criterion, and runs trained with "
      "--keep-checkpoints all");
  command.add_flag("--explain", arguments.explain,
                   "Also list every candidate, and everything that was left out");
}

void add_select(CLI::App& app, Context& context) {
  const auto arguments = std::make_shared<CommandArguments>();
  CLI::App* command = app.add_subcommand("select", "Choose models from the records of a sweep");
  command->add_option("DIR", arguments->folders, "Folders of run folders, each with a results.jsonl")
      ->required();
  command->add_option("--datasets", arguments->select.datasets, "Only these, separated by commas")
      ->delimiter(',');
  command
      ->add_option("--algorithms", arguments->select.algorithms,
                   "Only these, separated by commas; DomainBed's names or ours")
      ->delimiter(',');
  add_select_options(*command, arguments->select);
  command->footer(
      "Reads our records and DomainBed's. The score of PAIR-s is -L^T p, p summing to 1: higher is "
      "better.\n\n"
      "Example:\n"
      "  pair select sweep --criterion all\n"
      "  pair select sweep --criterion pair --preference 1,1e4 --last 5 --explain\n"
      "  pair select sweep --criterion pair --algorithms pair --export chosen\n"
      "  pair select sweep --criterion oracle --format json | jq '.criteria[0].choices[0].chosen'");
  command->callback([arguments, &context] {
    try {
      const std::vector<std::filesystem::path> folders(arguments->folders.begin(), arguments->folders.end());
      say_strangers(folders, context.err);
      run_select(folders, arguments->select, context);
    } catch (const std::invalid_argument& error) {
      throw UsageError(error.what());
    }
  });
}

}  // namespace pair::cli
