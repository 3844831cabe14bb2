#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/cli/commands.h"
#include "pair/cli/output_options.h"
#include "pair/cli/recipe.h"
#include "pair/data/colored_mnist_spec.h"
#include "pair/report/page.h"
#include "pair/report/payload.h"
#include "pair/sweep/many_runs.h"

namespace pair::cli {
namespace {

struct DemoArguments {
  std::string out = "runs/demo";
  std::string device = "cpu";
  bool json = false;
};

// The accuracies in a record of ColoredMNIST: training environments, then test environments.
std::vector<double> accuracies_of(const nlohmann::json& record) {
  std::vector<double> result;
  for (std::size_t i = 0;; ++i) {
    const std::string environment = "env" + std::to_string(i);
    const auto in = record.find(environment + "_in_acc");
    const auto found = in != record.end() ? in : record.find(environment + "_out_acc");
    if (found == record.end()) {
      return result;
    }
    result.push_back(found->get<double>());
  }
}

std::string write_report(const sweep::ManyRuns& runs, const std::string& folder) {
  std::vector<std::filesystem::path> folders;
  for (const sweep::RunOutcome& outcome : runs.outcomes) {
    folders.push_back(outcome.directory);
  }
  std::string path = folder + "/report.html";
  write_output(path, report::page(report::payload(folders), /*live=*/false));
  return path;
}

void demo(const DemoArguments& arguments, Context& context) {
  // Minibatches, as with most data: 1,500 steps read a thirtieth of the samples that the paper's 501 steps on all digits
  // read, for the same accuracy.
  const base::Assignments common = {
      {"batch", "256"}, {"steps", "1500"}, {"eval_every", "50"}, {"device", arguments.device}};
  const std::vector<runs::RunSpec> specs = {runs::resolve("cmnist", "erm", common),
                                            runs::resolve("cmnist", "pair", common)};

  std::ostringstream unread;
  std::ostream& text = arguments.json ? unread : context.out;
  text << "ColoredMNIST: is the digit below 5? A quarter of the labels are flipped. The digit's colour also\n"
          "predicts the label, and better than its shape: it is wrong for one digit in ten in the first\n"
          "training environment, and for two in ten in the second. ERM and PAIR-o train on both.\n\n";
  flush(context.out);

  sweep::ManyRuns result;
  run_recipe(context, [&](const sweep::ManyRunsHooks& hooks) {
    result = sweep::run_all(specs, arguments.out, specs.size(), hooks);
    return !result.stopped;
  });
  if (result.stopped) {
    return;
  }
  for (const sweep::RunOutcome& outcome : result.outcomes) {
    if (!outcome.error.empty()) {
      throw std::runtime_error(outcome.error);
    }
  }

  const std::vector<double> erm = accuracies_of(result.outcomes[0].record);
  const std::vector<double> pair = accuracies_of(result.outcomes[1].record);
  const auto& dataset = specs[0].dataset.options.as<data::ColoredMnistSpec>();
  const auto percent = [](double share, int decimals) {
    return base::with_decimals(100 * share, decimals) + "%";
  };
  base::Rows table = {{"accuracy", "ERM", "PAIR-o"}};
  nlohmann::ordered_json rows = nlohmann::ordered_json::array();
  const auto row = [&](const std::string& name, std::size_t i) {
    table.push_back({name, percent(erm.at(i), 1), percent(pair.at(i), 1)});
    rows.push_back({{"environment", name}, {"erm", erm.at(i)}, {"pair", pair.at(i)}});
  };
  std::size_t environment = 0;
  for (const double beta : dataset.train_betas) {
    row("training, colour wrong for " + base::shown(100 * beta) + "%", environment++);
  }
  for (const double beta : dataset.test_betas) {
    row(beta > 0.5 ? "test, colours reversed (wrong for " + base::shown(100 * beta) + "%)"
                   : "test, colour wrong for " + base::shown(100 * beta) + "%",
        environment++);
  }
  const std::size_t reversed = dataset.train_betas.size();
  const std::string report = write_report(result, arguments.out);
  text << base::aligned(table, {.indent = "  ", .left = 1}) << "\nWith reversed colours, ERM's accuracy is "
       << percent(erm.at(reversed), 0) << ", PAIR-o's " << percent(pair.at(reversed), 0)
       << ".\nThe shape alone allows 75%.\n\nRecords in " << arguments.out
       << "; a report to open in a browser: " << report << '\n';
  if (arguments.json) {
    const nlohmann::ordered_json object{
        {"accuracies", std::move(rows)}, {"directory", arguments.out}, {"report", report}};
    context.out << object.dump(2) << '\n';
  }
}

}  // namespace

void add_demo(CLI::App& app, Context& context) {
  const auto arguments = std::make_shared<DemoArguments>();
  CLI::App* command = app.add_subcommand("demo", "Train ERM and PAIR-o on ColoredMNIST and compare them");
  command->add_option("--out", arguments->out, "Folder for the runs; finished runs are read, not repeated")
      ->capture_default_str();
  command->add_option("--device", arguments->device, "cpu, cuda or cuda:N")->capture_default_str();
  command->add_flag("--json", arguments->json, "Write the accuracies as a JSON object");
  command->footer(
      "Takes about 15 seconds on two cores.\n\n"
      "Example:\n"
      "  pair demo");
  command->callback([arguments, &context] { demo(*arguments, context); });
}

}  // namespace pair::cli
