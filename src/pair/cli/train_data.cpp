#include "pair/cli/train_data.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "pair/base/files.h"
#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/base/options.h"
#include "pair/base/tables.h"
#include "pair/data/csv.h"
#include "pair/data/image_folder.h"
#include "pair/data/image_manifest.h"
#include "pair/data/registry.h"
#include "pair/data/sha256.h"
#include "pair/data/table.h"
#include "pair/runs/known_settings.h"
#include "pair/runs/settings.h"

namespace pair::cli {
namespace {

// A setting with a short option of its own.
struct DataOption {
  std::string option;
  std::string setting;
  std::string help;
  bool for_csv_files = true;
};

const std::vector<DataOption>& data_options() {
  static const std::vector<DataOption> all{
      {"--data-root", "data_root",
       "Folder that contains the dataset's folder, for DomainBed's image datasets and WILDS", false},
      {"--label", "label", "CSV files: the column to predict"},
      {"--environment", "environment",
       "CSV files: the column, or columns separated by commas, that name a row's environment"},
      {"--text", "text", "CSV files: the column with texts to train on (docs/text.md)"},
      {"--vocab", "vocab", "Texts (--text, civilcomments): BERT's vocabulary, vocab.txt"},
      {"--ignore", "ignore", "CSV files: columns to leave out, separated by commas"}};
  return all;
}

[[noreturn]] void refuse_data(const std::string& path, const std::string& got) {
  throw std::invalid_argument("--data: expected a CSV file or a folder of images, got '" +
                              base::printable(path) + "', " + got);
}

bool is_list_of_numbers(std::string_view text) {
  const std::vector<std::string> parts = base::comma_separated(text);
  return !parts.empty() && std::all_of(parts.begin(), parts.end(), [](const std::string& part) {
    return base::number_from<std::int64_t>(part).has_value();
  });
}

std::int64_t environment_named(const std::string& name, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) {
    return found - names.begin();
  }
  const auto number = base::number_from<std::int64_t>(name);
  if (number && *number >= 0 && std::cmp_less(*number, names.size())) {
    return *number;
  }
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string_view near = base::nearest(name, views);
  throw std::invalid_argument("test_envs: expected environments (" + data::quoted_names(names) +
                              ", or numbers from 0 to " + std::to_string(names.size() - 1) +
                              ") or each, got '" + base::printable(name.substr(0, 40)) + "'" +
                              (near.empty() ? "" : "; did you mean '" + base::printable(near) + "'?"));
}

bool is_whole(const std::string& text) {
  return base::number_from<std::int64_t>(text).has_value();
}

// Whether the names of the environments are the user's, and are known from the data alone.
bool has_own_names(const data::Dataset& dataset) {
  return data::entry_of(dataset.name).environments_in_data || dataset.name == "images";
}

std::vector<std::string> listed(std::string_view text) {
  data::CsvReader reader(data::csv_text(text), "test_envs", {.separator = ','});
  std::vector<std::string> parts;
  if (reader.next()) {
    for (const std::string_view field : reader.fields()) {
      parts.emplace_back(base::trimmed(field));
    }
  }
  return parts;
}

bool is_named(const base::Assignments& settings, std::string_view name) {
  return std::ranges::any_of(settings,
                             [name](const base::Assignment& setting) { return setting.first == name; });
}

// How the setting names a file or folder; null if it does not.
const base::Field::Path* path_in(const base::Assignment& setting) {
  const auto known = std::ranges::find(runs::known_settings(), setting.first, &runs::KnownSetting::name);
  const bool is_path = known != runs::known_settings().end() && known->path && !setting.second.empty() &&
                       setting.second != "none";
  return is_path ? &*known->path : nullptr;
}

std::string absolute_path(const std::string& typed) {
  return std::filesystem::absolute(typed).lexically_normal().string();
}

// A file whose content decides the run.
struct DecidingFile {
  std::string setting;
  std::string path;
  base::Field::Path declared;
};

// Those of the settings whose digests are not given. Throws std::invalid_argument if one cannot be opened.
std::vector<DecidingFile> files_without_digest(const base::Assignments& settings) {
  std::vector<DecidingFile> files;
  for (auto setting = settings.begin(); setting != settings.end(); ++setting) {
    const auto& [name, typed] = *setting;
    const bool is_last = std::find_if(std::next(setting), settings.end(), [&setting](const auto& later) {
                           return later.first == setting->first;
                         }) == settings.end();
    const base::Field::Path* const path = is_last ? path_in(*setting) : nullptr;
    if (path == nullptr || path->digest.empty() || is_named(settings, path->digest)) {
      continue;
    }
    files.push_back({name, absolute_path(typed), *path});
    if (const std::string fault = base::file_fault(files.back().path); !fault.empty()) {
      throw std::invalid_argument(name + ": expected a " + path->kind + ", got '" + base::printable(typed) +
                                  "', which " + fault);
    }
  }
  return files;
}

// The names of a dataset's own test environments.
std::string fixed_environments(const data::Dataset& dataset) {
  const std::vector<std::string> names = data::environment_names(dataset);
  return base::joined(data::test_environments(dataset), ", ", [&names](std::int64_t environment) {
    return names.at(static_cast<std::size_t>(environment));
  });
}

// The data that takes no columns.
std::string got_in_place_of_table(const std::string& dataset, const base::Assignments& settings) {
  for (const auto& [name, value] : settings) {
    if (name == "folder") {
      return "'" + base::printable(value) + "', which is a folder of images";
    }
    if (name == "manifest") {
      return "'" + base::printable(value) +
             "', which is a list of images, since it has a column path with them ('--dataset table' reads it "
             "as a "
             "table)";
    }
  }
  return "the dataset " + dataset;
}

runs::RunSpec tested_on(runs::RunSpec spec, const std::vector<std::int64_t>& environments) {
  runs::set(spec, "test_envs", nlohmann::json(environments));
  return spec;
}

}  // namespace

void add_data_settings(
    const std::function<void(const std::string&, const std::string&, const std::string&)>& setting) {
  for (const DataOption& one : data_options()) {
    setting(one.option, one.setting, one.help);
  }
}

NamedData data_named(const std::string& path, std::string_view dataset) {
  namespace fs = std::filesystem;
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  const bool folder = fs::is_directory(status);
  if (const std::string fault = folder ? "" : base::file_fault(path); !fault.empty()) {
    refuse_data(path, "which " + fault);
  }
  constexpr std::array<std::string_view, 6> others{".xlsx", ".xls", ".ods", ".parquet", ".zip", ".sav"};
  const std::string extension = base::lower_case(fs::path(path).extension().string());
  if (!folder && std::find(others.begin(), others.end(), extension) != others.end()) {
    refuse_data(path, "which is another kind of file; the program that wrote it can export CSV");
  }
  if (const std::string kind = folder ? "" : data::binary_kind_of_file(path); !kind.empty()) {
    refuse_data(
        path,
        "which is " + kind +
            (kind.ends_with(" image") || kind.starts_with("a WebP image") || data::is_picture_name(path)
                 ? "; give the folder that holds ENVIRONMENT/CLASS/IMAGE, or a CSV file that lists images"
                 : "; the program that wrote it may export CSV"));
  }
  const std::string absolute = fs::absolute(path).lexically_normal().string();
  const bool manifest =
      !folder && (dataset == "images" || (dataset.empty() && data::is_image_manifest(absolute)));
  NamedData named{.dataset = folder || manifest ? "images" : "table",
                  .setting = {folder     ? "folder"
                              : manifest ? "manifest"
                                         : "file",
                              absolute}};
  if (!dataset.empty()) {
    const data::DatasetEntry& entry = data::entry_of(dataset);
    named.dataset = entry.name;
    if (entry.options.find(named.setting.first) == nullptr) {
      const bool takes_file = entry.options.find("file") != nullptr;
      const bool takes_folder = entry.options.find("folder") != nullptr;
      throw std::invalid_argument("--data: expected " +
                                  (takes_file ? "a file for dataset " + named.dataset
                                   : takes_folder
                                       ? "a folder for dataset " + named.dataset
                                       : "no data for dataset " + named.dataset + ", which has its own") +
                                  ", got '" + base::printable(path) + "'");
    }
  }
  return named;
}

std::string add_named_data(const std::string& path, std::string_view dataset, base::Assignments& settings) {
  const NamedData named = data_named(path, dataset.empty() && is_named(settings, "text") ? "text" : dataset);
  settings.insert(settings.begin(), named.setting);
  return named.dataset;
}

void make_paths_absolute(base::Assignments& settings) {
  for (base::Assignment& setting : settings) {
    if (path_in(setting) != nullptr) {
      setting.second = absolute_path(setting.second);
    }
  }
}

void check_files(const base::Assignments& settings) {
  (void)files_without_digest(settings);
}

void complete_paths(base::Assignments& settings) {
  base::Assignments digests;
  for (const DecidingFile& file : files_without_digest(settings)) {
    try {
      digests.emplace_back(file.declared.digest, data::sha256_of_file(file.path));
    } catch (const std::runtime_error& unreadable) {
      throw std::invalid_argument(file.setting + ": " + unreadable.what());
    }
  }
  make_paths_absolute(settings);
  settings.insert(settings.end(), digests.begin(), digests.end());
}

void refuse_columns(std::string_view dataset, const base::Assignments& settings) {
  const data::DatasetEntry& entry = data::entry_of(dataset);
  if (entry.options.find("file") != nullptr) {
    return;
  }
  // A list of images has some columns, a folder has none.
  const bool is_list = is_named(settings, "manifest");
  for (const DataOption& one : data_options()) {
    const bool takes = entry.options.find(one.setting) != nullptr;
    if (one.for_csv_files && is_named(settings, one.setting) &&
        (!takes || (entry.options.find("manifest") != nullptr && !is_list))) {
      throw std::invalid_argument(one.option + " applies to CSV files (--data FILE), got " +
                                  got_in_place_of_table(entry.name, settings));
    }
  }
}

std::vector<std::int64_t> environments_named(std::string_view text, const std::vector<std::string>& names) {
  const std::string whole(base::trimmed(text));
  if (std::find(names.begin(), names.end(), whole) != names.end()) {
    return {environment_named(whole, names)};
  }
  std::vector<std::int64_t> numbers;
  for (const std::string& part : listed(whole)) {
    numbers.push_back(environment_named(part, names));
  }
  if (numbers.empty()) {
    (void)environment_named(whole, names);  // refuses it
  }
  return numbers;
}

std::string note_of_number(std::string_view text, const std::vector<std::string>& names) {
  if (!std::ranges::all_of(names, is_whole) || std::ranges::find(names, base::trimmed(text)) != names.end()) {
    return "";
  }
  for (const std::string& part : listed(text)) {
    if (std::ranges::find(names, part) == names.end()) {
      return "--test-envs: no environment is named '" + base::printable(part) +
             "'; as a number from 0, it means '" +
             base::printable(names[static_cast<std::size_t>(environment_named(part, names))]) + "'";
    }
  }
  return "";
}

std::vector<std::int64_t> environments_named(std::string_view text, const data::Dataset& dataset) {
  if (!has_own_names(dataset) && is_list_of_numbers(text)) {
    std::vector<std::int64_t> numbers;
    for (const std::string& part : base::comma_separated(text)) {
      numbers.push_back(*base::number_from<std::int64_t>(part));
    }
    return numbers;
  }
  return environments_named(text, data::environment_names(dataset));
}

std::vector<runs::RunSpec> with_test_environments(const runs::RunSpec& spec, const std::string* text,
                                                  std::vector<std::string>* notes) {
  if (runs::find_setting(spec, "test_envs") == nullptr) {
    if (text == nullptr) {
      return {spec};
    }
    throw std::invalid_argument("--test-envs: " + spec.dataset.name + " has fixed test environments (" +
                                fixed_environments(spec.dataset) + "), got '" +
                                base::printable(text->substr(0, 40)) + "'");
  }
  const bool in_data = data::entry_of(spec.dataset.name).environments_in_data;
  // Where names are not needed, files are not read for them.
  if (text == nullptr ? !in_data : !has_own_names(spec.dataset) && is_list_of_numbers(*text)) {
    runs::RunSpec same = spec;
    if (text != nullptr) {
      runs::set(same, "test_envs", *text);
    }
    return {same};
  }
  const std::vector<std::string> names = data::environment_names(spec.dataset);
  if (text == nullptr) {
    return {tested_on(spec, {static_cast<std::int64_t>(names.size()) - 1})};
  }
  if (base::trimmed(*text) != "each" || std::find(names.begin(), names.end(), "each") != names.end()) {
    const std::vector<std::int64_t> environments = environments_named(*text, names);
    if (std::string note = note_of_number(*text, names); notes != nullptr && !note.empty()) {
      notes->push_back(std::move(note));
    }
    return {tested_on(spec, environments)};
  }
  std::vector<runs::RunSpec> specs;
  for (std::size_t e = 0; e < names.size(); ++e) {
    specs.push_back(tested_on(spec, {static_cast<std::int64_t>(e)}));
  }
  return specs;
}

}  // namespace pair::cli
