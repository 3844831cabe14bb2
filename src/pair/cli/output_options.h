#pragma once

#include <CLI/CLI.hpp>
#include <functional>
#include <iosfwd>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/files.h"
#include "pair/plot/figure.h"

// Output files and formats named by options.

namespace pair::cli {

using base::write_output;

// Throws UsageError if `path` is one of the inputs, under this or another name. Call it before the work begins.
void check_not_input(std::string_view option, const std::string& path, std::span<const std::string> inputs);

// A figure's file; the suffix decides the kind: .svg or .png is drawn, .json has the numbers. Throws
// UsageError for any other suffix; `option` is used in the message. Call it before the work begins.
void check_figure_name(std::string_view option, const std::string& path);
// draw is called for .svg and .png. theme: auto, light or dark.
void write_figure(const std::string& path, const nlohmann::json& numbers,
                  const std::function<plot::Figure()>& draw, const std::string& theme);

// --json, the same as `format` with the value `word`. Refuses another value of `format` next to it. `format`
// is the option that sets `value`; both must outlive the command.
void add_json_flag(CLI::App& command, const CLI::Option& format, std::string& value,
                   const std::string& word = "json");

// The output of a command that makes a table: text, other formats, and a file of its numbers.
struct TableOptions {
  std::string format = "text";
  std::string save;  // empty: no file

  // Adds --format, --json and -o,--save. formats: text first. saved: the help of --save.
  void add(CLI::App& command, const std::vector<std::string>& formats, const std::string& what,
           const std::string& saved = "Also write the numbers to this file");
  // Writes the file, if one was named.
  void write_file(const nlohmann::json& result) const;
};

// The same for a figure: the file may also be a drawing.
struct FigureOptions {
  std::string format = "text";
  std::string save;
  std::string theme = "auto";

  // Adds --format, --json, -o,--save and --theme. text: what the format text shows. names: further names of
  // --save, such as ",--out", which it had before.
  void add(CLI::App& command, const std::string& text, const std::string& names = "");
  // Throws UsageError for a file whose kind is unknown. Call it before the work begins.
  void check() const;
  // Writes the file, if one was named, and then the numbers as JSON or the text to `out`.
  // indent: that of the JSON; -1: on one line.
  void write(const nlohmann::json& result, const std::function<plot::Figure()>& draw,
             const std::function<std::string()>& text, std::ostream& out, int indent = -1) const;
};

}  // namespace pair::cli
