#include "tests/plot/samples.h"

#include <cmath>

namespace pair::plot::test {
namespace {

// A deterministic wobble.
double wobble(double i, double seed) {
  return std::sin(12.9898 * i + 78.233 * seed) * std::cos(4.1414 * i * i + seed);
}

std::vector<double> steps(std::size_t count) {
  std::vector<double> result(count);
  for (std::size_t i = 0; i < count; ++i) {
    result[i] = static_cast<double>(i);
  }
  return result;
}

Figure losses() {
  const std::vector<std::string> names = {"ERM", "IRMv1", "V-REx"};
  Chart chart{.title = "Losses of PAIR-o on ColoredMNIST",
              .x = {.label = "step"},
              .y = {.label = "loss", .scale = Scale::logarithmic},
              .marks = {Span{"fitting", 0, 150}, Span{"adaption", 150, 310, Color::muted, 0.0},
                        Span{"generalization", 310, 500}}};
  for (std::size_t k = 0; k < names.size(); ++k) {
    Line line{.name = names[k], .x = steps(501), .color = category(k), .dash = dash(k)};
    for (const double i : line.x) {
      const double decay =
          k == 0 ? 0.35 + 0.4 * std::exp(-i / 60) : std::pow(10, -1.0 - double(k) * 1.5 - i / 130);
      line.y.push_back(decay * std::exp(0.25 * wobble(i, double(k))));
    }
    chart.marks.emplace_back(line);
  }
  return {
      .title = "Losses over the steps of a run", .panels = {chart}, .panel_width = 560, .panel_height = 360};
}

Figure weights() {
  const std::vector<std::string> names = {"ERM", "IRMv1", "V-REx"};
  Chart weights{.title = "Objective weights", .x = {.label = "step"}, .y = {.label = "weight"}};
  Chart accuracy{.title = "Worst accuracy, mean and spread of 5 seeds",
                 .x = {.label = "step"},
                 .y = {.label = "accuracy", .unit = "%"}};
  weights.marks = {Span{"fitting", 0, 150}, Span{"adaption", 150, 200, Color::muted, 0.0},
                   Span{"generalization", 200, 500}};
  for (std::size_t k = 0; k < names.size(); ++k) {
    Line line{.name = names[k], .x = steps(501), .color = category(k), .dash = dash(k)};
    Band band{.x = line.x, .color = category(k)};
    Line mean = line;
    for (const double i : line.x) {
      const double late = 1 / (1 + std::exp(-(i - 170) / 12));
      line.y.push_back(k == 0 ? 1 - 0.9 * late
                              : late * (k == 1 ? 0.3 : 0.6) * (1 + 0.2 * wobble(i, double(k))));
      const double level = 50 + 20 * (1 - std::exp(-i / (60 + 60 * double(k)))) - 6 * double(k);
      mean.y.push_back(level);
      band.low.push_back(level - 2 - 2 * std::abs(std::sin(i / 50)));
      band.high.push_back(level + 2 + 1.5 * std::abs(std::cos(i / 40)));
    }
    weights.marks.emplace_back(line);
    accuracy.marks.emplace_back(band);
    accuracy.marks.emplace_back(mean);
  }
  return {.title = "Weights and accuracy", .panels = {weights, accuracy}, .panel_width = 460};
}

Figure front() {
  const std::vector<std::string> names = {"ERM",    "IRMv1", "V-REx",  "IRMX",
                                          "PAIR-o", "Fishr", "IB-IRM", "CLOvE"};
  Chart chart{.title = "ERM loss against IRMv1 penalty",
              .x = {.label = "ERM loss"},
              .y = {.label = "IRMv1 penalty", .scale = Scale::logarithmic}};
  for (std::size_t k = 0; k < names.size(); ++k) {
    Points points{.name = names[k], .color = category(k), .shape = shape(k)};
    for (int i = 0; i < 9; ++i) {
      points.x.push_back(0.3 + 0.05 * double(k) + 0.05 * wobble(i, double(k)));
      points.y.push_back(std::pow(10, -1 - 0.5 * double(k) + 0.8 * wobble(i + 20, double(k))));
    }
    chart.marks.emplace_back(points);
  }
  chart.marks.emplace_back(Line{.name = "not dominated",
                                .x = {0.25, 0.29, 0.35, 0.44, 0.56, 0.67},
                                .y = {2e-1, 3e-2, 6e-3, 8e-4, 1e-4, 9e-6},
                                .color = Color::ink,
                                .dash = Dash::dashed,
                                .width = 1.3});
  chart.marks.emplace_back(Label{"best by PAIR-s", 0.56, 1e-4});
  chart.marks.emplace_back(Label{"f", 0.35, 6e-3, "IRM"});
  return {.title = "Trade-offs", .panels = {chart}, .panel_width = 560, .panel_height = 420};
}

Figure sweep() {
  HeatMap map{.label = "worst accuracy (%)", .values = true};
  map.field = sample(7, 5, -0.5, 6.5, -0.5, 4.5, [](double x, double y) {
    return 70 - 4 * (y - 2 - x / 4) * (y - 2 - x / 4) - 2 * std::abs(x - 4) + wobble(x, y);
  });
  map.field.values[3] = NAN;
  Chart chart{.title = "IRMv1, final",
              .x = {.label = "steps of ERM first"},
              .y = {.label = "penalty weight"},
              .marks = {map}};
  for (int i = 0; i < 7; ++i) {
    chart.x.ticks.push_back({double(i), std::to_string(50 * i)});
  }
  for (int i = 0; i < 5; ++i) {
    chart.y.ticks.push_back({double(i), power_of_ten(i + 1)});
  }
  Chart difference = chart;
  difference.title = "PAIR-o minus IRMv1";
  HeatMap other = map;
  other.scale = ColorScale::diverging;
  other.label = "difference";
  for (double& value : other.field.values) {
    value = (value - 60) / 3;
  }
  other.range = {-10, 10};
  difference.marks = {other};
  const std::vector<std::string> methods = {"ERM",    "IRMv1", "V-REx",        "IRMX (annealed)",
                                            "PAIR-o", "Fishr", "oracle (gray)"};
  for (std::size_t i = 0; i < methods.size(); ++i) {
    difference.x.ticks[i].label = methods[i];
  }
  difference.x.label = "";
  return {.title = "A sweep over two hyperparameters",
          .panels = {chart, difference},
          .panel_width = 470,
          .panel_height = 330};
}

Figure maps() {
  Figure figure{.title = "Predictions beyond the training regions", .panel_width = 330, .panel_height = 300};
  for (const double tilt : {0.0, 0.6, 0.2}) {
    HeatMap map{.label = "prediction", .range = {{-0.5, 2.5}}, .bar = tilt == 0.2};
    map.field = sample(200, 200, -4, 4, -4, 4,
                       [tilt](double x, double y) { return std::sin(x + tilt * y) + 1 + 0.1 * tilt * y; });
    Chart chart{.title = tilt == 0.0   ? "truth"
                         : tilt == 0.6 ? "IRMv1"
                                       : "PAIR-o",
                .x = {.label = "x₁"},
                .y = {.label = "x₂"},
                .equal_units = true};
    chart.marks = {map, rectangle("environment 1", -2, 0, 1, 3, Color::ink),
                   rectangle("environment 2", 0, 2, -3, -1, Color::vermillion)};
    std::get<Region>(chart.marks[1]).opacity = std::get<Region>(chart.marks[2]).opacity = 0;
    std::get<Region>(chart.marks[2]).dash = Dash::dashed;
    figure.panels.emplace_back(chart);
  }
  return figure;
}

Figure landscape() {
  const auto bowl = [](double x, double y) {
    return (x - 0.8) * (x - 0.8) + 0.6 * (y - 0.5) * (y - 0.5) + 0.3 * x * y;
  };
  Chart chart{.title = "Constraints over the ERM loss",
              .x = {.label = "f(1, 1)"},
              .y = {.label = "f(1, −1)"},
              .equal_units = true};
  const Field field = sample(150, 150, -0.5, 1.5, -0.5, 1.5, bowl);
  const Field circle = sample(150, 150, -0.5, 1.5, -0.5, 1.5,
                              [](double x, double y) { return std::hypot(x - 0.45, y - 0.3) - 0.55; });
  const Field ellipse = sample(150, 150, -0.5, 1.5, -0.5, 1.5, [](double x, double y) {
    return std::hypot((x - 0.4) / 0.8, (y - 0.4) / 0.45) - 1;
  });
  chart.marks = {
      HeatMap{.label = "ERM loss", .field = field, .scale = ColorScale::shade},
      Contours{.field = field, .levels = {0.2, 0.5, 1, 1.5, 2}, .labels = true},
      Contours{.name = "environment 1", .field = circle, .levels = {0}, .color = Color::blue, .width = 2},
      Contours{.name = "environment 2",
               .field = ellipse,
               .levels = {0},
               .color = Color::vermillion,
               .dash = Dash::dashed,
               .width = 2},
      Points{.x = {0.0, 0.82, 0.8, 0.05}, .y = {0.0, 0.72, -0.06, 0.72}, .color = Color::ink, .size = 8},
      Label{"f", 0.0, 0.0, "0"},
      Label{"f", 0.82, 0.72, "IRM"},
      Label{"f", 0.8, -0.06, "1"},
      Label{"f", 0.05, 0.72, "2"}};
  return {.title = "A landscape", .panels = {chart}, .panel_width = 480, .panel_height = 460};
}

Figure radar() {
  Radar chart{.title = "Losses at the end, 1 is the worst",
              .spokes = {"ERM", "IRMv1", "V-REx", "IB", "Fishr"},
              .most = 1};
  chart.series = {{"ERM", {0.2, 1.0, 1.0, 0.7, 0.9}, Color::blue},
                  {"IRMX", {0.6, 0.5, 0.4, 0.8, 0.6}, Color::vermillion, Dash::dashed},
                  {"PAIR-o", {0.5, 0.1, 0.15, 0.4, 0.35}, Color::green, Dash::dotted}};
  Radar open = chart;
  open.title = "With a gap, its own scale";
  open.most.reset();
  open.series[1].values = {123.0, 250.0, NAN, 310.0, 40.0};
  return {.title = "Normalised losses", .panels = {chart, open}};
}

}  // namespace

std::vector<std::pair<std::string, Figure>> samples() {
  return {{"losses", losses()}, {"weights", weights()},     {"front", front()}, {"sweep", sweep()},
          {"maps", maps()},     {"landscape", landscape()}, {"radar", radar()}};
}

}  // namespace pair::plot::test
