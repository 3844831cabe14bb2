#include "pair/cli/output_options.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <ostream>

#include "pair/base/names.h"
#include "pair/base/tables.h"
#include "pair/cli/command.h"
#include "pair/plot/files.h"

namespace pair::cli {
namespace {

bool is_drawn(const std::string& path) {
  return path.ends_with(".svg") || path.ends_with(".png");
}

}  // namespace

void check_not_input(std::string_view option, const std::string& path, std::span<const std::string> inputs) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_regular_file(path, error)) {
    return;  // new, or not replaced: a device or a pipe
  }
  for (const std::string& input : inputs) {
    if (fs::equivalent(path, input, error) && !error) {
      throw UsageError(std::string(option) + ": expected another file than the input '" +
                       base::printable(input) + "', got the same");
    }
  }
}

void check_figure_name(std::string_view option, const std::string& path) {
  if (!is_drawn(path) && !path.ends_with(".json")) {
    throw UsageError(std::string(option) + ": expected a name that ends in .svg, .png or .json, got '" +
                     path + "'");
  }
}

void write_figure(const std::string& path, const nlohmann::json& numbers,
                  const std::function<plot::Figure()>& draw, const std::string& theme) {
  if (is_drawn(path)) {
    plot::write_figure(draw(), path, plot::theme_from(theme));
  } else {
    write_output(path, numbers.dump() + '\n');
  }
}

void add_json_flag(CLI::App& command, const CLI::Option& format, std::string& value,
                   const std::string& word) {
  command.add_flag_callback(
      "--json",
      [&format, &value, word] {
        if (format.count() > 0 && value != word) {
          throw UsageError("--json: expected without " + format.get_name() + " " + value + ", got both");
        }
        value = word;
      },
      "The same as " + format.get_name() + " " + word);
}

void TableOptions::add(CLI::App& command, const std::vector<std::string>& formats, const std::string& what,
                       const std::string& saved) {
  const CLI::Option* const option = command.add_option("--format", format, what)
                                        ->check(CLI::IsMember(formats))
                                        ->type_name("NAME")
                                        ->capture_default_str();
  add_json_flag(command, *option, format);
  command.add_option("-o,--save", save, saved)->type_name("FILE");
}

void TableOptions::write_file(const nlohmann::json& result) const {
  if (!save.empty()) {
    write_output(save, result.dump(1) + '\n');
  }
}

void FigureOptions::add(CLI::App& command, const std::string& text, const std::string& names) {
  const CLI::Option* const option =
      command.add_option("--format", format, "text: " + text + "; json: all numbers of the figure")
          ->check(CLI::IsMember({"text", "json"}))
          ->capture_default_str();
  add_json_flag(command, *option, format);
  command
      .add_option("-o,--save" + names, save,
                  "Also draw the figure into this .svg or .png file, or write its numbers to this .json file")
      ->type_name("FILE");
  command
      .add_option("--theme", theme,
                  "auto, light or dark: the colours of the figure; auto means light in a PNG")
      ->check(CLI::IsMember({"auto", "light", "dark"}))
      ->capture_default_str();
}

void FigureOptions::check() const {
  if (!save.empty()) {
    check_figure_name("--save", save);
  }
}

void FigureOptions::write(const nlohmann::json& result, const std::function<plot::Figure()>& draw,
                          const std::function<std::string()>& text, std::ostream& out, int indent) const {
  if (!save.empty()) {
    write_figure(save, result, draw, theme);
  }
  out << (format == "json" ? result.dump(indent) + "\n" : text());
}

}  // namespace pair::cli
