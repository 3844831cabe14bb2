#include "pair/cli/parse_errors.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "pair/base/choices.h"
#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/base/options.h"
#include "pair/base/tables.h"

namespace pair::cli {
namespace {

// The subcommand that was given, within its group: train, or status of sweep.
const CLI::App& deepest(const CLI::App& app) {
  const CLI::App* level = &app;
  while (!level->get_subcommands().empty()) {
    level = level->get_subcommands().front();
  }
  return *level;
}

// "pair sweep status".
std::string command_line(const CLI::App& level) {
  const CLI::App* const parent = level.get_parent();
  return (parent != nullptr ? command_line(*parent) + " " : "") + level.get_name();
}

// The text between two parts of a message; none if it does not have them.
std::optional<std::string> between(std::string_view said, std::string_view before, std::string_view after) {
  const std::size_t start = said.find(before);
  if (start == std::string_view::npos) {
    return std::nullopt;
  }
  const std::size_t from = start + before.size();
  const std::size_t to = after.empty() ? said.size() : said.find(after, from);
  return to == std::string_view::npos ? std::nullopt
                                      : std::optional(std::string(said.substr(from, to - from)));
}

std::string in_quotes(std::string_view text) {
  return "'" + std::string(text) + "'";
}

// The long names of a command's options, with their dashes.
std::vector<std::string> option_names(const CLI::App& level) {
  std::vector<std::string> names;
  for (const CLI::Option* option : level.get_options()) {
    for (const std::string& name : option->get_lnames()) {
      names.push_back("--" + name);
    }
  }
  return names;
}

// The setting that an option of this name would set: lr for --lr, eval_every for --eval-every.
std::string setting_of(std::string_view option) {
  std::string name(option.substr(std::min(option.find_first_not_of('-'), option.size())));
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

bool takes_settings(const CLI::App& level) {
  const CLI::Option* const set = level.get_option_no_throw("--set");
  return set != nullptr && set->get_type_name() == setting_type;
}

std::string unknown_option(const CLI::App& level, const std::string& word, const std::string& next,
                           const std::function<std::vector<std::string>()>& settings) {
  const std::size_t equals = word.find('=');
  const std::string option = word.substr(0, equals);
  const std::string value = equals != std::string::npos               ? word.substr(equals + 1)
                            : !next.empty() && !next.starts_with('-') ? next
                                                                      : "VALUE";
  const std::string start = "unknown option " + in_quotes(option) + " of " + in_quotes(command_line(level));
  const std::string name = setting_of(option);
  if (takes_settings(level) && settings) {
    const std::vector<std::string> known = settings();
    if (std::find(known.begin(), known.end(), name) != known.end()) {
      return start + "; did you mean '--set " + name + "=" + value + "'?";
    }
  }
  const std::vector<std::string> names = option_names(level);
  const std::string_view guess =
      base::nearest(option, std::vector<std::string_view>(names.begin(), names.end()));
  return start + (guess.empty() ? "; '" + command_line(level) + " --help' lists its options"
                                : "; did you mean " + in_quotes(guess) + "?");
}

std::string extras(const CLI::App& app, const std::function<std::vector<std::string>()>& settings) {
  const std::vector<std::string> words = app.remaining(/*recurse=*/true);
  const CLI::App& level = deepest(app);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].starts_with('-') && words[i].size() > 1) {
      return unknown_option(level, words[i], i + 1 < words.size() ? words[i + 1] : "", settings);
    }
  }
  return in_quotes(command_line(level)) + ": expected no further argument, got " +
         in_quotes(words.empty() ? "" : words.front());
}

std::string required(const CLI::App& app, std::string_view said) {
  const CLI::App& level = deepest(app);
  if (said.starts_with("A subcommand")) {
    const std::string names = base::joined(level.get_subcommands([](const CLI::App*) { return true; }), ", ",
                                           [](const CLI::App* subcommand) { return subcommand->get_name(); });
    return in_quotes(command_line(level)) + ": expected a subcommand (" + names + "), got none";
  }
  const std::string name(said.substr(0, said.find(' ')));
  return name + ": expected a value, which " + in_quotes(command_line(level)) + " needs, got none";
}

// Whether an option of this type takes numbers with fractions.
bool takes_number(std::string_view type) {
  return type.starts_with("FLOAT") || type == "X" || type.starts_with("X:");
}

// "Value 0 not in range 1 to 1024" (CLI11 up to 2.3), "Value 0 not in range [1 - 1024]" (later versions) and
// "xml not in {text,json}".
std::string invalid_value(const CLI::App& app, std::string_view said) {
  const std::string name(said.substr(0, said.find(':')));
  const auto value = between(said, ": Value ", " not in range ");
  const bool in_brackets = said.ends_with(']');
  const std::string before = in_brackets ? " not in range [" : " not in range ";
  const std::string middle = in_brackets ? " - " : " to ";
  const auto low = between(said, before, middle);
  const auto high = low ? between(said, before + *low + middle, in_brackets ? "]" : "") : std::nullopt;
  if (value && low && high) {
    const CLI::Option* const option = deepest(app).get_option_no_throw(name);
    const std::string type = option != nullptr ? option->get_type_name() : "";
    const bool whole =
        !takes_number(type) && low->find('.') == std::string::npos && high->find('.') == std::string::npos;
    const auto shown = [](const std::string& number) {
      const auto parsed = base::parse_number(number);
      return parsed ? base::shown(base::number_in(*parsed).value()) : number;
    };
    return name + ": expected " + (whole ? "an integer" : "a number") + " from " +
           (whole ? *low : shown(*low)) + " to " + (whole ? *high : shown(*high)) + ", got " +
           in_quotes(*value);
  }
  const auto word = between(said, ": ", " not in {");
  const auto members = between(said, " not in {", "}");
  if (word && members) {
    const std::vector<std::string> known = base::comma_separated(*members);
    return base::unexpected_name(name, *word, std::vector<std::string_view>(known.begin(), known.end()));
  }
  return std::string(said);
}

std::string unconverted(const CLI::App& app, std::string_view said) {
  const auto name = between(said, "Could not convert: ", " = ");
  const auto value = between(said, " = ", "");
  if (!name || !value) {
    return std::string(said);
  }
  const CLI::Option* const option = deepest(app).get_option_no_throw(*name);
  const std::string type = option != nullptr ? option->get_type_name() : "";
  return *name + ": expected " +
         (option != nullptr && option->get_items_expected_max() == 0 ? "true or false"
          : type.starts_with("UINT")                                 ? "an integer of at least 0"
          : type.starts_with("INT") || type == "N"                   ? "an integer"
          : takes_number(type)                                       ? "a number"
                                                                     : "another value") +
         ", got " + in_quotes(*value);
}

// How to give several values to an option that takes one list.
std::string separating(const CLI::App& app, const std::string& name) {
  const CLI::Option* const option = deepest(app).get_option_no_throw(name);
  const std::string type = option != nullptr ? option->get_type_name() : "";
  return type == "COLUMNS" ? "; separate columns by commas"
         : type == "LIST"  ? "; separate values by commas"
                           : "";
}

// "--steps: 1 required TEXT missing", "--seed: At Most 1 required but received 2".
std::string wrong_count(const CLI::App& app, std::string_view said) {
  const std::string name(said.substr(0, said.find_first_of(": ")));
  if (said.ends_with(" missing")) {
    return name + ": expected a value, got none";
  }
  if (const auto received = between(said, " required but received ", "")) {
    const bool most = said.find("At Most ") != std::string_view::npos;
    if (most && said.find("At Most 1 required") != std::string_view::npos) {
      return name + ": expected once, got " + (*received == "2" ? "twice" : *received + " times") +
             separating(app, name);
    }
    const std::string count = between(said, most ? "At Most " : "At least ", " required").value_or("1");
    return name + ": expected " + (most ? "" : "at least ") + count + (count == "1" ? " value" : " values") +
           ", got " + *received;
  }
  return said.ends_with("flag override") ? name + ": expected no value, got one" : std::string(said);
}

// The error's two options: "--last excludes --skip-steps".
std::pair<std::string, std::string> around(std::string_view said, std::string_view verb) {
  const std::size_t middle = said.find(verb);
  return {std::string(said.substr(0, middle)), std::string(said.substr(middle + verb.size()))};
}

}  // namespace

std::string message_of(const CLI::ParseError& error, const CLI::App& app,
                       const std::function<std::vector<std::string>()>& settings) {
  std::string said = error.what();
  const std::string kind = error.get_name();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    return extras(app, settings);
  }
  if (kind == "RequiredError") {
    return required(app, said);
  }
  if (kind == "ValidationError") {
    return invalid_value(app, said);
  }
  if (kind == "ConversionError") {
    return unconverted(app, said);
  }
  if (kind == "ArgumentMismatch") {
    return wrong_count(app, said);
  }
  if (kind == "ExcludesError") {
    const auto [one, other] = around(said, " excludes ");
    return one + ": expected without " + other + ", got both";
  }
  if (kind == "RequiresError") {
    const auto [one, other] = around(said, " requires ");
    return one + ": expected with " + other + ", got without";
  }
  return said;
}

std::string with_option_name(const CLI::App& app, std::string_view message) {
  const std::size_t colon = message.find(": ");
  const std::string_view name = message.substr(0, colon);
  const bool word = colon != std::string_view::npos && !name.empty() &&
                    name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_") == std::string_view::npos;
  if (!word) {
    return std::string(message);
  }
  std::string option = "--" + std::string(name);
  std::replace(option.begin(), option.end(), '_', '-');
  const CLI::Option* const found = deepest(app).get_option_no_throw(option);
  if (found == nullptr || found->count() == 0) {
    return std::string(message);
  }
  return found->get_name() + std::string(message.substr(colon));
}

}  // namespace pair::cli
