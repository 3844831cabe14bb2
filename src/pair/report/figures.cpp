#include "pair/report/figures.h"

#include <algorithm>
#include <system_error>

#include "pair/plot/files.h"
#include "pair/plot/png.h"
#include "pair/report/importance.h"

namespace pair::report {

std::vector<NamedFigure> figures_of(const Sources& sources, std::size_t most_runs) {
  const select::History& history = sources.history();
  if (history.size() == 1) {
    return run_figures(sources, history.front());
  }
  std::vector<NamedFigure> figures = several_figures(sources);
  std::vector<std::size_t> runs = by_importance(sources);
  runs.resize(std::min(runs.size(), most_runs));
  std::sort(runs.begin(), runs.end());
  for (const std::size_t run : runs) {
    for (NamedFigure& figure : run_figures(sources, history[run])) {
      figures.push_back({"run-" + std::to_string(run + 1) + "-" + figure.name, std::move(figure.figure)});
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
