#include <array>

#include "pair/base/numbers.h"
#include "pair/paper/release_settings.h"
#include "pair/paper/studies.h"
#include "pair/paper/study_panels.h"

// Environments {(0.25, 0.1), (0.25, beta)} of ColoredMNIST. The paper does not print the values of beta;
// here, from 0.11, where the two are nearly equal, to 0.3, beyond CMNIST's 0.2. The paper shows V-REx and
// IRMv1; ERM and PAIR-o are added here.

namespace pair::paper {
namespace vrex_failure_figure {
namespace {

using nlohmann::json;

constexpr double first_beta = 0.1;
constexpr std::array methods = {"irmv1", "vrex", "pair", "erm"};

std::vector<StudyCell> cells(const StudyRequest& request) {
  const std::vector<double> betas = request.quick
                                        ? std::vector{0.12, 0.16, 0.2, 0.3}
                                        : std::vector{0.11, 0.12, 0.13, 0.15, 0.175, 0.2, 0.25, 0.3};
  std::vector<StudyCell> all;
  for (const std::string& method : request.methods) {
    for (const double beta : betas) {
      base::Assignments overrides = {{"train_betas", base::shown(first_beta) + "," + base::shown(beta)}};
      if (method != "pair") {
        const std::vector<std::string> objectives = runs::resolve(cmnist.name, method).settings.objectives;
        for (base::Assignment& one : release_settings(objectives)) {
          overrides.push_back(std::move(one));
        }
      }
      all.push_back(study_cell(request, {{"dataset", cmnist.label}, {"method", method}, {"beta", beta}},
                               cmnist.name, method, overrides));
    }
  }
  return all;
}

plot::Figure draw(const json& result) {
  plot::Chart chart{.x = {.label = "β of the second environment; the first has 0.1"},
                    .y = {.label = "worst test accuracy", .unit = "%"}};
  for (const json& method : values_of(result, "method")) {
    std::vector<double> x, mean, deviation;
    for (const json& cell : cells_with(result, {{"method", method}})) {
      if (cell.contains("accuracy")) {
        x.push_back(cell.at("beta"));
        mean.push_back(cell.at("accuracy").at("mean"));
        deviation.push_back(cell.at("accuracy").at("deviation"));
      }
    }
    add_line(chart, place_of(method.get<std::string>()), label_of(method.get<std::string>()), x, mean,
             deviation, true);
  }
  return {.panels = {std::move(chart)}, .panel_width = 620, .panel_height = 400};
}

std::string lines(const json& result) {
  std::vector<std::string> head = {"beta"};
  for (const json& beta : values_of(result, "beta")) {
    head.push_back(base::shown(beta.get<double>()));
  }
  return accuracy_table(result, std::move(head));
}

}  // namespace
}  // namespace vrex_failure_figure

Study fig_vrex_failure() {
  return {.name = "fig-vrex-failure",
          .figures = "Figure 9",
          .title = "Environments that become similar",
          .summary = "V-REx and IRMv1 as the two environments of ColoredMNIST become similar",
          .seeds = "0-4",
          .methods = {vrex_failure_figure::methods.begin(), vrex_failure_figure::methods.end()},
          .quick_cells = "four values of beta",
          .about = "Worst test accuracy after the last step, in percent. The first environment has beta 0.1.",
          .cells = vrex_failure_figure::cells,
          .measure = worst_accuracy,
          .draw = vrex_failure_figure::draw,
          .lines = vrex_failure_figure::lines};
}

}  // namespace pair::paper
