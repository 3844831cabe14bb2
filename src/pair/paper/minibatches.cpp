#include <array>

#include "pair/paper/studies.h"
#include "pair/paper/study_panels.h"

// Not a figure of the paper, which names minibatches as a limit of PAIR-o. Every minibatch run has 1,500
// steps. docs/minibatches.md explains the three kinds of settings.

namespace pair::paper {
namespace minibatches_figure {
namespace {

using nlohmann::json;

struct Kind {
  std::string_view key;
  std::string_view label;
};
// The settings of full batches, with more steps; the default for minibatches without averages over
// steps; the default.
constexpr Kind before{"before", "settings of full batches"};
constexpr Kind untracked{"untracked", "moments not averaged"};
constexpr Kind with_defaults{"default", "default"};

constexpr std::int64_t all_samples = 0;
constexpr std::array methods = {"erm", "irmv1", "vrex", "irmx", "pair"};

std::string batch_text(std::int64_t batch) {
  return batch == all_samples ? "all" : std::to_string(batch);
}

// The kinds of settings that differ.
std::vector<Kind> kinds_of(const std::string& method, std::int64_t batch) {
  if (method == "erm" || batch == all_samples) {
    return {with_defaults};
  }
  return {before, untracked, with_defaults};
}

StudyCell minibatch_cell(const StudyRequest& request, const StudyDataset& dataset, const std::string& method,
                         std::int64_t batch, const Kind& kind) {
  json place{{"dataset", dataset.label}, {"method", method}, {"batch", batch}, {"settings", kind.key}};
  if (batch == all_samples) {
    return study_cell(request, std::move(place), dataset.name, method, {});
  }
  const base::Assignment steps{"steps", "1500"};
  const base::Assignment samples{"batch", std::to_string(batch)};
  if (kind.key == untracked.key) {
    // Two thirds are pretraining, as in the default.
    return study_cell(request, std::move(place), dataset.name, method, {steps, samples, {"track", "1"}});
  }
  if (kind.key == with_defaults.key) {
    return study_cell(request, std::move(place), dataset.name, method, {steps, samples});
  }
  StudyCell cell = study_cell(request, std::move(place), dataset.name, method, {steps});
  for (runs::RunSpec& spec : cell.specs) {
    spec.settings.batch = batch;  // only now, so that the defaults of minibatches do not apply
  }
  return cell;
}

std::vector<StudyCell> cells(const StudyRequest& request) {
  const std::vector<StudyDataset> datasets =
      request.quick ? std::vector{cmnist} : std::vector{cmnist, cmnist_m};
  const std::vector<std::int64_t> batches =
      request.quick ? std::vector{std::int64_t{64}, all_samples}
                    : std::vector{std::int64_t{64}, std::int64_t{256}, all_samples};
  std::vector<StudyCell> all;
  for (const StudyDataset& dataset : datasets) {
    for (const std::string& method : request.methods) {
      for (const std::int64_t batch : batches) {
        for (const Kind& kind : kinds_of(method, batch)) {
          all.push_back(minibatch_cell(request, dataset, method, batch, kind));
        }
      }
    }
  }
  return all;
}

// The accuracy for a batch size under these settings; ERM and full batches have only the default. Null if
// there is none.
json accuracy_at(const json& result, const json& dataset, const json& method, const json& batch,
                 const Kind& kind) {
  const bool one_kind = method == "erm" || batch == all_samples;
  const json place{{"dataset", dataset},
                   {"method", method},
                   {"batch", batch},
                   {"settings", one_kind ? with_defaults.key : kind.key}};
  const std::vector<json> found = cells_with(result, place);
  return found.empty() ? json() : found.front().value("accuracy", json());
}

plot::Figure draw(const json& result) {
  const std::vector<json> batches = values_of(result, "batch");
  plot::Figure figure{.columns = 2, .panel_width = 420, .panel_height = 340};
  for (const json& dataset : values_of(result, "dataset")) {
    for (const Kind& kind : {before, with_defaults}) {
      plot::Chart chart{.title = dataset.get<std::string>() + ", " + std::string(kind.label),
                        .x = {.label = "samples per environment and step",
                              .range = std::pair(-0.2, static_cast<double>(batches.size()) - 0.8)},
                        .y = {.label = "worst test accuracy", .unit = "%", .range = std::pair(0.0, 100.0)}};
      for (std::size_t i = 0; i < batches.size(); ++i) {
        chart.x.ticks.push_back({static_cast<double>(i), batch_text(batches[i].get<std::int64_t>())});
      }
      for (const json& method : values_of(result, "method")) {
        std::vector<double> x, mean, deviation;
        for (std::size_t i = 0; i < batches.size(); ++i) {
          const json accuracy = accuracy_at(result, dataset, method, batches[i], kind);
          if (!accuracy.is_null()) {
            x.push_back(static_cast<double>(i));
            mean.push_back(accuracy.at("mean"));
            deviation.push_back(accuracy.at("deviation"));
          }
        }
        add_line(chart, place_of(method.get<std::string>()), label_of(method.get<std::string>()), x, mean,
                 deviation, true);
      }
      figure.panels.emplace_back(std::move(chart));
    }
  }
  return figure;
}

std::string lines(const json& result) {
  std::vector<std::vector<std::string>> table(1, {"samples per environment"});
  for (const json& batch : values_of(result, "batch")) {
    table[0].push_back(batch_text(batch.get<std::int64_t>()));
  }
  for (const json& dataset : values_of(result, "dataset")) {
    for (const json& method : values_of(result, "method")) {
      const std::string name = dataset.get<std::string>() + ", " + label_of(method.get<std::string>());
      const std::vector<Kind> kinds =
          method == "erm" ? std::vector{with_defaults} : std::vector{before, untracked, with_defaults};
      for (const Kind& kind : kinds) {
        std::vector<std::string> line = {method == "erm" ? name : name + ", " + std::string(kind.label)};
        for (const json& batch : values_of(result, "batch")) {
          line.push_back(spread_text(accuracy_at(result, dataset, method, batch, kind), 1));
        }
        table.push_back(std::move(line));
      }
    }
  }
  return aligned(table);
}

}  // namespace
}  // namespace minibatches_figure

Study minibatches() {
  return {
      .name = "minibatches",
      .figures = "",
      .title = "Accuracy by batch size",
      .summary =
          "Accuracy by batch size: PAIR-o, V-REx, IRMX and IRMv1 with and without the settings for "
          "minibatches, and ERM",
      .seeds = "0-9",
      .methods = {minibatches_figure::methods.begin(), minibatches_figure::methods.end()},
      .quick_cells = "CMNIST only, batches of 64 and all samples",
      .about =
          "Worst test accuracy after the last step, in percent. Minibatch runs have 1,500 steps. Steps on\n"
          "all samples have the same settings in every line of a method.",
      .cells = minibatches_figure::cells,
      .measure = worst_accuracy,
      .draw = minibatches_figure::draw,
      .lines = minibatches_figure::lines};
}

}  // namespace pair::paper
