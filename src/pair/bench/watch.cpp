#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/bench/bench.h"
#include "pair/bench/measure.h"
#include "pair/bench/spread.h"
#include "pair/bench/synthetic_sweep.h"
#include "pair/report/page.h"
#include "pair/watch/feed.h"
#include "pair/watch/follower.h"

namespace pair::bench {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

struct WatchMeasured {
  double first_s = 0.0;         // from the start to the first payload
  double page_s = 0.0;          // making the page
  std::vector<double> idle_s;   // a check without changes
  std::vector<double> grown_s;  // from a check that finds a new record to its payload
  std::size_t payload_bytes = 0;
  std::size_t page_bytes = 0;
  double megabytes_before = 0.0;
  double megabytes = 0.0;
};

void repeat_last_line(const std::filesystem::path& file) {
  std::string last;
  {
    std::ifstream lines(file);
    for (std::string line; std::getline(lines, line);) {
      last = line;
    }
  }
  std::ofstream(file, std::ios::app) << last << '\n';
}

WatchMeasured measure_watch(const std::filesystem::path& folder, std::size_t repeats) {
  WatchMeasured measured;
  measured.megabytes_before = peak_megabytes();
  watch::Follower follower(folder);
  watch::Feed feed;
  const auto look = [&] {
    if (follower.look()) {
      feed.publish(follower.payload().dump(-1, ' ', false, json::error_handler_t::replace));
    }
  };
  measured.first_s = seconds_of(look);
  measured.page_s = seconds_of(
      [&] { measured.page_bytes = report::page(json::parse(*feed.newest().payload), /*live=*/true).size(); });
  const std::filesystem::path grown = std::filesystem::directory_iterator(folder)->path() / "results.jsonl";
  for (std::size_t i = 0; i < repeats; ++i) {
    measured.idle_s.push_back(seconds_of(look));
    repeat_last_line(grown);
    measured.grown_s.push_back(seconds_of(look));
  }
  measured.payload_bytes = feed.newest().payload->size();
  measured.megabytes = peak_megabytes();
  return measured;
}

void write_watch_json(const WatchMeasured& measured, const BenchSweepArguments& arguments,
                      std::ostream& out) {
  out << ordered_json{{"benchmark", "watch"},
                      {"version", PAIR_VERSION},
                      {"cpu", cpu_model()},
                      {"compiler", PAIR_COMPILER},
                      {"runs", arguments.runs},
                      {"records", arguments.records},
                      {"repeats", arguments.repeats},
                      {"first_s", measured.first_s},
                      {"page_s", measured.page_s},
                      {"idle_median_s", median(measured.idle_s)},
                      {"new_record_median_s", median(measured.grown_s)},
                      {"new_record_worst_s",
                       *std::max_element(measured.grown_s.begin(), measured.grown_s.end())},
                      {"payload_bytes", measured.payload_bytes},
                      {"page_bytes", measured.page_bytes},
                      {"peak_mb", measured.megabytes},
                      {"peak_before_mb", measured.megabytes_before}}
             .dump(2)
      << '\n';
}

void write_watch_table(const WatchMeasured& measured, const BenchSweepArguments& arguments,
                       std::ostream& out) {
  const auto row = [](const char* name, double seconds) {
    return std::vector<std::string>{name, base::with_decimals(seconds, 3) + " s"};
  };
  out << arguments.runs << " runs of " << arguments.records << " records\n"
      << cpu_model() << ", " << PAIR_COMPILER << "\n\n"
      << base::aligned(
             {row("first read of all runs", measured.first_s), row("page of all runs", measured.page_s),
              row("check without changes", median(measured.idle_s)),
              row("check that finds a new record", median(measured.grown_s))},
             {.indent = "  ", .left = 1})
      << "\nPeak memory: " << base::with_decimals(measured.megabytes, 0) << " MB, "
      << base::with_decimals(measured.megabytes_before, 0) << " MB of it before reading\n";
}

}  // namespace

void add_bench_watch(CLI::App& bench, Context& context) {
  const auto arguments =
      std::make_shared<BenchSweepArguments>(BenchSweepArguments{.runs = 1'000, .records = 100, .repeats = 5});
  CLI::App* command =
      bench.add_subcommand("watch", "Time and memory to follow a large sweep, as 'pair watch' does");
  add_bench_sweep_options(*command, arguments, "New records; the median is reported");
  command->footer(
      "'pair watch' checks twice per second, so a new record shows after at most half a second and one "
      "check.\n\n"
      "Example:\n"
      "  pair bench watch\n"
      "  pair bench watch --runs 100 --json");
  command->callback([arguments, &context] {
    with_bench_sweep(*arguments, context.err, [&](const std::filesystem::path& folder) {
      const WatchMeasured measured = measure_watch(folder, arguments->repeats);
      arguments->json ? write_watch_json(measured, *arguments, context.out)
                      : write_watch_table(measured, *arguments, context.out);
    });
  });
}

}  // namespace pair::bench
