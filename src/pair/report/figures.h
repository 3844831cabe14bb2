#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "pair/plot/figure.h"
#include "pair/report/sources.h"

// The figures of the page as files for a paper, drawn without a browser.

namespace pair::report {

struct NamedFigure {
  std::string name;  // the file's name without suffix: "pareto", "RUN-losses"; only letters, digits, - and .
  plot::Figure figure;
};

// For one run: losses, weights, divergence, conflict, accuracy and rate; environments, confusion and columns if it
// has an evaluation. For several: overlay, spread, radar,
// pareto and heat, and the figures of up to `most_runs` single runs, chosen by importance.h, with the name of
// the run's folder in front (followed by -2, -3, ... where several runs share it). Figures without data are
// left out.
std::vector<NamedFigure> figures_of(const Sources& sources, std::size_t most_runs = 8);

// Why figures of several runs are left out, one sentence each: "no radar: expected at least 3 losses, got 2
// (erm, irmv1)".
std::vector<std::string> absent_figures(const Sources& sources);

// The figures of one run, and of several.
std::vector<NamedFigure> run_figures(const Sources& sources, const select::Run& run);
std::vector<NamedFigure> several_figures(const Sources& sources);

// The figures of an evaluation: the scores by environment, the confusion matrix of the worst environment, and
// the columns that the model leans on; those that it has.
std::vector<NamedFigure> evaluation_figures(const runs::Evaluation& evaluation, const std::string& title);

// For each dataset, the mean of the runs' last test accuracies, or of their test errors, over the first two
// settings that have 2 to 40 values each. Datasets with fewer than two such settings are left out; none if
// all are.
std::optional<plot::Figure> heat_figure(const Sources& sources);

// Writes each figure as .svg and .csv, and as .png if the build supports it, into the folder, which is
// created if necessary. Returns the files written. Throws std::runtime_error if a file cannot be written.
std::vector<std::filesystem::path> write_figures(const std::vector<NamedFigure>& figures,
                                                 const std::filesystem::path& folder);

}  // namespace pair::report
