#include "pair/base/options.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "pair/base/choices.h"
#include "pair/base/numbers.h"

namespace pair::base {
namespace {

template <class T>
std::string list_text(const std::vector<T>& list) {
  std::string text;
  for (const T& entry : list) {
    text += (text.empty() ? "" : ",") + as_text(Value(entry));
  }
  return text;
}

struct ValueText {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(std::int64_t value) const { return std::to_string(value); }
  std::string operator()(std::uint64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const { return shown(value); }
  std::string operator()(const std::string& value) const { return value; }
  template <class T>
  std::string operator()(const std::vector<T>& list) const {
    return list_text(list);
  }
};

std::string in_singular(const std::string& accepted) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 3> words{
      {{"integers ", "an integer "}, {"numbers ", "a number "}, {"lists of ", "a list of "}}};
  for (const auto& [many, one] : words) {
    if (accepted.starts_with(many)) {
      return std::string(one) + accepted.substr(many.size());
    }
  }
  return accepted;
}

[[noreturn]] void refuse_value(const Field& field, std::string_view got) {
  throw std::invalid_argument(field.name + ": expected " + field.expectation() + ", got '" +
                              std::string(got) + "'");
}

}  // namespace

std::string Field::expectation() const {
  constexpr std::string_view comma_or = ", or ";  // "auto, or lists of numbers from 0 to 1"
  const std::size_t other = accepted.find(comma_or);
  if (other == std::string::npos) {
    return in_singular(accepted);
  }
  return in_singular(accepted.substr(0, other)) + std::string(comma_or) +
         in_singular(accepted.substr(other + comma_or.size()));
}

std::string as_text(const Value& value) {
  return std::visit(ValueText{}, value);
}

bool Range::holds(double value) const {
  return value >= low && value <= high && !(open_low && value == low) && !(open_high && value == high);
}

std::string Range::text(std::string_view noun) const {
  const bool from = std::isfinite(low);
  const bool to = std::isfinite(high);
  std::string text(noun);
  if (from) {
    text += (open_low ? " above " : " from ") + shown(low);
  }
  if (to) {
    text +=
        (from ? (open_low ? (open_high ? " and below " : " and up to ") : (open_high ? " to below " : " to "))
              : (open_high ? " below " : " up to ")) +
        shown(high);
  }
  return text;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view space = " \t\r\n";
  const std::size_t first = text.find_first_not_of(space);
  return first == std::string_view::npos ? std::string_view{}
                                         : text.substr(first, text.find_last_not_of(space) - first + 1);
}

std::vector<std::string> comma_separated(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t comma = text.find(',');
    parts.emplace_back(trimmed(text.substr(0, comma)));
    if (comma == std::string_view::npos) {
      return parts;
    }
    text.remove_prefix(comma + 1);
  }
}

std::optional<Value> parse_whole(std::string_view text) {
  if (const auto number = number_from<std::int64_t>(trimmed(text))) {
    return Value(*number);
  }
  if (const auto number = number_from<std::uint64_t>(trimmed(text))) {
    return Value(*number);
  }
  return std::nullopt;
}

std::optional<Value> parse_number(std::string_view text) {
  const auto number = number_from<double>(trimmed(text));
  return number ? std::optional<Value>(*number) : std::nullopt;
}

std::optional<Value> parse_numbers(std::string_view text) {
  std::vector<double> list;
  for (const std::string& part : comma_separated(text)) {
    const auto number = number_from<double>(trimmed(part));
    if (!number) {
      return std::nullopt;
    }
    list.push_back(*number);
  }
  return Value(std::move(list));
}

std::optional<Value> parse_wholes(std::string_view text) {
  std::vector<std::int64_t> list;
  for (const std::string& part : comma_separated(text)) {
    const auto number = number_from<std::int64_t>(trimmed(part));
    if (!number) {
      return std::nullopt;
    }
    list.push_back(*number);
  }
  return Value(std::move(list));
}

std::optional<Value> parse_flag(std::string_view text) {
  text = trimmed(text);
  if (text == "true" || text == "1" || text == "yes" || text == "on") {
    return Value(true);
  }
  if (text == "false" || text == "0" || text == "no" || text == "off") {
    return Value(false);
  }
  return std::nullopt;
}

std::optional<double> number_in(const Value& value) {
  if (const auto* number = std::get_if<double>(&value)) {
    return *number;
  }
  if (const auto* number = std::get_if<std::int64_t>(&value)) {
    return static_cast<double>(*number);
  }
  if (const auto* number = std::get_if<std::uint64_t>(&value)) {
    return static_cast<double>(*number);
  }
  return std::nullopt;
}

std::optional<std::vector<double>> numbers_in(const Value& value) {
  if (const auto* list = std::get_if<std::vector<double>>(&value)) {
    return *list;
  }
  if (const auto* list = std::get_if<std::vector<std::int64_t>>(&value)) {
    return std::vector<double>(list->begin(), list->end());
  }
  return std::nullopt;
}

std::string joined_names(const std::vector<std::string>& names) {
  return alternatives(std::vector<std::string_view>(names.begin(), names.end()));
}

const std::vector<Field>& Options::fields() const {
  static const std::vector<Field> none;
  return fields_ ? *fields_ : none;
}

const Field* Options::find(std::string_view name) const {
  const auto found = std::find_if(fields().begin(), fields().end(),
                                  [name](const Field& field) { return field.name == name; });
  return found == fields().end() ? nullptr : &*found;
}

const void* Options::address() const {
  return const_cast<Options*>(this)->address();  // NOLINT(cppcoreguidelines-pro-type-const-cast)
}

Value Options::get(const Field& field) const {
  return field.get(address());
}

void Options::set_value(const Field& field, const Value& value) {
  base::set_value(field, address(), value);
}

void Options::set_text(const Field& field, std::string_view typed) {
  base::set_text(field, address(), typed);
}

bool Options::operator==(const Options& other) const {
  if (value_.type() != other.value_.type()) {
    return false;
  }
  return std::all_of(fields().begin(), fields().end(),
                     [&](const Field& field) { return get(field) == other.get(field); });
}

void set_value(const Field& field, void* options, const Value& value) {
  if (!field.set(options, value)) {
    refuse_value(field, as_text(value));
  }
}

void set_text(const Field& field, void* options, std::string_view typed) {
  const std::optional<Value> value = field.parse(typed);
  if (!value || !field.set(options, *value)) {
    refuse_value(field, trimmed(typed));
  }
}

}  // namespace pair::base
