#include "pair/runs/evaluate.h"

#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pair/base/base64.h"
#include "pair/data/environment.h"
#include "pair/data/metrics.h"
#include "pair/data/shown_sample.h"
#include "pair/data/table_encoding.h"
#include "pair/models/registry.h"
#include "pair/runs/column_use.h"
#include "pair/runs/record_keys.h"
#include "pair/runs/tally.h"
#include "pair/train/trainer.h"

namespace pair::runs {
namespace {

constexpr std::size_t longest_environment = 200;  // bytes of its name

// Records count the first part of a test environment, "env2_in"; the second, "env2_out", is left out here.
bool is_represented(const data::EnvironmentSet& data, std::size_t place) {
  const data::Environment& environment = data.held_out[place];
  constexpr std::string_view out = "_out";
  if (!environment.scored) {
    return false;
  }
  if (environment.test || !environment.key.ends_with(out)) {
    return true;
  }
  const std::string other = environment.key.substr(0, environment.key.size() - out.size()) + "_in";
  return std::ranges::none_of(data.held_out,
                              [&](const data::Environment& each) { return each.key == other; });
}

// The model's columns on resident rows.
class ColumnUses {
 public:
  ColumnUses(const data::EnvironmentSet& data, const ModelCard& card) : data_(data), card_(card) {
    for (const data::ColumnEncoding& column : data.table->columns) {
      widths_.push_back(static_cast<std::int64_t>(column.width()));
    }
  }

  // Fits of wider tables would take too long.
  static bool applies(const data::EnvironmentSet& data, const ModelCard& card) {
    constexpr std::int64_t widest_fit = 512;
    constexpr std::int64_t most_outputs = 64;
    return data.table && card.outputs <= most_outputs &&
           (is_linear(card) || data.held_out.front().inputs.size(1) <= widest_fit);
  }

  void add(std::size_t held_out, const torch::Tensor& outputs) { seen_.emplace_back(held_out, outputs); }

  // environments: the places in the evaluation, worst first.
  Evaluation::Columns columns(train::Trainer& trainer, const std::vector<std::size_t>& environments) {
    const torch::Tensor weights = weights_of(trainer);
    std::vector<ColumnUse> uses;
    for (const std::size_t e : environments) {
      const auto& [place, outputs] = seen_[e];
      const data::Environment& environment = data_.held_out[place];
      uses.push_back(column_use(card_.loss, environment.inputs.to(torch::kCPU), outputs,
                                environment.labels.to(torch::kCPU), weights, widths_));
    }
    return shown(uses, environments);
  }

 private:
  static bool is_linear(const ModelCard& card) { return models::model_named(card.model).linear; }

  torch::Tensor weights_of(train::Trainer& trainer) {
    const std::int64_t inputs = data_.held_out.front().inputs.size(1);
    if (is_linear(card_)) {
      // f(e_j) - f(0) is the weight of input j.
      const torch::Tensor answers =
          trainer.predict(torch::cat({torch::zeros({1, inputs}), torch::eye(inputs)})).to(torch::kDouble);
      return (answers.slice(0, 1) - answers.slice(0, 0, 1)).t().contiguous();
    }
    LinearFit fit(inputs, card_.outputs);
    for (const auto& [place, outputs] : seen_) {
      if (!data_.held_out[place].test) {
        fit.add(data_.held_out[place].inputs.to(torch::kCPU), outputs);
      }
    }
    return fit.weights();
  }

  // The columns with the largest share in any of the environments.
  [[nodiscard]] Evaluation::Columns shown(const std::vector<ColumnUse>& uses,
                                          const std::vector<std::size_t>& environments) const {
    constexpr std::size_t longest_name = 100;
    std::vector<double> largest(widths_.size(), 0.0);
    for (const ColumnUse& use : uses) {
      for (std::size_t c = 0; c < largest.size(); ++c) {
        largest[c] = std::max(largest[c], std::abs(use.share[c]));  // not NaN: it compares as smaller
      }
    }
    std::vector<std::size_t> order(widths_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return largest[a] > largest[b]; });
    order.resize(std::min(order.size(), most_columns));
    Evaluation::Columns columns{.names = {},
                                .left_out = static_cast<std::int64_t>(widths_.size() - order.size()),
                                .fitted = !is_linear(card_),
                                .environments = environments,
                                .share = {},
                                .agreement = {}};
    for (const std::size_t c : order) {
      columns.names.push_back(data::cut_text(data_.table->columns[c].name, longest_name));
    }
    for (const ColumnUse& use : uses) {
      std::vector<double>& shares = columns.share.emplace_back();
      std::vector<double>& agreements = columns.agreement.emplace_back();
      for (const std::size_t c : order) {
        shares.push_back(use.share[c]);
        agreements.push_back(use.agreement[c]);
      }
    }
    return columns;
  }

  const data::EnvironmentSet& data_;
  const ModelCard& card_;
  std::vector<std::int64_t> widths_;
  std::vector<std::pair<std::size_t, torch::Tensor>> seen_;  // place in held_out, outputs on the CPU
};

// Adds a batch's answers to the tally.
void count(Tally& tally, std::size_t environment, const ModelCard& card, const torch::Tensor& outputs,
           const torch::Tensor& labels, std::span<const std::size_t> samples) {
  const bool regression = card.loss == data::TaskLoss::squared_error;
  const torch::Tensor truths = labels.to(torch::kDouble).contiguous();
  const torch::Tensor answers = data::answers(card.loss, outputs);
  const torch::Tensor numbers = answers.to(torch::kDouble).contiguous();
  torch::Tensor shares;
  if (!regression) {
    shares = data::probabilities(card.loss, outputs.to(torch::kDouble))
                 .gather(1, answers.unsqueeze(1))
                 .squeeze(1)
                 .contiguous();
  }
  const double mean = card.table ? card.table->label.mean : 0.0;
  const double deviation = card.table ? card.table->label.deviation : 1.0;
  for (std::int64_t i = 0; i < truths.size(0); ++i) {
    const auto place = static_cast<std::size_t>(i);
    const double truth = truths.data_ptr<double>()[i];
    const double answer = numbers.data_ptr<double>()[i];
    const std::size_t sample = samples.empty() ? place : samples[place];
    if (regression) {
      tally.add_value(environment, mean + deviation * truth, mean + deviation * answer, sample);
    } else {
      tally.add_answer(environment, static_cast<std::size_t>(truth), static_cast<std::size_t>(answer),
                       shares.data_ptr<double>()[i], sample);
    }
  }
}

// The worst ones, in ascending order.
std::vector<std::size_t> worst_environments(const Evaluation& evaluation) {
  std::vector<std::size_t> order(evaluation.environments.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
    const Evaluation::Environment& left = evaluation.environments[a];
    const Evaluation::Environment& right = evaluation.environments[b];
    return evaluation.regression ? left.rmse > right.rmse : left.accuracy < right.accuracy;
  });
  order.resize(std::min(order.size(), most_column_environments));
  std::ranges::sort(order);
  return order;
}

void show_samples(const data::EnvironmentSet& data, Tally::Result& result) {
  std::vector<data::ShownSample> shown;
  try {
    if (data.streamed()) {
      shown = data::shown_samples(*data.source, result.samples, /*pictures=*/data.loading.numbers == 0);
    } else if (data.show) {
      shown = data.show(result.samples);
    }
  } catch (const std::exception&) {
    // The file has changed or is gone since training began: the numbers do not need it.
  }
  for (std::size_t i = 0; i < result.samples.size(); ++i) {
    Evaluation::Wrong& wrong = result.evaluation.wrong[i];
    if (i >= shown.size()) {
      wrong.sample = "sample " + std::to_string(result.samples[i]);
      continue;
    }
    wrong.sample = std::move(shown[i].name);
    wrong.text = std::move(shown[i].text);
    wrong.cells = std::move(shown[i].cells);
    wrong.cells_left_out = static_cast<std::int64_t>(shown[i].cells_left_out);
    wrong.picture = base::base64(shown[i].picture);
  }
}

}  // namespace

bool is_evaluated(const data::EnvironmentSet& data) {
  return !data.held_out.empty() && (data.show || data.streamed());
}

Evaluation evaluate(const data::EnvironmentSet& data, const ModelCard& card, train::Trainer& trainer,
                    const std::function<bool()>& stop) {
  std::vector<Tally::Environment> environments;
  std::vector<std::size_t> place_of(data.held_out.size(), data.held_out.size());
  for (std::size_t i = 0; i < data.held_out.size() && environments.size() < most_environments; ++i) {
    if (is_represented(data, i)) {
      const data::Environment& environment = data.held_out[i];
      place_of[i] = environments.size();
      environments.push_back(
          {data::cut_text(environment_name(environment.key, card.environments), longest_environment),
           environment.key, environment.test});
    }
  }
  Tally tally(environments, class_names(card));
  std::optional<ColumnUses> columns;
  if (ColumnUses::applies(data, card)) {
    columns.emplace(data, card);
  }
  trainer.see_held_out([&](std::size_t place) { return place_of[place] < environments.size(); },
                       [&](std::size_t place, const torch::Tensor& outputs, const torch::Tensor& labels,
                           std::span<const std::size_t> samples) {
                         const torch::Tensor here = outputs.to(torch::kCPU);
                         count(tally, place_of[place], card, here, labels.to(torch::kCPU), samples);
                         if (columns) {
                           columns->add(place, here);
                         }
                       },
                       stop);
  Tally::Result result = tally.result();
  result.evaluation.steps = card.steps;
  if (card.table) {
    result.evaluation.label = data::cut_text(card.table->label.name, longest_environment);
  }
  if (columns) {
    result.evaluation.columns = columns->columns(trainer, worst_environments(result.evaluation));
  }
  show_samples(data, result);
  return std::move(result.evaluation);
}

}  // namespace pair::runs
