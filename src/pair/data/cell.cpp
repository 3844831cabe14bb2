#include "pair/data/cell.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string>

#include "pair/base/names.h"

namespace pair::data {
namespace {

constexpr std::array<std::string_view, 19> missing_words = {
    "",     "NA",   "N/A",  "n/a", "NaN",      "nan",     "-NaN",     "-nan",   "NULL",   "null",
    "None", "<NA>", "#N/A", "#NA", "#N/A N/A", "1.#QNAN", "-1.#QNAN", "1.#IND", "-1.#IND"};
constexpr std::size_t longest_missing_word = 8;

constexpr std::array<double, 23> powers_of_ten = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
constexpr std::uint64_t largest_exact = std::uint64_t{1} << 53U;
constexpr int most_digits = 18;  // that fit into 64 bits

constexpr bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

std::optional<double> by_library(const char* first, const char* last) {
  double value = 0.0;
  const auto [stopped, error] = std::from_chars(first, last, value);
  if (stopped != last || (error != std::errc() && error != std::errc::result_out_of_range)) {
    return std::nullopt;
  }
  if (error == std::errc::result_out_of_range) {
    // Too small is zero, too large infinite; the library leaves the value as it was.
    const std::string_view text(first, static_cast<std::size_t>(last - first));
    const std::size_t e = text.find_first_of("eE");
    const bool tiny = e != std::string_view::npos && e + 1 < text.size() && text[e + 1] == '-';
    value = tiny ? 0.0 : std::numeric_limits<double>::infinity();
    return *first == '-' ? -value : value;
  }
  return value;
}

// The leading digits of the text, at most `most`; none if there are none.
std::optional<int> leading_number(std::string_view& text, std::size_t most) {
  std::size_t length = 0;
  int number = 0;
  while (length < text.size() && length < most && is_digit(text[length])) {
    number = 10 * number + (text[length] - '0');
    ++length;
  }
  text.remove_prefix(length);
  return length > 0 ? std::optional(number) : std::nullopt;
}

bool is_time_or_nothing(std::string_view text) {
  if (text.empty()) {
    return true;
  }
  if (text.front() != ' ' && text.front() != 'T' && text.front() != 't') {
    return false;
  }
  text.remove_prefix(1);
  const std::optional<int> hour = leading_number(text, 4);  // 10 or 1015
  return hour.has_value() && std::all_of(text.begin(), text.end(), [](char c) {
           return is_digit(c) || std::string_view(":.,+- ZzAaPpMmUTC").find(c) != std::string_view::npos;
         });
}

bool is_month_name(std::string_view text) {
  constexpr std::array<std::string_view, 12> months = {"jan", "feb", "mar", "apr", "may", "jun",
                                                       "jul", "aug", "sep", "oct", "nov", "dec"};
  if (text.size() < 3) {
    return false;
  }
  return std::ranges::find(months, base::lower_case(text.substr(0, 3))) != months.end();
}

// 4 Mar 2021, 04-Mar-21, Mar 4, 2021.
bool is_date_in_words(std::string_view text) {
  std::size_t words = 0;
  std::size_t numbers = 0;
  bool month = false;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" -/,."), text.size());
    std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) {
      continue;
    }
    ++words;
    std::string_view rest = word;
    if (leading_number(rest, 4) && rest.empty()) {
      ++numbers;
    } else if (is_month_name(word) && word.size() <= 9 && !month) {
      month = true;
    } else {
      return false;
    }
  }
  return month && numbers == 2 && words == 3;
}

// Whether the digits before the decimal point are separated in groups of three: -1,234,567.8.
bool is_grouped(std::string_view text, char separator, char point) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    text.remove_prefix(1);
  }
  if (text.starts_with('0') || !leading_number(text, 3) || text.empty() || text.front() != separator) {
    return false;
  }
  while (!text.empty() && text.front() == separator) {
    text.remove_prefix(1);
    const std::size_t before = text.size();
    if (!leading_number(text, 3) || before - text.size() != 3) {
      return false;
    }
  }
  return text.empty() || (text.front() == point && std::all_of(text.begin() + 1, text.end(), is_digit));
}

}  // namespace

std::string_view trimmed_cell(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) {
    text.remove_prefix(1);
  }
  while (!text.empty() && is_space(text.back())) {
    text.remove_suffix(1);
  }
  return text;
}

bool is_missing(std::string_view text) {
  return text.size() <= longest_missing_word &&
         std::find(missing_words.begin(), missing_words.end(), text) != missing_words.end();
}

std::optional<double> number_of(std::string_view text) {
  const char* at = text.data();
  const char* const last = at + text.size();
  const bool negative = at < last && *at == '-';
  if (at < last && (*at == '-' || *at == '+')) {
    ++at;
  }
  const char* const unsigned_text = at;
  if (at == last || !(is_digit(*at) || (*at == '.' && last - at > 1 && is_digit(at[1])))) {
    return std::nullopt;
  }
  // Clinger's fast path: up to 2^53 and 10^22 both factors are exact, and so the result is the nearest
  // double.
  std::uint64_t digits = 0;
  int count = 0;
  int exponent = 0;
  for (; at < last && is_digit(*at); ++at) {
    digits = 10 * digits + static_cast<std::uint64_t>(*at - '0');
    count += digits > 0 ? 1 : 0;
    if (count > most_digits) {
      break;
    }
  }
  if (count <= most_digits && at < last && *at == '.') {
    for (++at; at < last && is_digit(*at); ++at) {
      digits = 10 * digits + static_cast<std::uint64_t>(*at - '0');
      --exponent;
      count += digits > 0 ? 1 : 0;
      if (count > most_digits) {
        break;
      }
    }
  }
  if (at == last && digits <= largest_exact && exponent >= -22) {
    const double value = static_cast<double>(digits) / powers_of_ten[static_cast<std::size_t>(-exponent)];
    return negative ? -value : value;
  }
  const std::optional<double> value = by_library(unsigned_text, last);
  return value && negative ? -*value : value;
}

std::optional<NumberForm> number_form(std::string_view text) {
  if (text.ends_with('%')) {
    const std::string_view number = trimmed_cell(text.substr(0, text.size() - 1));
    return number_of(number) || (!number.ends_with('%') && number_form(number))
               ? std::optional(NumberForm::percent)
               : std::nullopt;
  }
  if (is_grouped(text, ',', '.')) {
    const bool one =
        std::count(text.begin(), text.end(), ',') == 1 && text.find('.') == std::string_view::npos;
    return one ? NumberForm::comma : NumberForm::thousands;
  }
  const std::size_t comma = text.find(',');
  if (comma == std::string_view::npos) {
    return std::nullopt;
  }
  std::string point(text);
  point[comma] = '.';
  return number_of(point) || is_grouped(text, '.', ',') ? std::optional(NumberForm::decimal_comma)
                                                        : std::nullopt;
}

std::string_view look_of(NumberForm form) {
  switch (form) {
    case NumberForm::decimal_comma:
      return "look like numbers with a decimal comma; write them with a point";
    case NumberForm::thousands:
      return "look like numbers with separated thousands; write them without separators";
    case NumberForm::comma:
      return "look like numbers with a comma; write them with a point, or without the comma if it separates "
             "thousands";
    case NumberForm::percent:
      break;
  }
  return "look like percentages; write them without the percent sign";
}

bool is_infinite_word(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) {
    text.remove_prefix(1);
  }
  return text == "inf" || text == "Inf" || text == "INF" || text == "infinity" || text == "Infinity" ||
         text == "INFINITY";
}

bool looks_like_date(std::string_view text) {
  if (text.size() < 6 || text.size() > 40) {
    return false;
  }
  // 20210304T1015: without a time it is a number.
  if (text.size() > 9 && (text[8] == 'T' || text[8] == ' ')) {
    std::string_view rest = text;
    if (const std::optional<int> day = leading_number(rest, 8);
        day && rest.size() == text.size() - 8 && is_time_or_nothing(rest)) {
      return *day / 100 % 100 >= 1 && *day / 100 % 100 <= 12 && *day % 100 >= 1 && *day % 100 <= 31;
    }
  }
  std::string_view rest = text;
  const std::size_t before = rest.size();
  const std::optional<int> first = leading_number(rest, 4);
  const std::size_t first_length = before - rest.size();
  const bool separated =
      first && !rest.empty() && (rest.front() == '-' || rest.front() == '/' || rest.front() == '.');
  if (!separated) {
    return is_date_in_words(text);
  }
  const char separator = rest.front();
  rest.remove_prefix(1);
  const std::optional<int> second = leading_number(rest, 2);
  if (!second || rest.empty() || rest.front() != separator) {
    return is_date_in_words(text);
  }
  rest.remove_prefix(1);
  const std::size_t third_from = rest.size();
  const std::optional<int> third = leading_number(rest, 4);
  const std::size_t third_length = third_from - rest.size();
  if (!third || !is_time_or_nothing(rest)) {
    return false;
  }
  const auto in_month = [](int day) { return day >= 1 && day <= 31; };
  if (first_length == 4) {  // year, month, day
    return third_length <= 2 && *second >= 1 && *second <= 12 && in_month(*third);
  }
  return first_length <= 2 && (third_length == 4 || third_length == 2) && in_month(*first) &&
         in_month(*second) && (*first <= 12 || *second <= 12);
}

}  // namespace pair::data
