#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pair/data/cell.h"
#include "pair/data/csv.h"
#include "tests/fuzz/require.h"

// For any bytes, the reader returns rows of one width or refuses with a short sentence, independent of where
// blocks end. Rows written with every field in quotes read back unchanged.

namespace {

namespace pd = pair::data;
using pair::fuzz::require;

constexpr std::size_t ordinary_block = 4096;  // a megabyte would take longer to clear than the input to read

struct Outcome {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> lines;
  std::string refusal;
  bool operator==(const Outcome&) const = default;
};

Outcome outcome_of(std::string_view text, pd::CsvOptions options) {
  Outcome outcome;
  try {
    pd::CsvReader reader(pd::csv_text(text), "input", options);
    while (reader.next()) {
      outcome.rows.emplace_back(reader.fields().begin(), reader.fields().end());
      outcome.lines.push_back(reader.line());
    }
  } catch (const std::invalid_argument& error) {
    outcome.refusal = error.what();
  }
  return outcome;
}

std::string written(const Outcome& outcome, char separator) {
  std::string text;
  for (const std::vector<std::string>& row : outcome.rows) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      text += i == 0 ? "\"" : std::string(1, separator) + "\"";
      for (const char c : row[i]) {
        text += c == '"' ? "\"\"" : std::string(1, c);
      }
      text += '"';
    }
    text += "\r\n";
  }
  return text;
}

void check_cells(const Outcome& outcome) {
  for (const std::vector<std::string>& row : outcome.rows) {
    require(row.size() == outcome.rows.front().size(), "rows have one width");
    for (const std::string& field : row) {
      const std::string_view cell = pd::trimmed_cell(field);
      const auto number = pd::number_of(cell);
      require(!number || *number == *number, "a number is not NaN");
      require(!number || (!pd::is_missing(cell) && !pd::is_infinite_word(cell)), "a number is not missing");
      (void)pd::looks_like_date(cell);
    }
  }
  require(std::is_sorted(outcome.lines.begin(), outcome.lines.end()), "lines rise");
}

}  // namespace

// The first byte chooses how it is read, the rest is the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) {
    return 0;
  }
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  const char separator = ",;\t"[data[0] % 3];
  const std::size_t block = 1 + data[0] / 3 % 17;

  const Outcome found = outcome_of(text, {.block = ordinary_block});
  check_cells(found);
  const Outcome whole = outcome_of(text, {.separator = separator, .block = ordinary_block});
  check_cells(whole);
  const Outcome pieces = outcome_of(text, {.separator = separator, .block = block, .sample = 1});
  require(whole == pieces, "rows and sentences do not depend on blocks");

  for (const Outcome* outcome : {&found, &whole}) {
    require(outcome->refusal.size() < 1000, "a sentence is short");
    require(outcome->refusal.find('\n') == std::string::npos, "a sentence is one line");
    require(outcome->refusal.empty() || outcome->refusal.starts_with("input"), "a sentence names the file");
  }

  // One empty field alone is written as a line of two quotes, which is a row.
  const Outcome again =
      outcome_of(written(whole, separator), {.separator = separator, .block = ordinary_block});
  require(again.rows == whole.rows && again.refusal.empty(), "what is written is read as it was");
  return 0;
}
