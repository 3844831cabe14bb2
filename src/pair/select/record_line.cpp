#include "pair/select/record_line.h"

#include <algorithm>

namespace pair::select {

std::string with_null_for_not_finite(std::string_view line) {
  std::string result;
  result.reserve(line.size() + LineParser::padding);
  bool in_string = false;
  while (!line.empty()) {
    std::size_t taken = 1;
    if (in_string && line.front() == '\\') {
      taken = std::min<std::size_t>(2, line.size());
    } else if (line.front() == '"') {
      in_string = !in_string;
    } else if (!in_string) {
      for (const std::string_view word : not_finite_words) {
        taken = line.starts_with(word) ? word.size() : taken;
      }
    }
    result += taken > 2 ? std::string_view("null") : line.substr(0, taken);
    line.remove_prefix(taken);
  }
  return result;
}

}  // namespace pair::select
