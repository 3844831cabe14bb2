#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pair/plot/figure.h"
#include "pair/report/sources.h"

// The page's figures as files for a paper, drawn without a browser.

namespace pair::report {

struct NamedFigure {
  std::string name;  // of the file, without suffix: "pareto", "run-3-losses"; letters, digits, - and . alone
  plot::Figure figure;
};

// Of one run: losses, weights, divergence, conflict, accuracy and rate. Of several: overlay, spread, radar,
// pareto and heat, and the former for up to `most_runs` of them, chosen as importance.h says, as run-N-NAME
// with N from 1 by name. What the records have nothing for is left out.
std::vector<NamedFigure> figures_of(const Sources& sources, std::size_t most_runs = 8);

// Figures of one run, and of several.
std::vector<NamedFigure> run_figures(const Sources& sources, const select::Run& run);
std::vector<NamedFigure> several_figures(const Sources& sources);

// The mean of the metric's last numbers over the first two settings that have 2 to 40 values; nothing where
// fewer than two do.
std::optional<plot::Figure> heat_figure(const Sources& sources, const Metric& metric);

// Writes each as .svg and .csv, and as .png where the build can, into the folder, which is made where it is
// missing. Returns the files written. Throws std::runtime_error where one cannot be.
std::vector<std::filesystem::path> write_figures(const std::vector<NamedFigure>& figures,
                                                 const std::filesystem::path& folder);

}  // namespace pair::report
