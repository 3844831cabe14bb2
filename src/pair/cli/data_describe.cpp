#include <algorithm>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/base/options.h"
#include "pair/base/tables.h"
#include "pair/cli/commands.h"
#include "pair/cli/data_wilds.h"
#include "pair/data/column_lists.h"
#include "pair/data/own_data.h"
#include "pair/data/wilds.h"
#include "pair/report/number.h"

namespace pair::cli {
namespace {

using data::OwnColumn;
using nlohmann::ordered_json;
using report::counted;

struct DescribeArguments {
  WildsArguments wilds;  // `name` is a path, unless `root` is given
  std::string label;
  std::string environment;
  std::string text;
  std::string ignore;
};

std::string role_name(OwnColumn::Role role) {
  switch (role) {
    case OwnColumn::Role::label:
      return "label";
    case OwnColumn::Role::environment:
      return "environment";
    case OwnColumn::Role::text:
      return "text";
    case OwnColumn::Role::ignored:
      return "ignored";
    case OwnColumn::Role::input:
      break;
  }
  return "input";
}

std::string type_name(const OwnColumn& column) {
  return !column.kind ? "" : *column.kind == data::ColumnKind::number ? "number" : "category";
}

std::string values_text(const OwnColumn& column) {
  if (!column.kind) {
    return "";
  }
  if (*column.kind == data::ColumnKind::number) {
    return base::with_digits(column.low) + " to " + base::with_digits(column.high) + ", mean " +
           base::with_digits(column.mean) + ", deviation " + base::with_digits(column.deviation);
  }
  // Padded, so that the text says how many there are.
  std::vector<std::string> names = column.examples;
  const std::size_t shown = names.size();
  names.resize(column.categories);
  return std::to_string(column.categories) + ": " + data::quoted_names(names, shown);
}

// As 'pair train' reads them.
std::vector<std::string> columns_in(const std::string& option, const std::string& text) {
  const std::optional<base::Value> columns = data::parse_columns(text);
  if (!columns) {
    throw UsageError(option +
                     ": expected names of columns separated by commas (in quotes if one has a comma), " +
                     "got '" + base::printable(text) + "'");
  }
  const auto* const names = std::get_if<std::vector<std::string>>(&*columns);
  return names != nullptr ? *names : std::vector<std::string>();
}

void write_columns(const data::OwnData& own, std::ostream& out) {
  base::Rows rows{{"column", "use", "type", "missing", "values"}};
  const bool roles = own.task.has_value();
  for (const OwnColumn& column : own.columns) {
    rows.push_back({base::printable(column.name), role_name(column.role), type_name(column),
                    column.kind ? std::to_string(column.missing) : "", values_text(column)});
  }
  if (!roles) {  // what a column is for is not known
    for (std::vector<std::string>& row : rows) {
      row.erase(row.begin() + 1);
    }
  }
  out << base::aligned(rows, {.indent = "  "});
}

// Samples per class or, if there are many classes, the smallest and the largest number.
void write_environments(const data::OwnData& own, std::ostream& out) {
  constexpr std::size_t most_columns = 8;
  const bool regression = own.task == data::TableTask::regression;
  const bool few = own.classes.size() <= most_columns;
  base::Rows rows{{"environment", "samples"}};
  for (const std::string& name : few ? own.classes : std::vector<std::string>{"fewest", "most"}) {
    rows[0].push_back(base::printable(name));
  }
  if (regression) {
    rows[0].emplace_back("mean");
  }
  for (const data::OwnEnvironment& environment : own.environments) {
    std::vector<std::string>& row = rows.emplace_back();
    row = {base::printable(environment.name), std::to_string(environment.samples)};
    if (regression) {
      row.push_back(base::with_digits(environment.mean));
    } else if (few) {
      for (const std::size_t count : environment.classes) {
        row.push_back(std::to_string(count));
      }
    } else {
      const auto [least, most] = std::ranges::minmax_element(environment.classes);
      row.push_back(std::to_string(*least));
      row.push_back(std::to_string(*most));
    }
  }
  out << base::aligned(rows, {.indent = "  ", .left = 1});
}

void write_own_data(const DescribeArguments& arguments, const data::OwnData& own, std::ostream& out) {
  out << base::printable(arguments.wilds.name) << ": "
      << (own.kind == "images" ? counted(own.samples, "image")
                               : counted(own.samples, "row") + ", " + counted(own.columns.size(), "column"))
      << '\n';
  if (!own.columns.empty()) {
    write_columns(own, out);
  }
  if (own.task) {
    out << (arguments.label.empty() ? "" : "Label '" + base::printable(arguments.label) + "': ")
        << (*own.task == data::TableTask::regression
                ? "a regression"
                : counted(own.classes.size(), "class", "classes") + ", " + data::quoted_names(own.classes, 5))
        << "; " << counted(own.environments.size(), "environment") << '\n';
    write_environments(own, out);
  }
  for (const std::string& problem : own.problems) {
    out << "wrong: " << problem << '\n';
  }
  for (const std::string& note : own.notes) {
    out << (note.starts_with("warning: ") ? "" : "note: ") << note << '\n';
  }
  if (own.kind != "images" && (arguments.label.empty() || arguments.environment.empty())) {
    out << "--label and --environment add the rows per environment and class, and what training would "
           "refuse\n";
  }
}

ordered_json own_data_json(const DescribeArguments& arguments, const data::OwnData& own) {
  ordered_json columns = ordered_json::array();
  for (const OwnColumn& column : own.columns) {
    ordered_json object{{"name", column.name}, {"use", role_name(column.role)}};
    if (column.kind) {
      object["type"] = type_name(column);
      object["missing"] = column.missing;
    }
    if (column.kind == data::ColumnKind::number) {
      object.update({{"low", column.low},
                     {"high", column.high},
                     {"mean", column.mean},
                     {"deviation", column.deviation}});
    } else if (column.kind) {
      object["categories"] = column.categories;
      object["examples"] = column.examples;
    }
    columns.push_back(std::move(object));
  }
  ordered_json environments = ordered_json::array();
  for (const data::OwnEnvironment& environment : own.environments) {
    ordered_json object{{"name", environment.name}, {"samples", environment.samples}};
    if (own.task == data::TableTask::regression) {
      object["mean"] = environment.mean;
    } else {
      object["classes"] = ordered_json::object();
      for (std::size_t c = 0; c < own.classes.size(); ++c) {
        object["classes"][own.classes[c]] = environment.classes[c];
      }
    }
    environments.push_back(std::move(object));
  }
  return {{"kind", own.kind},
          {"path", arguments.wilds.name},
          {"samples", own.samples},
          {"columns", std::move(columns)},
          {"task", own.task ? ordered_json(to_string(*own.task)) : ordered_json()},
          {"classes", own.classes},
          {"environments", std::move(environments)},
          {"problems", own.problems},
          {"notes", own.notes}};
}

void describe(const DescribeArguments& arguments, Context& context) {
  if (!arguments.wilds.root.empty()) {
    for (const auto& [option, value] :
         {std::pair("--label", &arguments.label), std::pair("--environment", &arguments.environment),
          std::pair("--text", &arguments.text), std::pair("--ignore", &arguments.ignore)}) {
      if (!value->empty()) {
        throw UsageError(std::string(option) + " applies to CSV files, got --data-root, which is for WILDS");
      }
    }
    describe_wilds(arguments.wilds, context);
    return;
  }
  std::error_code ignored;
  if (data::find_wilds(arguments.wilds.name) != nullptr &&
      !std::filesystem::exists(arguments.wilds.name, ignored)) {
    throw UsageError("--data-root: expected the folder that holds the dataset's folder, got none");
  }
  const data::OwnData own =
      data::describe_own_data({.path = arguments.wilds.name,
                               .label = arguments.label,
                               .environment = columns_in("--environment", arguments.environment),
                               .text = arguments.text,
                               .ignore = columns_in("--ignore", arguments.ignore)});
  context.status = own.problems.empty() ? exit_ok : exit_failure;
  if (arguments.wilds.json) {
    context.out << own_data_json(arguments, own).dump(2, ' ', false, ordered_json::error_handler_t::replace)
                << '\n';
  } else {
    write_own_data(arguments, own, context.out);
  }
}

}  // namespace

void add_data_describe(CLI::App& data_command, Context& context) {
  const auto arguments = std::make_shared<DescribeArguments>();
  CLI::App* command =
      data_command.add_subcommand("describe", "Describe your own data, or a dataset of WILDS in a folder");
  command
      ->add_option(
          "DATA", arguments->wilds.name,
          "A CSV file, a folder ENVIRONMENT/CLASS/IMAGE or a CSV file that lists images; with --data-root: " +
              wilds_names())
      ->required();
  command->add_option("--label", arguments->label, "CSV files: the column to predict");
  command->add_option("--environment", arguments->environment,
                      "CSV files: the column, or columns separated by commas, that name a row's environment");
  command->add_option("--text", arguments->text, "CSV files: the column with texts to train on");
  command->add_option("--ignore", arguments->ignore, "CSV files: columns to leave out, separated by commas");
  command
      ->add_option("--data-root", arguments->wilds.root,
                   "WILDS: the folder that holds the dataset's folder, NAME_vVERSION")
      ->type_name("DIR");
  command
      ->add_option("--environments", arguments->wilds.environments,
                   "WILDS: paper (PAIR's and Fish's) or wilds (WILDS' own)")
      ->capture_default_str();
  command->add_option("--fold", arguments->wilds.fold, "poverty: its countries, A to E")
      ->capture_default_str();
  command->add_flag("--json", arguments->wilds.json, "Write a JSON object");
  command->footer(
      "CSV files: the types of the columns, missing cells, and rows per environment and class. Images: "
      "images per\n"
      "environment and class. WILDS: samples per split and environment, classes, metadata, and images that "
      "are\n"
      "missing (the first 20). Images are not opened. If a model cannot be trained on the data, the reasons "
      "are\n"
      "listed and the exit status is 1.\n\n"
      "Example:\n"
      "  pair data describe patients.csv --label outcome --environment hospital\n"
      "  pair data describe pets --json\n"
      "  pair data describe camelyon17 --data-root ~/wilds");
  command->callback([arguments, &context] { describe(*arguments, context); });
}

}  // namespace pair::cli
