#include "pair/cli/train_data.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

#include "pair/base/files.h"
#include "pair/base/names.h"
#include "pair/base/options.h"
#include "pair/base/tables.h"
#include "pair/data/csv.h"
#include "pair/data/image_manifest.h"
#include "pair/data/registry.h"
#include "pair/data/sha256.h"
#include "pair/data/table.h"
#include "pair/runs/settings.h"

namespace pair::cli {
namespace {

constexpr std::string_view table_dataset = "table";
constexpr std::string_view text_dataset = "text";

std::string lower_case(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return text;
}

[[noreturn]] void refuse_data(const std::string& path, const std::string& got) {
  throw std::invalid_argument("--data: expected a CSV file or a folder of images, got '" +
                              base::printable(path) + "', " + got);
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

bool is_list_of_numbers(std::string_view text) {
  const std::vector<std::string> parts = base::comma_separated(text);
  return std::all_of(parts.begin(), parts.end(),
                     [](const std::string& part) { return whole_number(part).has_value(); });
}

std::int64_t environment_named(const std::string& name, const std::vector<std::string>& names) {
  const auto found = std::find(names.begin(), names.end(), name);
  if (found != names.end()) {
    return found - names.begin();
  }
  const std::optional<std::int64_t> number = whole_number(name);
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

// If the settings name a file without its digest: makes the path absolute and adds the digest.
void add_digest(std::vector<runs::Override>& settings, const std::string& name, const std::string& expected) {
  std::string* path = nullptr;
  for (runs::Override& setting : settings) {
    if (setting.first == name + "_sha256") {
      return;
    }
    path = setting.first == name && setting.second != "none" ? &setting.second : path;
  }
  if (path == nullptr) {
    return;
  }
  namespace fs = std::filesystem;
  if (const std::string fault = base::file_fault(*path); !fault.empty()) {
    throw std::invalid_argument(name + ": expected a " + expected + ", got '" + base::printable(*path) +
                                "', which " + fault);
  }
  *path = fs::absolute(*path).lexically_normal().string();
  const std::string file = *path;
  try {
    settings.emplace_back(name + "_sha256", data::sha256_of_file(file));
  } catch (const std::runtime_error& unreadable) {
    throw std::invalid_argument(name + ": " + unreadable.what());
  }
}

// The names of a dataset's own test environments.
std::string fixed_environments(const data::Dataset& dataset) {
  const std::vector<std::string> names = data::environment_names(dataset);
  return base::joined(data::test_environments(dataset), ", ", [&names](std::int64_t environment) {
    return names.at(static_cast<std::size_t>(environment));
  });
}

runs::RunSpec tested_on(runs::RunSpec spec, const std::vector<std::int64_t>& environments) {
  runs::set(spec, "test_envs", nlohmann::json(environments));
  return spec;
}

}  // namespace

void add_data_settings(
    const std::function<void(const std::string&, const std::string&, const std::string&)>& setting) {
  setting("--data-root", "data_root",
          "Folder that contains the dataset's folder, for DomainBed's image datasets and WILDS");
  setting("--label", "label", "CSV files: the column to predict");
  setting("--environment", "environment",
          "CSV files: the column, or columns separated by commas, that name a row's environment");
  setting("--text", "text", "CSV files: the column with texts to train on (docs/text.md)");
  setting("--vocab", "vocab", "Texts (--text, civilcomments): BERT's vocabulary, vocab.txt");
  setting("--ignore", "ignore", "CSV files: columns to leave out, separated by commas");
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
  const std::string extension = lower_case(fs::path(path).extension().string());
  if (!folder && std::find(others.begin(), others.end(), extension) != others.end()) {
    refuse_data(path, "which is another kind of file; the program that wrote it can export CSV");
  }
  const std::string absolute = fs::absolute(path).lexically_normal().string();
  const bool manifest =
      !folder && (dataset.empty() || dataset == "images") && data::is_image_manifest(absolute);
  NamedData named{.dataset = folder || manifest ? "images" : std::string(table_dataset),
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
  if (!folder) {
    named.more.emplace_back(manifest ? "manifest_sha256" : "file_sha256", data::sha256_of_file(absolute));
  }
  return named;
}

std::string add_named_data(const std::string& path, std::string_view dataset,
                           std::vector<runs::Override>& settings) {
  const bool text = std::any_of(settings.begin(), settings.end(),
                                [](const runs::Override& setting) { return setting.first == text_dataset; });
  const NamedData named = data_named(path, dataset.empty() && text ? text_dataset : dataset);
  settings.insert(settings.begin(), named.more.begin(), named.more.end());
  settings.insert(settings.begin(), named.setting);
  return named.dataset;
}

void make_data_paths_absolute(std::vector<runs::Override>& settings) {
  constexpr std::array<std::string_view, 4> paths{"file", "folder", "manifest", "data_root"};
  for (auto& [name, value] : settings) {
    if (std::find(paths.begin(), paths.end(), name) != paths.end() && !value.empty() && value != "none") {
      value = std::filesystem::absolute(value).lexically_normal().string();
    }
  }
}

void add_data_digests(std::vector<runs::Override>& settings) {
  add_digest(settings, "file", "CSV file");
  add_digest(settings, "manifest", "CSV file of images");
  add_vocabulary_digest(settings);
}

void refuse_columns(std::string_view dataset, const std::vector<runs::Override>& settings) {
  constexpr std::array<std::string_view, 5> columns{"label", "environment", "text", "vocab", "ignore"};
  const data::DatasetEntry& entry = data::entry_of(dataset);
  for (const auto& [name, value] : settings) {
    if (entry.options.find("file") == nullptr && entry.options.find(name) == nullptr &&
        std::find(columns.begin(), columns.end(), name) != columns.end()) {
      throw std::invalid_argument("--" + name + " applies to CSV files (--data FILE), got the dataset " +
                                  entry.name);
    }
  }
}

void add_weights_digest(std::vector<runs::Override>& settings) {
  add_digest(settings, "weights", "file, safetensors or PyTorch's .pt or .pth");
}

void add_vocabulary_digest(std::vector<runs::Override>& settings) {
  add_digest(settings, "vocab", "file with one token per line");
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
  return numbers;
}

std::vector<std::int64_t> environments_named(std::string_view text, const data::Dataset& dataset) {
  if (dataset.name != table_dataset && dataset.name != text_dataset && is_list_of_numbers(text)) {
    std::vector<std::int64_t> numbers;
    for (const std::string& part : base::comma_separated(text)) {
      numbers.push_back(*whole_number(part));
    }
    return numbers;
  }
  return environments_named(text, data::environment_names(dataset));
}

std::vector<runs::RunSpec> with_test_environments(const runs::RunSpec& spec, const std::string* text) {
  if (runs::find_setting(spec, "test_envs") == nullptr) {
    if (text == nullptr) {
      return {spec};
    }
    throw std::invalid_argument("--test-envs: " + spec.dataset.name + " has fixed test environments (" +
                                fixed_environments(spec.dataset) + "), got '" +
                                base::printable(text->substr(0, 40)) + "'");
  }
  const bool table = spec.dataset.name == table_dataset || spec.dataset.name == text_dataset;
  // Where names are not needed, files are not read for them.
  if (text == nullptr ? !table : !table && is_list_of_numbers(*text)) {
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
    return {tested_on(spec, environments_named(*text, names))};
  }
  std::vector<runs::RunSpec> specs;
  for (std::size_t e = 0; e < names.size(); ++e) {
    specs.push_back(tested_on(spec, {static_cast<std::int64_t>(e)}));
  }
  return specs;
}

}  // namespace pair::cli
