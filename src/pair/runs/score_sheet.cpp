#include "pair/runs/score_sheet.h"

#include <algorithm>
#include <utility>

#include "pair/train/interrupted.h"

namespace pair::runs {
namespace {

// The worst values of the rows that `counts` accepts; empty if there are none.
template <class Counts>
std::vector<double> worst_values(const std::vector<EnvironmentScore>& rows,
                                 const std::vector<data::Metric>& metrics, Counts counts) {
  std::vector<double> worst;
  for (std::size_t i = 0; i < metrics.size(); ++i) {
    std::vector<double> values;
    for (const EnvironmentScore& row : rows) {
      if (counts(row)) {
        values.push_back(row.values[i]);
      }
    }
    if (!values.empty()) {
      worst.push_back(metrics[i].high_is_good ? std::ranges::min(values) : std::ranges::max(values));
    }
  }
  return worst;
}

}  // namespace

ScoreSheet::ScoreSheet(const ScoreRequest& request, const ScoreHooks& hooks)
    : request_(request), hooks_(hooks), model_(request.run, request.device) {}

void ScoreSheet::choose_metrics(const std::vector<std::string>& of_the_data) {
  std::vector<std::string> chosen = request_.metrics.empty() ? of_the_data : request_.metrics;
  if (card().table && card().table->label.task == data::TableTask::regression) {
    table_.standardised_label = card().table->label;
    if (chosen.empty()) {
      chosen = {"mse", "rmse"};
    }
  }
  metrics_ = data::metrics_for(card().loss, chosen);
  for (const data::Metric& metric : metrics_) {
    table_.metrics.push_back(metric.name);
  }
}

void ScoreSheet::add(EnvironmentScore score, const Answers& answers) {
  score.samples = answers.labels.size(0);
  for (const data::Metric& metric : metrics_) {
    const double value = metric.of(card().loss, answers.outputs, answers.labels).item<double>();
    score.values.push_back(
        metric.in_unit && table_.standardised_label ? value * table_.standardised_label->deviation : value);
  }
  table_.environments.push_back(std::move(score));
}

void ScoreSheet::count(std::int64_t samples) {
  done_ += samples;
  if (hooks_.progress) {
    hooks_.progress(done_, all_);
  }
}

void ScoreSheet::skip(const std::string& reason) {
  ++table_.skipped;
  notice("skipped a broken file (" + std::to_string(table_.skipped) + " so far): " + reason);
}

void ScoreSheet::notice(const std::string& sentence) const {
  if (hooks_.notice) {
    hooks_.notice(sentence);
  }
}

void ScoreSheet::report(const data::CellCounts& counts) {
  const data::TableEncoding& encoding = *card().table;
  for (std::size_t i = 0; i < counts.columns.size(); ++i) {
    if (counts.columns[i].unknown > 0) {
      table_.unknown_categories.emplace_back(encoding.columns[i].name,
                                             static_cast<std::int64_t>(counts.columns[i].unknown));
    }
    if (counts.lacks(i)) {
      table_.missing_columns.push_back(encoding.columns[i].name);
    }
  }
  for (const std::string& warning : warnings_about(counts, encoding)) {
    notice("warning: " + warning);
  }
}

void ScoreSheet::stop_if_asked() const {
  if (hooks_.should_stop && hooks_.should_stop()) {
    throw train::Interrupted();
  }
}

ScoreTable ScoreSheet::finish() && {
  const auto worst = [this](auto counts) { return worst_values(table_.environments, metrics_, counts); };
  table_.worst = worst([](const EnvironmentScore&) { return true; });
  table_.worst_training = worst([](const EnvironmentScore& row) { return row.part.starts_with("train"); });
  table_.worst_test = worst([](const EnvironmentScore& row) { return row.test; });
  return std::move(table_);
}

}  // namespace pair::runs
