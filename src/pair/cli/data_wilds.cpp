#include "pair/cli/data_wilds.h"

#include <cmath>
#include <iomanip>
#include <memory>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "pair/base/names.h"
#include "pair/base/options.h"
#include "pair/base/tables.h"
#include "pair/data/wilds.h"
#include "pair/data/wilds_generate.h"

namespace pair::cli {
namespace {

using nlohmann::ordered_json;

data::WildsEnvironments environments_kind(const WildsArguments& arguments) {
  if (arguments.environments != "paper" && arguments.environments != "wilds") {
    throw UsageError("--environments: expected paper or wilds, got '" + arguments.environments + "'");
  }
  return arguments.environments == "paper" ? data::WildsEnvironments::paper : data::WildsEnvironments::wilds;
}

data::WildsSet wilds_opened(const WildsArguments& arguments) {
  if (arguments.fold.size() != 1) {
    throw UsageError("--fold: expected A, B, C, D or E, got '" + arguments.fold + "'");
  }
  return data::read_wilds(data::wilds_named(arguments.name), arguments.root,
                          {.fold = arguments.fold.front()});
}

// An integer as one, so that it is shown without a point.
ordered_json json_number(double value) {
  return value == std::floor(value) && std::abs(value) < 1e15 ? ordered_json(static_cast<std::int64_t>(value))
                                                              : ordered_json(value);
}

// The environments of each sample.
std::vector<std::vector<std::size_t>> groups_of_samples(const data::WildsSet& set,
                                                        const data::WildsGroups& groups) {
  std::vector<std::vector<std::size_t>> of(set.size());
  for (std::size_t g = 0; g < groups.names.size(); ++g) {
    for (const std::size_t sample : groups.samples[g]) {
      of[sample].push_back(g);
    }
  }
  return of;
}

void list_samples(const WildsArguments& arguments, Context& context) {
  const data::WildsEnvironments which = environments_kind(arguments);
  const data::Split split = data::split_named("--split", arguments.split);
  const data::WildsSet set = wilds_opened(arguments);
  if (std::ranges::find(set.splits, split) == set.splits.end()) {
    throw UsageError("--split: expected a split of " + set.name + ", got '" + arguments.split +
                     "', which it does not have");
  }
  const data::WildsGroups groups = data::wilds_named(arguments.name).environments(set, which);
  const std::vector<std::vector<std::size_t>> of = groups_of_samples(set, groups);
  for (const std::size_t sample : set.samples_of(split)) {
    ordered_json environment = ordered_json::array();
    for (const std::size_t group : of[sample]) {
      environment.push_back(groups.names[group]);
    }
    if (!arguments.json) {
      const std::string names =
          base::joined(of[sample], ",", [&groups](std::size_t group) { return groups.names[group]; });
      context.out << sample << '\t' << base::printable(set.inputs[sample]) << '\t'
                  << json_number(set.label(sample)).dump() << '\t' << names << '\n';
      continue;
    }
    ordered_json metadata = ordered_json::object();
    for (std::size_t f = 0; f < set.fields.size(); ++f) {
      metadata[set.fields[f]] = json_number(set.value(sample, f));
    }
    const ordered_json object{{"id", sample},
                              {set.texts ? "text" : "path", set.inputs[sample]},
                              {"label", json_number(set.label(sample))},
                              {"environment", of[sample].size() == 1 ? environment[0] : environment},
                              {"metadata", std::move(metadata)}};
    context.out << object.dump() << '\n';
  }
}

void add_common(CLI::App& command, WildsArguments& arguments) {
  command.add_option("NAME", arguments.name, wilds_names())->required();
  command
      .add_option("--data-root", arguments.root, "The folder that holds the dataset's folder, NAME_vVERSION")
      ->type_name("DIR")
      ->required();
  command
      .add_option("--environments", arguments.environments, "paper (PAIR's and Fish's) or wilds (WILDS' own)")
      ->capture_default_str();
  command.add_option("--fold", arguments.fold, "poverty: its countries, A to E")->capture_default_str();
}

}  // namespace

std::string wilds_names() {
  std::vector<std::string> names;
  for (const data::WildsKind& kind : data::wilds_kinds()) {
    names.emplace_back(kind.name);
  }
  return base::joined_names(names);
}

void describe_wilds(const WildsArguments& arguments, Context& context) {
  const data::WildsEnvironments which = environments_kind(arguments);
  const data::WildsSet set = wilds_opened(arguments);
  const data::WildsKind& kind = data::wilds_named(arguments.name);
  const data::WildsGroups groups = kind.environments(set, which);
  constexpr std::size_t most_missing = 20;
  const std::vector<std::string> missing = data::missing_inputs(set, most_missing);
  ordered_json splits = ordered_json::object();
  for (const data::Split split : set.splits) {
    ordered_json environments = ordered_json::object();
    for (std::size_t g = 0; g < groups.names.size(); ++g) {
      const auto count = std::ranges::count_if(
          groups.samples[g], [&](std::size_t sample) { return set.split[sample] == split; });
      if (count > 0) {
        environments[groups.names[g]] = count;
      }
    }
    splits[std::string(name_of(split))] = {{"samples", set.samples_of(split).size()},
                                           {"environments", std::move(environments)}};
  }
  const auto unused = std::ranges::count_if(set.split, [](const auto& split) { return !split; });
  context.status = missing.empty() ? 0 : 1;
  if (arguments.json) {
    const ordered_json object{
        {"name", kind.name},
        {"version", kind.version},
        {"folder", set.folder.string()},
        {"samples", set.size()},
        {"unused", unused},
        {"classes", set.regression() ? ordered_json() : ordered_json(set.classes.size())},
        {"class_names", set.classes},
        {"metadata", set.fields},
        {"metrics", kind.metrics},
        {"splits", splits},
        {"missing", missing}};
    context.out << object.dump(2) << '\n';
    return;
  }
  context.out << kind.summary << '\n'
              << set.size() << " samples"
              << (set.regression() ? std::string(", a regression")
                                   : ", " + std::to_string(set.classes.size()) + " classes")
              << "; selected by " << kind.metrics.front() << "\n\n";
  base::Rows rows{{"split", "samples", "environments", "smallest", "largest"}};
  for (const auto& [name, split] : splits.items()) {
    std::int64_t smallest = 0;
    std::int64_t largest = 0;
    for (const auto& [environment, count] : split["environments"].items()) {
      smallest = smallest == 0 ? count.get<std::int64_t>() : std::min(smallest, count.get<std::int64_t>());
      largest = std::max(largest, count.get<std::int64_t>());
    }
    rows.push_back({name, std::to_string(split["samples"].get<std::int64_t>()),
                    std::to_string(split["environments"].size()), std::to_string(smallest),
                    std::to_string(largest)});
  }
  context.out << base::aligned(rows, {.left = 1, .rule = true});
  if (unused > 0) {
    context.out << unused << " samples are in no split\n";
  }
  for (const std::string& file : missing) {
    context.out << "missing: " << base::printable(file) << '\n';
  }
  if (missing.size() == most_missing) {
    context.out << "and perhaps more\n";
  }
}

void add_wilds_data(CLI::App& data_command, Context& context) {
  const auto listed = std::make_shared<WildsArguments>();
  CLI::App* samples =
      data_command.add_subcommand("samples", "List the samples of a split of a dataset of WILDS");
  add_common(*samples, *listed);
  samples->add_option("--split", listed->split, "train, id_val, val, id_test or test")->required();
  samples->add_flag("--json", listed->json,
                    "Write one JSON object per line: id, path, label, environment, metadata");
  samples->footer(
      "In WILDS' order. id is the sample's number in WILDS' Python package. Of comments, 'environment' is a "
      "list if\n"
      "they are in several.\n\n"
      "Example:\n"
      "  pair data samples fmow --data-root ~/wilds --split val --json");
  samples->callback([listed, &context] { list_samples(*listed, context); });

  struct GenerateArguments {
    std::vector<std::string> names;
    std::string root;
    data::WildsGeneration options;
    bool json = false;
  };
  const auto generated = std::make_shared<GenerateArguments>();
  CLI::App* generate =
      data_command.add_subcommand("generate", "Write a small synthetic dataset in WILDS' layout, for trials");
  generate->add_option("NAME", generated->names, wilds_names() + ", or several")->required();
  generate->add_option("--data-root", generated->root, "The folder in which NAME_vVERSION is made")
      ->type_name("DIR")
      ->required();
  generate->add_option("--samples", generated->options.samples, "Samples per environment and split, roughly")
      ->capture_default_str();
  generate->add_option("--seed", generated->options.seed, "Seed of all draws")->capture_default_str();
  generate->add_flag("--json", generated->json, "Write a JSON array of objects");
  generate->footer(
      "Files, columns and image sizes are those of the real data; images and texts are not. Next to\n"
      "civilcomments, civilcomments_vocab.txt has the words of its texts, for --vocab.\n\n"
      "Example:\n"
      "  pair data generate camelyon17 poverty --data-root /tmp/wilds");
  generate->callback([generated, &context] {
    for (const std::string& name : generated->names) {
      (void)data::wilds_named(name);
    }
    ordered_json written = ordered_json::array();
    for (const std::string& name : generated->names) {
      data::generate_wilds(name, generated->root, generated->options);
      const std::string folder = data::wilds_folder(data::wilds_named(name), generated->root).string();
      written.push_back({{"name", name}, {"folder", folder}});
      if (!generated->json) {
        context.out << name << " in " << folder << '\n';
      }
    }
    if (generated->json) {
      context.out << written.dump(2) << '\n';
    }
  });
}

}  // namespace pair::cli
