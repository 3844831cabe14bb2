#include "pair/runs/score.h"

#include <algorithm>
#include <csignal>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/base/options.h"
#include "pair/base/tables.h"
#include "pair/cli/model_commands.h"
#include "pair/cli/model_options.h"
#include "pair/cli/reading_progress.h"
#include "pair/cli/score_predictions.h"
#include "pair/cli/set_option.h"
#include "pair/cli/train_interrupt.h"
#include "pair/cli/train_summary.h"
#include "pair/train/interrupted.h"

namespace pair::cli {
namespace {

struct ScoreArguments {
  ModelOptions model;
  runs::ScoreRequest request;
  std::vector<std::string> set;
  std::string metrics;
  bool json = false;
  PredictionsArguments predictions;  // of WILDS, in place of a run
};

std::string shown_score(const std::string& metric, double value) {
  // In the label's unit, values may be of any size.
  return metric == "rmse" ? base::with_digits(value, 6) : base::with_decimals(value, 4);
}

void write_score_table(const runs::ScoreTable& table, std::ostream& out) {
  bool keys = false;
  for (const runs::EnvironmentScore& score : table.environments) {
    keys = keys || !score.key.empty();
  }
  base::Rows rows(1);
  const auto begin = [&](std::vector<std::string>& row, const std::string& name, const std::string& key,
                         const std::string& part) {
    row.push_back(name);
    if (keys) {
      row.push_back(key);
      row.push_back(part);
    }
  };
  const auto add_values = [&table](std::vector<std::string>& row, const std::vector<double>& values) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      row.push_back(shown_score(table.metrics[i], values[i]));
    }
  };
  begin(rows[0], "environment", "key", "part");
  rows[0].push_back("samples");
  rows[0].insert(rows[0].end(), table.metrics.begin(), table.metrics.end());
  for (const runs::EnvironmentScore& score : table.environments) {
    std::vector<std::string>& row = rows.emplace_back();
    begin(row, base::printable(score.environment), score.key, score.part);
    row.push_back(std::to_string(score.samples));
    add_values(row, score.values);
  }
  const auto add_worst = [&](const std::string& name, const std::vector<double>& values) {
    if (values.empty()) {
      return;
    }
    std::vector<std::string>& row = rows.emplace_back();
    begin(row, name, "", "");
    row.emplace_back();
    add_values(row, values);
  };
  if (keys) {
    add_worst("worst training", table.worst_training);
    add_worst("worst test", table.worst_test);
  } else {
    add_worst("worst", table.worst);
  }
  out << base::aligned(rows, {.left = keys ? 3U : 1U, .rule = true});
  const auto has = [&](const char* metric) {
    return std::ranges::find(table.metrics, metric) != table.metrics.end();
  };
  if (table.standardised_label && has("mse")) {
    out << "mse is " << of_standardised_label << '\n';
  }
  if (table.standardised_label && has("rmse")) {
    out << "rmse is in the unit of '" << base::printable(table.standardised_label->name)
        << "', whose deviation is " << base::with_digits(table.standardised_label->deviation) << '\n';
  }
}

void write_score_json(const runs::ScoreTable& table, std::ostream& out) {
  using nlohmann::ordered_json;
  const auto scores = [&](const std::vector<double>& values) {
    ordered_json object = ordered_json::object();
    for (std::size_t i = 0; i < values.size(); ++i) {
      object[table.metrics[i]] = values[i];
    }
    return object;
  };
  ordered_json environments = ordered_json::array();
  for (const runs::EnvironmentScore& score : table.environments) {
    ordered_json object{{"name", score.environment}};
    if (!score.key.empty()) {
      object["key"] = score.key;
      object["part"] = score.part;
      object["test"] = score.test;
    }
    object["samples"] = score.samples;
    object["scores"] = scores(score.values);
    environments.push_back(std::move(object));
  }
  ordered_json summary{{"metrics", table.metrics},
                       {"environments", environments},
                       {"worst", scores(table.worst)},
                       {"skipped", table.skipped}};
  if (const auto& label = table.standardised_label) {
    summary["standardised_label"] = true;
    summary["label"] = {{"name", label->name}, {"mean", label->mean}, {"deviation", label->deviation}};
  }
  if (!table.unknown_categories.empty()) {
    summary["unknown_categories"] = ordered_json::object();
    for (const auto& [column, cells] : table.unknown_categories) {
      summary["unknown_categories"][column] = cells;
    }
  }
  if (!table.missing_columns.empty()) {
    summary["missing_columns"] = table.missing_columns;
  }
  if (!table.worst_training.empty()) {
    summary["worst_training"] = scores(table.worst_training);
  }
  if (!table.worst_test.empty()) {
    summary["worst_test"] = scores(table.worst_test);
  }
  out << summary.dump(2, ' ', false, ordered_json::error_handler_t::replace) << '\n';
}

void score(const ScoreArguments& arguments, Context& context) {
  if (!arguments.predictions.predictions.empty()) {
    PredictionsArguments predictions = arguments.predictions;
    predictions.dataset = arguments.model.run;
    predictions.json = arguments.json;
    score_predictions(predictions, context);
    return;
  }
  runs::ScoreRequest request = arguments.model.complete(arguments.request);
  append_set_option(arguments.set, request.options);
  if (!arguments.metrics.empty()) {
    request.metrics = base::comma_separated(arguments.metrics);
  }
  const Interrupt interrupt;
  runs::ScoreHooks hooks;
  hooks.notice = [&](std::string_view sentence) { context.err << notice_line(sentence) << '\n'; };
  hooks.should_stop = [&] { return interrupt.signal() != 0; };
  TimedLines progress(context.err);
  hooks.progress = [&](std::int64_t done, std::int64_t all) {
    progress.count("scored", "samples", done, all);
  };
  try {
    const runs::ScoreTable table = runs::score(request, hooks);
    arguments.json ? write_score_json(table, context.out) : write_score_table(table, context.out);
  } catch (const train::Interrupted&) {
    context.err << "Stopped before the end\n";
    context.status = 128 + interrupt.signal();
  }
}

constexpr auto score_footer =
    R"(DATA is one of
  a folder        ENVIRONMENT/CLASS/FILE, for image models; classes are matched by name
  a CSV file      for models of tables and texts; environments by the run's column, if the file has it.
                  For image models: a list of images (docs/images.md), with the columns of the training data
  a dataset       see 'pair list datasets'; --set changes its options and --seed its draws
  nothing         the dataset that the run was trained on, with the run's options

The metrics are the dataset's, or those that --metrics names: accuracy, worst_group (the lowest accuracy among
the classes of an environment) and macro_f1 for classes; mse, rmse and pearson for regressions. For a table, mse is
that of the standardised label, and rmse is in the label's unit.

Example:
  pair score runs/pets new-hospital/
  pair score runs/digits cmnist --set test_betas=0.3,0.7 --json
  pair score camelyon17 --data-root ~/wilds --split test --predictions camelyon17_split:test_seed:0_pred.csv)";

}  // namespace

void add_score(CLI::App& app, Context& context) {
  const auto arguments = std::make_shared<ScoreArguments>();
  CLI::App* command = app.add_subcommand("score", "Measure a trained model on labelled data");
  command->add_option("RUN", arguments->model.run, "The folder of a finished run")->required();
  command->add_option("DATA", arguments->request.data, "A folder, a CSV file or the name of a dataset");
  command->add_option("--set", arguments->set, "An option of the dataset as key=value");
  command->add_option("--seed", arguments->request.seed, "Seed of the dataset (default: the run's)");
  command->add_option("--metrics", arguments->metrics,
                      "Metrics, separated by commas, in place of the dataset's");
  arguments->model.add(*command, arguments->request);
  command
      ->add_option(
          "--predictions", arguments->predictions.predictions,
          "Score predictions for a split of WILDS, one number per line; RUN is then the dataset's name")
      ->type_name("FILE");
  command
      ->add_option("--data-root", arguments->predictions.root,
                   "--predictions: the folder that holds the dataset's folder")
      ->type_name("DIR");
  command->add_option("--split", arguments->predictions.split,
                      "--predictions: train, id_val, val, id_test or test");
  command
      ->add_option("--fold", arguments->predictions.fold, "--predictions of poverty: its countries, A to E")
      ->capture_default_str();
  command->add_flag("--json", arguments->json, "Write a JSON object");
  command->footer(score_footer);
  command->callback([arguments, &context] { score(*arguments, context); });
}

}  // namespace pair::cli
