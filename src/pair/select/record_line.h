#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pair/select/history.h"

// A line of a results.jsonl, DomainBed's or ours, as the numbers that selection needs.

namespace pair::select {

struct RecordLine {
  std::string algorithm;
  std::string dataset;
  std::string label;                      // args.name
  std::vector<std::string> environments;  // args.env_names
  std::vector<int> test_envs;
  std::int64_t trial_seed = 0;
  std::int64_t hparams_seed = 0;
  std::int64_t step = 0;
  // All top-level numbers; losses.NAME, weights.NAME and conflict.NAME; feasible as 0 or 1; and the phase as
  // `balancing`, 0 or 1.
  std::vector<std::pair<std::string, double>> values;
};

// Parses lines with simdjson, or with nlohmann::json, ten times slower, if the build has no simdjson.
// Python's NaN, Infinity and -Infinity are read as null. Use one parser per thread.
class LineParser {
 public:
  virtual ~LineParser() = default;

  // simdjson reads beyond the end of its input: this many bytes after it must belong to the caller.
  static constexpr std::size_t padding = 64;

  // Fills in the record and returns an empty string, or returns what is wrong with the line: "is not JSON",
  // "has no args.test_envs", "has env0_in_acc NaN; expected an accuracy from 0 to 1".
  virtual std::string parse(const char* line, std::size_t length, RecordLine& record) = 0;

  // The hyperparameters of the line parsed last, by name, with values as JSON.
  [[nodiscard]] virtual std::vector<std::pair<std::string, std::string>> hparams() const = 0;

  // The description of the algorithm in its args; invalid parts count as absent.
  [[nodiscard]] virtual Declared declared() const = 0;
};

std::unique_ptr<LineParser> make_line_parser();
std::unique_ptr<LineParser> make_nlohmann_line_parser();

// The parser of this build: "simdjson" or "nlohmann".
std::string_view line_parser_name();

// Python's words for numbers that JSON lacks.
inline constexpr std::array<std::string_view, 3> not_finite_words{"-Infinity", "Infinity", "NaN"};

// The line with every NaN, Infinity and -Infinity outside of strings replaced by null.
std::string with_null_for_not_finite(std::string_view line);

}  // namespace pair::select
