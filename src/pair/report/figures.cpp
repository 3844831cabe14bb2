#include "pair/report/figures.h"

#include <algorithm>
#include <map>
#include <system_error>

#include "pair/plot/files.h"
#include "pair/plot/png.h"
#include "pair/report/importance.h"

namespace pair::report {
namespace {

// The run's folder as part of a file's name.
std::string file_name_of(const select::Run& run) {
  constexpr std::size_t longest = 120;
  std::string name = std::filesystem::path(run.name).filename().string().substr(0, longest);
  for (char& c : name) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
    c = plain ? c : '-';
  }
  return name.empty() || name.front() == '.' ? "run" + name : name;
}

}  // namespace

std::vector<NamedFigure> figures_of(const Sources& sources, std::size_t most_runs) {
  const select::History& history = sources.history();
  if (history.size() == 1) {
    return run_figures(sources, history.front());
  }
  std::vector<NamedFigure> figures = several_figures(sources);
  std::vector<std::size_t> runs = by_importance(sources);
  runs.resize(std::min(runs.size(), most_runs));
  std::sort(runs.begin(), runs.end());
  std::map<std::string, std::size_t> seen;
  for (const std::size_t run : runs) {
    std::string name = file_name_of(history[run]);
    if (const std::size_t count = ++seen[name]; count > 1) {
      name += "-" + std::to_string(count);
    }
    for (NamedFigure& figure : run_figures(sources, history[run])) {
      figures.push_back({name + "-" + figure.name, std::move(figure.figure)});
    }
  }
  return figures;
}

std::vector<std::filesystem::path> write_figures(const std::vector<NamedFigure>& figures,
                                                 const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (error) {
    throw std::runtime_error("'" + folder.string() + "' cannot be created: " + error.message());
  }
  std::vector<std::filesystem::path> files;
  for (const NamedFigure& figure : figures) {
    for (const char* const suffix : {".svg", ".csv", ".png"}) {
      if (suffix == std::string_view(".png") && !plot::have_png()) {
        continue;
      }
      files.push_back(folder / (figure.name + suffix));
      plot::write_figure(figure.figure, files.back());
    }
  }
  return files;
}

}  // namespace pair::report
