#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "pair/base/tables.h"
#include "pair/select/catalog.h"

// The settings that identify the data of a run on files of the user: the file or the folder, the label and
// the environments. Settings such as `ignore` and `holdout` only say how the data is used, so runs that
// differ in them still compete.

namespace pair::select {
namespace {

struct UsersData {
  // The path of the file, the manifest or the folder; empty if the dataset's name identifies the data.
  std::string path = {};
  std::string digest = {};  // of the file, if it is known
  std::string label = {};
  std::string environment = {};

  // A file that was moved is the same data.
  [[nodiscard]] const std::string& source() const { return digest.empty() ? path : digest; }
};

std::string text_of(const Run& run, std::string_view name) {
  return base::joined(texts_in(run.setting(name)));
}

// Empty for none, too, the word of images for no list.
std::string manifest_text(const Run& run, std::string_view name) {
  std::string text = text_of(run, name);
  return text == "none" ? std::string() : text;
}

UsersData users_data(const Run& run) {
  UsersData data;
  // Runs on images that do not name their columns have these.
  const auto column_of_images = [&run](const char* usual) {
    const std::string text = text_of(run, usual);
    return text.empty() ? std::string(usual) : text;
  };
  if (data.path = text_of(run, "file"); !data.path.empty()) {
    data.digest = text_of(run, "file_sha256");
  } else if (data.path = manifest_text(run, "manifest"); !data.path.empty()) {
    data.digest = manifest_text(run, "manifest_sha256");
  } else if (!run.setting("manifest").empty()) {
    // Only of the user's images. Datasets of digits have a folder, too, whose content their name says.
    data.path = text_of(run, "folder");
  }
  if (!data.path.empty()) {
    const bool images = !run.setting("manifest").empty();
    data.label = images ? column_of_images("label") : text_of(run, "label");
    data.environment = images ? column_of_images("environment") : text_of(run, "environment");
  }
  return data;
}

// The last parts of a path, or all of it if it has fewer.
std::string end_of_path(const std::string& path, std::size_t count) {
  std::vector<std::string> parts;
  for (const std::filesystem::path& part : std::filesystem::path(path)) {
    if (part != "/" && !part.empty()) {
      parts.push_back(part.string());
    }
  }
  if (parts.size() < count) {
    return path;
  }
  parts.erase(parts.begin(), parts.end() - static_cast<std::ptrdiff_t>(count));
  return base::joined(parts, "/");
}

// The shortest ends of the paths that differ. Files that replaced each other at one path have their digests,
// too, if the records do.
std::map<std::string, std::string> names_of_sources(const std::map<std::string, std::string>& paths) {
  constexpr std::size_t most_parts = 64;
  constexpr std::size_t digits = 8;
  std::set<std::string> different;
  for (const auto& [source, path] : paths) {
    different.insert(path);
  }
  std::size_t parts = 1;
  const auto names = [&] {
    std::set<std::string> all;
    for (const std::string& path : different) {
      all.insert(end_of_path(path, parts));
    }
    return all;
  };
  while (parts < most_parts && names().size() < different.size()) {
    ++parts;
  }
  std::map<std::string, std::string> result;
  for (const auto& [source, path] : paths) {
    const bool alone =
        std::ranges::count_if(paths, [&path = path](const auto& other) { return other.second == path; }) == 1;
    const bool has_digest = source != path;
    result[source] = end_of_path(path, parts) + (alone || !has_digest ? "" : " " + source.substr(0, digits));
  }
  return result;
}

void name_datasets_called(const std::string& dataset, History& history) {
  std::map<std::string, std::string> paths;  // by source; the first of a file that was moved
  std::set<std::pair<std::string, std::string>> labels;
  std::set<std::tuple<std::string, std::string, std::string>> all;
  for (const Run& run : history) {
    if (run.dataset != dataset) {
      continue;
    }
    const UsersData data = users_data(run);
    std::string& path = paths.try_emplace(data.source(), data.path).first->second;
    path = std::min(path, data.path);
    labels.insert({data.source(), data.label});
    all.insert({data.source(), data.label, data.environment});
  }
  const std::map<std::string, std::string> names = names_of_sources(paths);
  for (Run& run : history) {
    if (run.dataset != dataset) {
      continue;
    }
    const UsersData data = users_data(run);
    if (data.path.empty()) {
      continue;
    }
    std::vector<std::string> parts;
    if (paths.size() > 1) {
      parts.push_back(names.at(data.source()));
    }
    if (labels.size() > paths.size()) {
      parts.push_back("label '" + data.label + "'");
    }
    if (all.size() > labels.size()) {
      parts.push_back("environment '" + data.environment + "'");
    }
    if (!parts.empty()) {
      run.dataset_in_records = run.recorded_dataset();
      run.dataset = dataset + " (" + base::joined(parts) + ")";
    }
  }
}

}  // namespace

void name_datasets(History& history) {
  std::set<std::string> datasets;
  for (const Run& run : history) {
    datasets.insert(run.dataset);
  }
  for (const std::string& dataset : datasets) {
    name_datasets_called(dataset, history);
  }
}

}  // namespace pair::select
