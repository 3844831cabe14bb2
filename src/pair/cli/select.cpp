#include "pair/cli/select.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <numeric>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pair/base/choices.h"
#include "pair/base/names.h"
#include "pair/base/options.h"
#include "pair/cli/left_out.h"
#include "pair/cli/output_options.h"
#include "pair/cli/reading_progress.h"
#include "pair/cli/select_export.h"
#include "pair/cli/select_report.h"
#include "pair/select/read_histories.h"
#include "pair/select/request.h"

namespace pair::cli {
namespace {

struct CommandArguments {
  std::vector<std::string> folders;
  SelectArguments select;
};

using Writer = void (*)(const SelectReport&, std::ostream&);
constexpr std::array<std::pair<std::string_view, Writer>, 5> formats{{{"text", write_text},
                                                                      {"latex", write_latex},
                                                                      {"markdown", write_markdown},
                                                                      {"csv", write_csv},
                                                                      {"json", write_json}}};

Writer writer_of(const std::string& format) {
  std::array<std::string_view, formats.size()> names;
  for (std::size_t i = 0; i < formats.size(); ++i) {
    if (formats[i].first == format) {
      return formats[i].second;
    }
    names[i] = formats[i].first;
  }
  throw UsageError(base::unexpected_name("--format", format, names));
}

// Commas in parentheses belong to a name: "table (mine.csv, label 'y'),digits" has two.
std::vector<std::string> separate_names(const std::vector<std::string>& texts) {
  std::vector<std::string> names;
  for (const std::string& text : texts) {
    int depth = 0;
    std::string name;
    const auto finish = [&] {
      if (!name.empty()) {
        names.push_back(std::exchange(name, {}));
      }
    };
    for (const char c : text) {
      if (c == ',' && depth == 0) {
        finish();
        continue;
      }
      depth += c == '(' ? 1 : c == ')' && depth > 0 ? -1 : 0;
      name += c;
    }
    finish();
  }
  return names;
}

void add_names(CLI::App& command, const std::string& option, std::vector<std::string>& names,
               const std::string& summary) {
  command.add_option_function<std::vector<std::string>>(
      option,
      [&names, option](const std::vector<std::string>& texts) {
        names = separate_names(texts);
        if (names.empty()) {
          throw UsageError(option + ": expected a name, got none");
        }
      },
      summary);
}

std::vector<double> preference_of(const std::string& text) {
  if (text == "auto") {
    return {};
  }
  const std::optional<base::Value> numbers = base::parse_numbers(text);
  if (!numbers) {
    throw UsageError("--preference: expected auto or numbers, such as 1,1e10,1e12, got '" + text + "'");
  }
  return base::numbers_in(*numbers).value();
}

select::Request request_of(const SelectArguments& arguments) {
  select::Request request = arguments.request;
  request.preference = preference_of(arguments.preference);
  check(request);
  return request;
}

std::size_t records_in(const select::History& history) {
  return std::accumulate(history.begin(), history.end(), std::size_t{0},
                         [](std::size_t sum, const select::Run& run) { return sum + run.records(); });
}

void report_omissions(const select::Histories& histories, const std::vector<select::Selection>& selections,
                      bool all, std::ostream& err) {
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
  const Writer write = writer_of(arguments.format);
  if (arguments.explain && arguments.format == "latex") {
    throw UsageError("--explain does not apply to --format latex; expected text, markdown, csv or json");
  }
  const select::Request request = request_of(arguments);
  if (!arguments.export_to.empty() && request.criterion == "all") {
    const std::span<const std::string_view> names = select::criterion_names();
    throw UsageError("--export: expected one --criterion (" +
                     base::alternatives(names.first(names.size() - 1)) + "), got all");
  }
  select::ReadOptions options;
  options.progress = ReadingProgress(context.err);
  select::Histories histories = read_histories(folders, options);
  if (histories.history.empty()) {
    report_omissions(histories, {}, arguments.explain, context.err);
    throw UsageError("no run found in '" + folders.front().string() +
                     "'; expected a folder of run folders, each with a results.jsonl");
  }
  keep_requested(request, histories.history);
  histories.records = records_in(histories.history);
  SelectReport report{histories, choose(request, histories.history), request.percentile, arguments.explain};
  report_omissions(histories, report.selections, arguments.explain, context.err);
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

CLI::Option* add_select_options(CLI::App& command, SelectArguments& arguments) {
  command
      .add_option(
          "--criterion", arguments.request.criterion,
          "pair, pair-run (PAIR-s within each run, as in the paper's ColoredMNIST tables), train-domain, "
          "leave-one-out, oracle, or all: all except pair-run")
      ->capture_default_str();
  command.add_option(
      "--validation", arguments.request.validation,
      "PAIR-s's validation accuracy: train-domain (held out), test-domain (held out), leave-one-out "
      "(in runs with a second test domain) or training (default: train-domain; with --criterion "
      "all, the first two)");
  command
      .add_option("--rule", arguments.request.rule,
                  "PAIR-s: paper (Algorithm 2) or release (the rule of the paper's released program for "
                  "DomainBed)")
      ->capture_default_str();
  command
      .add_option(
          "--preference", arguments.preference,
          "PAIR-s: one number per loss, such as 1,1e10, in the order of --losses or else of the run's "
          "objectives; auto: estimated from the losses in the sweep")
      ->capture_default_str();
  CLI::Option* skip = command.add_option("--skip-steps,--skip", arguments.request.skip,
                                         "PAIR-s: number of logged steps to ignore at the beginning");
  command
      .add_option("--last", arguments.request.last,
                  "PAIR-s: number of last logged steps to consider (default: the paper's 5 or 10)")
      ->excludes(skip);
  command
      .add_option("--percentile", arguments.request.percentile,
                  "PAIR-s: position of the bar between the smallest (0) and largest (1) validation accuracy")
      ->capture_default_str();
  command
      .add_option("--losses", arguments.request.losses,
                  "PAIR-s: keys of the records, such as nll,penalty (default: the paper's for the algorithm)")
      ->delimiter(',');
  command
      .add_option(
          "--losses-from", arguments.request.losses_from,
          "PAIR-s: where losses are measured: train (the samples of training steps) or held-out (held-out "
          "samples of the training environments)")
      ->capture_default_str();
  command.add_flag("--signed", arguments.request.with_sign,
                   "PAIR-s: use the sign of losses; by default, with two or more, only the magnitude counts");
  command
      .add_option("--across", arguments.request.across,
                  "PAIR-s: how to choose among runs: score, validation or paper (validation for GroupDRO, "
                  "DANN and the "
                  "test domain, otherwise score)")
      ->capture_default_str();
  CLI::Option* format =
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
  return format;
}

void add_select(CLI::App& app, Context& context) {
  const auto arguments = std::make_shared<CommandArguments>();
  CLI::App* command = app.add_subcommand("select", "Choose models from the records of a sweep");
  command->add_option("DIR", arguments->folders, "Folders of run folders, each with a results.jsonl")
      ->required();
  add_names(*command, "--datasets", arguments->select.request.datasets, "Only these, separated by commas");
  add_names(*command, "--algorithms", arguments->select.request.algorithms,
            "Only these, separated by commas; DomainBed's names or ours");
  add_json_flag(*command, *add_select_options(*command, arguments->select), arguments->select.format);
  command->footer(
      "Reads our records and DomainBed's. The score of PAIR-s is -L^T p, p summing to 1: higher is "
      "better.\n\n"
      "Example:\n"
      "  pair select sweep --criterion all\n"
      "  pair select sweep --criterion pair --preference 1,1e4 --last 5 --explain\n"
      "  pair select sweep --criterion pair --algorithms pair --export chosen\n"
      "  pair select sweep --criterion oracle --format json | jq '.criteria[0].choices[0].chosen'");
  command->callback([arguments, &context] {
    const std::vector<std::filesystem::path> folders(arguments->folders.begin(), arguments->folders.end());
    say_strangers(folders, context.err);
    run_select(folders, arguments->select, context);
  });
}

}  // namespace pair::cli
