#pragma once

#include <any>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "pair/base/distribution.h"

// Options: how an extension (an objective, solver, model, dataset or algorithm) declares its settings.
//
// An extension keeps its options in a plain struct and describes each member once:
//
//     struct FishrOptions {
//       double ema = 0.95;
//       bool mean = false;
//     };
//
//     void describe(base::Fields<FishrOptions>& field) {
//       field.number("fishr_ema", &FishrOptions::ema, {.low = 0, .high = 1, .open_high = true},
//                    "weight of the past in the moving averages")
//           .in_domainbed("ema", base::Uniform{0.90, 0.99});
//       field.flag("fishr_mean", &FishrOptions::mean, "mean over the head's parameters, not their sum");
//     }
//
// Everything else is derived from that: the command line, JSON, hashing, validation, 'pair list', sweeps and
// docs. Ranges are stated nowhere else.

namespace pair::base {

// The value of an option. JSON values and text are converted to one of these.
using Value = std::variant<bool, std::int64_t, std::uint64_t, double, std::string, std::vector<std::int64_t>,
                           std::vector<double>, std::vector<std::string>>;

// As typed by a user: lists with commas, numbers with the fewest digits that read back the same.
std::string as_text(const Value& value);

struct Range {
  double low = -std::numeric_limits<double>::infinity();
  double high = std::numeric_limits<double>::infinity();
  bool open_low = false;   // low itself is excluded
  bool open_high = false;  // high itself is excluded

  [[nodiscard]] bool holds(double value) const;                             // false for NaN
  [[nodiscard]] std::string text(std::string_view noun = "numbers") const;  // "numbers from 0 to below 1"
};

// One option of some struct.
struct Field {
  std::string name;      // used by '--set NAME=VALUE' and specs
  std::string summary;   // one line
  std::string accepted;  // all values, in the plural: "integers from 1 to 10"

  // The distribution that DomainBed's random search draws the option from; none: it is not drawn. The paper
  // draws these options as DomainBed does. The draws of an algorithm are in algorithms::Drawn.
  std::optional<Distribution> domainbed = {};
  std::string domainbed_name = {};  // in DomainBed, if it has another name for it
  // Whether it is a learning rate, which DomainBed draws as `lr` on datasets with another distribution of `lr`
  // than small images have. `domainbed` is that of small images.
  bool learning_rate = false;
  // The value, as text, that the canonical form of a spec omits. An option that is added to an extension with
  // existing runs sets it to the default; otherwise all those runs would get another name.
  std::string unsaid = {};

  // Whether records depend on it. An option without influence on records (such as the number of reader
  // threads) is neither in the canonical form of a spec nor in records.
  bool decides = true;

  // Whether it says how the work of a run is done, such as a precision, rather than what is trained.
  bool of_run = false;

  // The mode that uses the option, if only one mode does; empty: all.
  std::string group = {};
  // More exact summaries for single modes, by the mode's name.
  std::vector<std::pair<std::string, std::string>> summaries = {};

  // For values that are paths of files or folders, unless they are empty or "none". Commands make paths absolute, so
  // that a spec holds in any working directory, and set the digest, so that the file's content decides the run.
  struct Path {
    std::string kind = {};    // of files, for messages: "CSV file"
    std::string digest = {};  // of files: the option that holds the SHA-256
  };
  std::optional<Path> path = {};

  // Access to the option's struct. set returns false and leaves the struct unchanged for an invalid value.
  std::function<Value(const void*)> get = {};
  std::function<bool(void*, const Value&)> set = {};
  // Converts text to a value of the option's type; none if it is not of that type. set checks the range.
  std::function<std::optional<Value>(std::string_view)> parse = {};

  // Sets `domainbed` and `domainbed_name`.
  void in_domainbed(std::string its_name, Distribution drawn_from) {
    domainbed = std::move(drawn_from);
    domainbed_name = std::move(its_name);
  }

  // Sets `path`.
  Field& names_file(std::string kind, std::string digest_option) {
    path = Path{std::move(kind), std::move(digest_option)};
    return *this;
  }
  Field& names_folder() {
    path = Path{};
    return *this;
  }

  // One of the accepted values, for a message about an invalid one: "an integer from 1 to 10".
  [[nodiscard]] std::string expectation() const;
};

// Helpers for describe() and special fields.
std::string_view trimmed(std::string_view text);
std::vector<std::string> comma_separated(std::string_view text);  // trimmed parts, at least one
std::optional<Value> parse_whole(std::string_view text);          // int64, or uint64 if it does not fit
std::optional<Value> parse_number(std::string_view text);
std::optional<Value> parse_numbers(std::string_view text);
std::optional<Value> parse_wholes(std::string_view text);
std::optional<Value> parse_flag(std::string_view text);  // true, false, 1, 0, yes, no, on, off
std::optional<double> number_in(const Value& value);     // a number of any type
std::optional<std::vector<double>> numbers_in(const Value& value);
std::string joined_names(const std::vector<std::string>& names);  // "a, b or c"

// The options of the struct O, in the order of their declaration. Members return the field, so that
// distributions can be added.
template <class O>
class Fields {
 public:
  // An integer member. low and high are included.
  template <class Whole>
  Field& whole(std::string name, Whole O::*member, Whole low, std::type_identity_t<Whole> high,
               std::string summary) {
    return add(
        std::move(name), std::move(summary),
        "integers from " + std::to_string(low) + " to " + std::to_string(high), parse_whole,
        [member](const O& options) { return Value(options.*member); },
        [member, low, high](O& options, const Value& value) {
          const auto store = [&](auto number) {
            const bool good = std::cmp_greater_equal(number, low) && std::cmp_less_equal(number, high);
            options.*member = good ? static_cast<Whole>(number) : options.*member;
            return good;
          };
          if (const auto* number = std::get_if<std::int64_t>(&value)) {
            return store(*number);
          }
          const auto* number = std::get_if<std::uint64_t>(&value);
          return number != nullptr && store(*number);
        });
  }

  Field& number(std::string name, double O::*member, Range range, std::string summary) {
    return add(
        std::move(name), std::move(summary), range.text(), parse_number,
        [member](const O& options) { return Value(options.*member); },
        [member, range](O& options, const Value& value) {
          const std::optional<double> number = number_in(value);
          const bool good = number && range.holds(*number);
          options.*member = good ? *number : options.*member;
          return good;
        });
  }

  Field& flag(std::string name, bool O::*member, std::string summary) {
    return add(
        std::move(name), std::move(summary), "true or false", parse_flag,
        [member](const O& options) { return Value(options.*member); },
        [member](O& options, const Value& value) {
          const auto* flag = std::get_if<bool>(&value);
          options.*member = flag != nullptr ? *flag : options.*member;
          return flag != nullptr;
        });
  }

  // One of several named values, usually an enum's.
  template <class Enum>
  Field& choice(std::string name, Enum O::*member, std::vector<std::pair<std::string, Enum>> choices,
                std::string summary) {
    std::vector<std::string> names;
    for (const auto& [choice, ignored] : choices) {
      names.push_back(choice);
    }
    return add(
        std::move(name), std::move(summary), joined_names(names), parse_text,
        [member, choices](const O& options) {
          for (const auto& [choice, meant] : choices) {
            if (meant == options.*member) {
              return Value(choice);
            }
          }
          throw std::logic_error("an option holds a value that has no name");
        },
        [member, choices](O& options, const Value& value) {
          const auto* text = std::get_if<std::string>(&value);
          for (const auto& [choice, meant] : choices) {
            if (text != nullptr && *text == choice) {
              options.*member = meant;
              return true;
            }
          }
          return false;
        });
  }

  // Text for which `good` holds.
  Field& text(
      std::string name, std::string O::*member, std::string accepted, std::string summary,
      std::function<bool(const std::string&)> good = [](const std::string&) { return true; }) {
    return add(
        std::move(name), std::move(summary), std::move(accepted), parse_text,
        [member](const O& options) { return Value(options.*member); },
        [member, good = std::move(good)](O& options, const Value& value) {
          const auto* text = std::get_if<std::string>(&value);
          if (text == nullptr || !good(*text)) {
            return false;
          }
          options.*member = *text;
          return true;
        });
  }

  // At least one number, each within the range. `empty`: a word for the empty list, if that is allowed.
  Field& numbers(std::string name, std::vector<double> O::*member, Range range, std::string summary,
                 const std::string& empty = {}) {
    std::string accepted = "lists of " + range.text() + ", separated by commas";
    return add(
        std::move(name), std::move(summary), empty.empty() ? accepted : empty + ", or " + accepted,
        [empty](std::string_view typed) {
          return !empty.empty() && trimmed(typed) == empty ? std::optional<Value>(empty)
                                                           : parse_numbers(typed);
        },
        [member, empty](const O& options) {
          return (options.*member).empty() && !empty.empty() ? Value(empty) : Value(options.*member);
        },
        [member, range, empty](O& options, const Value& value) {
          if (!empty.empty() && value == Value(empty)) {
            (options.*member).clear();
            return true;
          }
          const std::optional<std::vector<double>> list = numbers_in(value);
          bool good = list && !list->empty();
          for (std::size_t i = 0; good && i < list->size(); ++i) {
            good = range.holds((*list)[i]);
          }
          if (good) {
            options.*member = *list;
          }
          return good;
        });
  }

  Field& wholes(std::string name, std::vector<std::int64_t> O::*member, std::int64_t low, std::int64_t high,
                std::string summary) {
    return add(
        std::move(name), std::move(summary),
        "lists of integers from " + std::to_string(low) + " to " + std::to_string(high) +
            ", separated by commas",
        parse_wholes, [member](const O& options) { return Value(options.*member); },
        [member, low, high](O& options, const Value& value) {
          const auto* list = std::get_if<std::vector<std::int64_t>>(&value);
          bool good = list != nullptr && !list->empty();
          for (std::size_t i = 0; good && i < list->size(); ++i) {
            good = (*list)[i] >= low && (*list)[i] <= high;
          }
          if (good) {
            options.*member = *list;
          }
          return good;
        });
  }

  // Names separated by commas, for which `good` holds.
  Field& names(std::string name, std::vector<std::string> O::*member, std::string accepted,
               std::string summary, std::function<bool(const std::vector<std::string>&)> good) {
    return add(
        std::move(name), std::move(summary), std::move(accepted),
        [](std::string_view typed) { return std::optional<Value>(comma_separated(typed)); },
        [member](const O& options) { return Value(options.*member); },
        [member, good = std::move(good)](O& options, const Value& value) {
          const auto* list = std::get_if<std::vector<std::string>>(&value);
          if (list == nullptr || !good(*list)) {
            return false;
          }
          options.*member = *list;
          return true;
        });
  }

  [[nodiscard]] std::vector<Field> take() && { return std::move(fields_); }

 private:
  static std::optional<Value> parse_text(std::string_view typed) {
    return Value(std::string(trimmed(typed)));
  }

  template <class Get, class Set>
  Field& add(std::string name, std::string summary, std::string accepted,
             std::function<std::optional<Value>(std::string_view)> parse, Get get, Set set) {
    Field field{std::move(name), std::move(summary), std::move(accepted)};
    field.get = [get](const void* options) { return get(*static_cast<const O*>(options)); };
    field.set = [set](void* options, const Value& value) { return set(*static_cast<O*>(options), value); };
    field.parse = std::move(parse);
    fields_.push_back(std::move(field));
    return fields_.back();
  }

  std::vector<Field> fields_;
};

// The fields of O, from describe(Fields<O>&), which argument-dependent lookup finds next to O.
template <class O>
std::vector<Field> fields_of() {
  Fields<O> fields;
  describe(fields);
  return std::move(fields).take();
}

// The options of one extension as a value: a struct of some type and its fields. Copies are independent.
class Options {
 public:
  // For an extension without options.
  Options() = default;

  // Default values, described by describe(Fields<O>&).
  template <class O>
  static Options of(O defaults = {}) {
    Options options;
    options.fields_ = std::make_shared<const std::vector<Field>>(fields_of<O>());
    options.value_ = std::move(defaults);
    options.address_ = [](std::any& value) -> void* { return std::any_cast<O>(&value); };
    return options;
  }

  // The struct. Throws std::logic_error if it is of another type.
  template <class O>
  [[nodiscard]] const O& as() const {
    const auto* value = std::any_cast<O>(&value_);
    if (value == nullptr) {
      throw std::logic_error("options: requested as a type other than the declared one");
    }
    return *value;
  }
  template <class O>
  [[nodiscard]] O& as() {
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-const-cast): *this is not const
    return const_cast<O&>(std::as_const(*this).template as<O>());
  }

  [[nodiscard]] const std::vector<Field>& fields() const;
  // Null if there is no field of that name.
  [[nodiscard]] const Field* find(std::string_view name) const;

  [[nodiscard]] Value get(const Field& field) const;
  // Throws std::invalid_argument such as "fishr_ema: expected a number from 0 to below 1, got 'x'".
  void set_value(const Field& field, const Value& value);
  void set_text(const Field& field, std::string_view typed);

  // The struct, for fields to read and write; null if there are no options.
  [[nodiscard]] void* address() { return address_ != nullptr ? address_(value_) : nullptr; }
  [[nodiscard]] const void* address() const;

  // Whether both hold options of the same type, or both hold none.
  [[nodiscard]] bool is_like(const Options& other) const { return value_.type() == other.value_.type(); }

  // Compares types and values.
  bool operator==(const Options& other) const;

 private:
  std::shared_ptr<const std::vector<Field>> fields_;
  std::any value_;
  void* (*address_)(std::any&) = nullptr;
};

// The same for a struct that is not inside an Options.
void set_value(const Field& field, void* options, const Value& value);
void set_text(const Field& field, void* options, std::string_view typed);

}  // namespace pair::base
