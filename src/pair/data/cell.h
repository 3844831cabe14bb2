#pragma once

#include <optional>
#include <string_view>

// The types of a table's cell: missing, a number, a date, or text.

namespace pair::data {

// Without spaces and tabs around it.
std::string_view trimmed_cell(std::string_view text);

// Whether the text stands for a value that is not there: an empty cell and the words that pandas.read_csv
// takes for it (NA, N/A, NaN, nan, null, NULL, None, <NA>, #N/A, ...), in these spellings.
bool is_missing(std::string_view text);

// A decimal number with a point: 12, -0.5, +1e-3, .5. The nearest double. Nothing for other text: numbers
// with a decimal comma or separated thousands, hexadecimal ones, inf and nan. A number too large for a double
// is infinite.
std::optional<double> number_of(std::string_view text);

// Numbers as spreadsheets and people write them, which number_of does not read.
enum class NumberForm {
  decimal_comma,  // 12,38 and 1.234,5
  thousands,      // 1,234.5 and 1,234,567
  comma,          // 1,234: either of these
  percent         // 17% and 2,5 %
};
// The form of the text; nothing for a number with a point and for other text.
std::optional<NumberForm> number_form(std::string_view text);
// A description of cells of that form, and how to write them, after "cells such as '17%'": "look like
// percentages; write them without the percent sign".
std::string_view look_of(NumberForm form);

// Whether the text is a word for infinity as programs write it: inf, -Infinity.
bool is_infinite_word(std::string_view text);

// Whether it looks like a day, with or without a time: 2021-03-04, 2021/03/04 10:15, 4.3.2021, 03/04/21,
// 20210304T1015, 4 Mar 2021. A year alone is a number.
bool looks_like_date(std::string_view text);

}  // namespace pair::data
