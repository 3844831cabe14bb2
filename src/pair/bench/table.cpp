#include "pair/data/table.h"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/bench/bench.h"
#include "pair/bench/measure.h"
#include "pair/bench/python_child.h"
#include "pair/bench/spread.h"
#include "pair/bench/temporary_folder.h"
#include "pair/data/random.h"

namespace pair::bench {
namespace {

struct TableArguments {
  std::size_t rows = 1'000'000;
  std::size_t columns = 50;
  std::size_t repeats = 3;
  std::string python = {};
  bool json = false;
};

// Reads the file once per line of its input; answers with seconds, processor seconds, the sum of all numbers
// and its peak memory before and after in kB.
constexpr const char* pandas_script = R"(
import resource, sys, time
import pandas
print(pandas.__version__, flush=True)
peak = lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for line in sys.stdin:
    before = peak()
    wall, busy = time.perf_counter(), time.process_time()
    table = pandas.read_csv(line.strip())
    wall, busy = time.perf_counter() - wall, time.process_time() - busy
    after = peak()
    print(wall, busy, table.to_numpy().sum(), before, after, flush=True)
    del table
)";

struct Reading {
  std::vector<double> seconds = {};    // one per repeat
  std::vector<double> processor = {};  // likewise, of the process
  double sum = 0.0;                    // of all numbers
  double megabytes = 0.0;              // peak of the first reading above what was in use before
};

struct TableComparison {
  std::uintmax_t bytes = 0;
  double numbers_megabytes = 0.0;
  Reading ours;
  std::optional<Reading> theirs;
  std::string version;  // of pandas
  std::string python;
};

// Numbers of several lengths and signs, as measurements have them.
std::uintmax_t write_csv(const std::filesystem::path& path, const TableArguments& arguments) {
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "w"));
  if (file == nullptr) {
    throw std::runtime_error("cannot write " + path.string());
  }
  data::Random random(1, "bench table");
  std::string line;
  for (std::size_t c = 0; c < arguments.columns; ++c) {
    line += (c == 0 ? "column" : ",column") + std::to_string(c);
  }
  for (std::size_t r = 0; r <= arguments.rows; ++r) {
    line += '\n';
    if (std::fwrite(line.data(), 1, line.size(), file.get()) != line.size()) {
      throw std::runtime_error("cannot write " + path.string() + ": is the disk full?");
    }
    line.clear();
    for (std::size_t c = 0; r < arguments.rows && c < arguments.columns; ++c) {
      std::array<char, 32> text{};
      const auto end = std::to_chars(text.data(), text.data() + text.size(), random.normal(),
                                     std::chars_format::general, 6);
      line.append(c == 0 ? "" : ",").append(text.data(), end.ptr);
    }
  }
  if (std::fflush(file.get()) != 0) {
    throw std::runtime_error("cannot write " + path.string() + ": is the disk full?");
  }
  return std::filesystem::file_size(path);
}

void read_with_pandas(PythonChild& pandas, const std::filesystem::path& path, Reading& reading) {
  const std::string answer = pandas.ask(path.string());
  std::istringstream words(answer);
  double seconds = 0.0;
  double processor = 0.0;
  double before = 0.0;
  double after = 0.0;
  if (!(words >> seconds >> processor >> reading.sum >> before >> after)) {
    throw std::runtime_error("pandas answered '" + answer + "'");
  }
  if (reading.seconds.empty()) {
    reading.megabytes = (after - before) / 1024.0;
  }
  reading.seconds.push_back(seconds);
  reading.processor.push_back(processor);
}

void read_with_ours(const std::filesystem::path& path, Reading& reading) {
  const double before = peak_megabytes();
  const double busy = cpu_seconds();
  std::optional<data::Table> table;
  const double seconds = seconds_of([&] { table = data::read_table(path); });
  const double processor = cpu_seconds() - busy;
  if (reading.seconds.empty()) {
    reading.megabytes = peak_megabytes() - before;
  }
  reading.seconds.push_back(seconds);
  reading.processor.push_back(processor);
  reading.sum = 0.0;
  for (const data::Column& column : table->columns) {
    for (const double number : column.numbers) {
      reading.sum += number;
    }
  }
}

TableComparison compare(const TableArguments& arguments, const std::filesystem::path& folder) {
  const std::filesystem::path path = folder / "table.csv";
  TableComparison comparison;
  comparison.bytes = write_csv(path, arguments);
  comparison.numbers_megabytes =
      static_cast<double>(arguments.rows * arguments.columns * sizeof(double)) / 1024.0 / 1024.0;
  const std::unique_ptr<PythonChild> pandas = PythonChild::start(arguments.python, pandas_script);
  if (pandas) {
    comparison.theirs.emplace();
    comparison.version = pandas->greeting();
    comparison.python = pandas->python();
  }
  // Alternating, so that a slow moment of the machine affects both.
  for (std::size_t repeat = 0; repeat < arguments.repeats; ++repeat) {
    read_with_ours(path, comparison.ours);
    if (pandas) {
      read_with_pandas(*pandas, path, *comparison.theirs);
    }
  }
  if (comparison.theirs && std::abs(comparison.theirs->sum - comparison.ours.sum) >
                               1e-6 * std::sqrt(static_cast<double>(arguments.rows * arguments.columns))) {
    throw std::runtime_error("pandas and pair read different numbers: their sums are " +
                             std::to_string(comparison.theirs->sum) + " and " +
                             std::to_string(comparison.ours.sum));
  }
  return comparison;
}

nlohmann::ordered_json json_of(const Reading& reading, double numbers_megabytes) {
  return {{"seconds", spread(reading.seconds)},
          {"processor_seconds", spread(reading.processor)},
          {"peak_mb", reading.megabytes},
          {"peak_over_numbers", reading.megabytes / numbers_megabytes}};
}

void write_table_json(const TableComparison& comparison, const TableArguments& arguments, std::ostream& out) {
  nlohmann::ordered_json json{{"benchmark", "table"},
                              {"version", PAIR_VERSION},
                              {"cpu", cpu_model()},
                              {"compiler", PAIR_COMPILER},
                              {"rows", arguments.rows},
                              {"columns", arguments.columns},
                              {"bytes", comparison.bytes},
                              {"repeats", arguments.repeats},
                              {"numbers_mb", comparison.numbers_megabytes},
                              {"pair", json_of(comparison.ours, comparison.numbers_megabytes)}};
  if (comparison.theirs) {
    json["pandas"] = json_of(*comparison.theirs, comparison.numbers_megabytes);
    json["pandas"]["version"] = comparison.version;
    json["pandas"]["python"] = comparison.python;
    json["ratio"] = median(comparison.ours.seconds) / median(comparison.theirs->seconds);
    json["processor_ratio"] = median(comparison.ours.processor) / median(comparison.theirs->processor);
  }
  out << json.dump(2) << '\n';
}

std::vector<std::string> row_of(const std::string& name, const Reading& reading, double numbers_megabytes) {
  return {name, base::with_decimals(median(reading.seconds), 2) + " s",
          base::with_decimals(median(reading.processor), 2) + " s",
          base::with_decimals(reading.megabytes, 0) + " MB",
          base::with_decimals(reading.megabytes / numbers_megabytes, 2)};
}

void write_table_text(const TableComparison& comparison, const TableArguments& arguments, std::ostream& out) {
  out << arguments.rows << " rows x " << arguments.columns << " columns, " << comparison.bytes / 1'000'000
      << " MB of CSV, in the page cache\n"
      << cpu_model() << ", " << PAIR_COMPILER << "\n\n";
  base::Rows rows{{"", "time", "CPU time", "peak memory", "of the numbers' size"},
                  row_of("pair", comparison.ours, comparison.numbers_megabytes)};
  if (comparison.theirs) {
    rows.push_back(row_of("pandas " + comparison.version, *comparison.theirs, comparison.numbers_megabytes));
  }
  out << base::aligned(rows, {.indent = "  ", .left = 1});
  if (!comparison.theirs) {
    out << "\nNot compared: no Python with pandas was found (Debian: python3-pandas)\n";
    return;
  }
  const auto ratio = [](const std::vector<double>& ours, const std::vector<double>& theirs) {
    return base::with_decimals(median(ours) / median(theirs), 2);
  };
  out << "\npair takes " << ratio(comparison.ours.seconds, comparison.theirs->seconds) << " of pandas' time, "
      << ratio(comparison.ours.processor, comparison.theirs->processor) << " of its CPU time\n";
}

}  // namespace

void add_bench_table(CLI::App& bench, Context& context) {
  const auto arguments = std::make_shared<TableArguments>();
  CLI::App* command = bench.add_subcommand("table", "Time to read a large CSV file, compared with pandas");
  command->add_option("--rows", arguments->rows, "Rows of the file")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, std::size_t{100'000'000}));
  command->add_option("--columns", arguments->columns, "Columns of the file")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, std::size_t{10'000}));
  command->add_option("--repeats", arguments->repeats, "Repetitions; the median is reported")
      ->capture_default_str()
      ->check(CLI::Range(std::size_t{1}, std::size_t{1000}));
  command->add_option("--python", arguments->python,
                      "The Python that has pandas (default: python3, then /usr/bin/python3)");
  command->add_flag("--json", arguments->json, "Write JSON");
  command->footer(
      "The file, about 460 MB, is written to a temporary folder and deleted. Both read it on one thread.\n\n"
      "Example:\n"
      "  pair bench table\n"
      "  pair bench table --rows 100000 --json");
  command->callback([arguments, &context] {
    const TemporaryFolder folder;
    context.err << "writing a table to " << folder.path().string() << '\n' << std::flush;
    const TableComparison comparison = compare(*arguments, folder.path());
    arguments->json ? write_table_json(comparison, *arguments, context.out)
                    : write_table_text(comparison, *arguments, context.out);
  });
}

}  // namespace pair::bench
