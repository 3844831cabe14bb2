#include "pair/data/extrapolation.h"

#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <utility>

#include "pair/data/protocols.h"
#include "pair/data/random.h"
#include "pair/data/registry.h"

namespace pair::data {
namespace {

using Point = std::array<double, 2>;
using Draw = std::function<Point(Random&)>;

Draw rectangle(Point low, Point high) {
  return [low, high](Random& random) {
    const double x1 = random.uniform(low[0], high[0]);
    return Point{x1, random.uniform(low[1], high[1])};
  };
}

// Uses the Cholesky factor of the covariance {(a, b), (b, c)}.
Draw normal(Point centre, double a, double b, double c) {
  const double along = std::sqrt(a);
  const double shear = b / along;
  const double across = std::sqrt(c - shear * shear);
  return [=](Random& random) {
    const double first = random.normal();
    const double second = random.normal();
    return Point{centre[0] + along * first, centre[1] + shear * first + across * second};
  };
}

Environment drawn(std::string key, const Draw& draw, std::int64_t points, double frequency, Random random) {
  Environment environment{.key = std::move(key),
                          .inputs = torch::empty({points, 2}, torch::kFloat),
                          .labels = torch::empty({points}, torch::kFloat)};
  float* inputs = environment.inputs.data_ptr<float>();
  float* labels = environment.labels.data_ptr<float>();
  for (std::int64_t i = 0; i < points; ++i) {
    const Point point = draw(random);
    inputs[2 * i] = static_cast<float>(point[0]);
    inputs[2 * i + 1] = static_cast<float>(point[1]);
    labels[i] = static_cast<float>(extrapolation_label(point[0], frequency));
  }
  return environment;
}

}  // namespace

EnvironmentSet extrapolation(const ExtrapolationSpec& spec, std::uint64_t seed) {
  validate(spec);
  const bool uniform = spec.sampling == ExtrapolationSpec::Sampling::uniform;
  const std::array<Draw, 2> train =
      uniform ? std::array{rectangle({-3, -3}, {1, -2}), rectangle({-1, 2}, {3, 3})}
              : std::array{normal({-0.9, -2.2}, 0.9, 0.11, 0.1), normal({1, 2}, 1, -0.3, 0.1)};
  EnvironmentSet set{
      .name = spec.name, .loss = TaskLoss::squared_error, .outputs = 1, .train = {}, .held_out = {}};
  set.input = form_of(NumbersInput{{"x1", "x2"}});
  for (std::size_t e = 0; e < train.size(); ++e) {
    const std::string key = "env" + std::to_string(e) + "_in";
    set.train.push_back(
        drawn(key, train[e], spec.points, spec.frequency, Random(seed, "extrapolation/" + key)));
  }
  constexpr double extent = extrapolation_extent;
  for (const std::string key : {"env2_in", "env2_out"}) {
    set.held_out.push_back(drawn(key, rectangle({-extent, -extent}, {extent, extent}), spec.test_points,
                                 spec.frequency, Random(seed, "extrapolation/" + key)));
  }
  set.held_out.back().test = true;
  return set;
}

std::vector<DatasetEntry> extrapolation_entries() {
  const auto entry = [](std::string name, std::string summary, ExtrapolationSpec::Sampling sampling) {
    DatasetEntry made{.name = name, .summary = std::move(summary)};
    made.options = base::Options::of(ExtrapolationSpec{.name = std::move(name), .sampling = sampling});
    made.protocol = extrapolation_protocol.name;
    // Appendix C.3: an MLP with 128 units per layer, minibatches of 512 (five per pass over the data, called
    // an epoch here), Adam throughout, 10,000 epochs. Losses of two different minibatches do not show whether
    // a step was too long.
    made.settings = {{"width", "128"},
                     {"batch", "512"},
                     {"steps", "50000"},
                     {"l2", "0"},
                     {"pretrain", "0"},
                     {"balance_optimizer", "adam"},
                     {"balance_lr", "1e-3"},
                     {"decay", "none"},
                     {"backtrack", "false"},
                     {"eval_every", "2500"},
                     {"checkpoint_every", "2500"}};
    made.metrics = {"mse", "pearson"};
    made.environments = [](const base::Options&) {
      return std::vector<std::string>{"lower", "upper", "whole square"};
    };
    made.test_environments = [](const base::Options&) { return std::vector<std::int64_t>{2}; };
    made.test_part = "_out";
    made.make = [](const base::Options& options, std::uint64_t seed) {
      return extrapolation(options.as<ExtrapolationSpec>(), seed);
    };
    return made;
  };
  return {entry("extrapolation-uniform", "regression on the plane, trained on two rectangles",
                ExtrapolationSpec::Sampling::uniform),
          entry("extrapolation-gaussian", "the same, trained on two normal distributions",
                ExtrapolationSpec::Sampling::gaussian)};
}

}  // namespace pair::data
