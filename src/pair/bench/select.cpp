#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/bench/bench.h"
#include "pair/bench/measure.h"
#include "pair/bench/spread.h"
#include "pair/bench/synthetic_sweep.h"
#include "pair/select/domainbed.h"
#include "pair/select/pair_s.h"
#include "pair/select/read_histories.h"
#include "pair/select/record_line.h"
#include "pair/select/table.h"

namespace pair::bench {
namespace {

using nlohmann::ordered_json;

struct Phase {
  std::string name;
  std::vector<double> seconds = {};  // one per repeat
};

struct SelectMeasured {
  std::size_t runs = 0;
  std::size_t records = 0;
  std::uint64_t bytes = 0;
  std::size_t decisions = 0;      // of all criteria
  std::size_t characters = 0;     // of their tables
  double megabytes_before = 0.0;  // peak before anything was read
  double megabytes = 0.0;         // overall peak
  std::vector<Phase> phases = {};
  std::vector<double> totals = {};  // one per repeat
};

SelectMeasured measure_select(const std::filesystem::path& folder, std::size_t repeats) {
  using Criterion = select::Selection (*)(const select::History&);
  const std::vector<std::pair<const char*, Criterion>> criteria{
      {"pair", [](const select::History& history) { return pair_s(history, select::PairOptions{}); }},
      {"pair, test-domain",
       [](const select::History& history) {
         select::PairOptions options;
         options.validation = select::Validation::test_domain;
         return pair_s(history, options);
       }},
      {"train-domain", select::train_domain},
      {"leave-one-out", select::leave_one_out},
      {"oracle", select::oracle}};
  SelectMeasured measured;
  measured.megabytes_before = peak_megabytes();
  measured.phases.push_back({"read"});
  for (const auto& [name, criterion] : criteria) {
    measured.phases.push_back({name});
  }
  for (std::size_t repeat = 0; repeat < repeats; ++repeat) {
    std::optional<select::Histories> histories;
    double total = 0.0;
    const auto time = [&total, &measured](std::size_t phase, const auto& function) {
      measured.phases[phase].seconds.push_back(seconds_of(function));
      total += measured.phases[phase].seconds.back();
    };
    const std::vector<std::filesystem::path> folders{folder};
    time(0, [&] { histories = select::read_histories(folders); });
    measured.decisions = 0;
    measured.characters = 0;
    for (std::size_t i = 0; i < criteria.size(); ++i) {
      time(i + 1, [&] {
        const select::Selection selection = criteria[i].second(histories->history);
        measured.decisions += selection.decisions.size();
        for (const select::Table& table : tables_of(selection, histories->history)) {
          measured.characters += as_text(table).size();
        }
      });
    }
    measured.totals.push_back(total);
    measured.runs = histories->history.size();
    measured.records = histories->records;
    measured.bytes = histories->bytes;
  }
  measured.megabytes = peak_megabytes();
  return measured;
}

void write_select_json(const SelectMeasured& measured, const BenchSweepArguments& arguments,
                       std::ostream& out) {
  ordered_json phases = ordered_json::object();
  for (const Phase& phase : measured.phases) {
    phases[phase.name] = median(phase.seconds);
  }
  out << ordered_json{{"benchmark", "select"},
                      {"version", PAIR_VERSION},
                      {"cpu", cpu_model()},
                      {"compiler", PAIR_COMPILER},
                      {"threads", std::max(1U, std::thread::hardware_concurrency())},
                      {"json_parser", select::line_parser_name()},
                      {"runs", measured.runs},
                      {"records", measured.records},
                      {"bytes", measured.bytes},
                      {"repeats", arguments.repeats},
                      {"choices", measured.decisions},
                      {"characters_of_tables", measured.characters},
                      {"median_s", std::move(phases)},
                      {"total_median_s", median(measured.totals)},
                      {"total_worst_s", *std::max_element(measured.totals.begin(), measured.totals.end())},
                      {"peak_mb", measured.megabytes},
                      {"peak_before_mb", measured.megabytes_before}}
             .dump(2)
      << '\n';
}

void write_select_table(const SelectMeasured& measured, std::ostream& out) {
  out << measured.runs << " runs, " << measured.records << " records, " << measured.bytes / 1'000'000
      << " MB, in the page cache; read with " << select::line_parser_name() << '\n'
      << cpu_model() << ", " << PAIR_COMPILER << "\n\n";
  base::Rows rows;
  for (const Phase& phase : measured.phases) {
    rows.push_back({phase.name, base::with_decimals(median(phase.seconds), 3) + " s"});
  }
  rows.push_back({"all", base::with_decimals(median(measured.totals), 3) + " s"});
  out << base::aligned(rows, {.indent = "  ", .left = 1})
      << "\nPeak memory: " << base::with_decimals(measured.megabytes, 0) << " MB\n";
}

}  // namespace

void add_bench_select(CLI::App& bench, Context& context) {
  const auto arguments =
      std::make_shared<BenchSweepArguments>(BenchSweepArguments{.runs = 10'000, .records = 50, .repeats = 3});
  CLI::App* command = bench.add_subcommand("select", "Time to read a large sweep and select from it");
  add_bench_sweep_options(*command, arguments, "Repetitions; the median is reported");
  command->footer(
      "The sweep, about 550 MB with DomainBed's keys, is written to a temporary folder and deleted.\n\n"
      "Example:\n"
      "  pair bench select\n"
      "  pair bench select --runs 1000 --json");
  command->callback([arguments, &context] {
    with_bench_sweep(*arguments, context.err, [&](const std::filesystem::path& folder) {
      const SelectMeasured measured = measure_select(folder, arguments->repeats);
      arguments->json ? write_select_json(measured, *arguments, context.out)
                      : write_select_table(measured, context.out);
    });
  });
}

}  // namespace pair::bench
