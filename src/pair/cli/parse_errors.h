#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

// Messages about arguments in one shape: the subject, what is expected, and what was given.

namespace pair::cli {

// The type name of a --set option that takes the settings of runs. An unknown option of such a command is
// then suggested as '--set NAME=VALUE' if a setting has the name.
inline constexpr auto setting_type = "SETTING=VALUE";

// CLI11's error in our words: "--jobs: expected an integer from 1 to 1024, got '0'". `app` is the parsed app.
// `settings`: the names of all settings; may be empty. Called only if it is needed.
std::string message_of(const CLI::ParseError& error, const CLI::App& app,
                       const std::function<std::vector<std::string>()>& settings);

// A message about a setting, "n_trials: expected an integer from 1 to 9, got '0'", if it was given by an
// option of its name: "--n-trials: expected an integer from 1 to 9, got '0'". Other messages are returned
// unchanged.
std::string with_option_name(const CLI::App& app, std::string_view message);

}  // namespace pair::cli
