#include "pair/sweep/sweep_file.h"

#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>

#include "pair/base/names.h"
#include "pair/data/sha256.h"
#include "pair/runs/file.h"

namespace pair::sweep {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int format = 1;

// Launchers of one sweep take turns, each holding the lock for milliseconds.
void wait_for_lock(runs::File& lock) {
  constexpr auto pause = std::chrono::milliseconds(20);
  for (int left = 1500; !lock.try_lock(); --left) {
    if (left == 0) {
      throw std::runtime_error(lock.path().string() + " is locked by another process");
    }
    std::this_thread::sleep_for(pause);
  }
}

void make_folder(const fs::path& folder) {
  std::error_code error;
  if (fs::exists(folder, error) && !fs::is_directory(folder, error)) {
    throw std::invalid_argument(folder.string() + " is a file; expected a folder");
  }
  fs::create_directories(folder, error);
  if (error) {
    throw std::runtime_error("cannot create the folder " + folder.string() + ": " + error.message());
  }
}

// The digest of the definitions and their folders, which a changed file contradicts.
std::string digest_of(const json& file) {
  return data::sha256(file.at("sweeps").dump() + file.at("folders").dump());
}

// Compares the folders that the file lists with those of its jobs.
void refuse_changed(const json& file, const std::vector<Definition>& definitions) {
  // Older sweeps do not list them.
  if (!file.contains("folders")) {
    return;
  }
  // The jobs of a large sweep take a second to list, so a file with its own digest is not compared.
  if (file.contains("digest") && file.at("digest") == digest_of(file)) {
    return;
  }
  const json& folders = file.at("folders");
  const std::vector<Job> jobs = jobs_of(definitions);
  std::string reason;
  if (!folders.is_array() || folders.size() != jobs.size()) {
    reason = "expected the folders of its " + std::to_string(jobs.size()) + " runs, got " +
             (folders.is_array() ? std::to_string(folders.size()) : folders.dump());
  }
  for (std::size_t i = 0; i < jobs.size() && reason.empty(); ++i) {
    if (folders[i] != jobs[i].folder) {
      reason = "expected the folder " + jobs[i].folder + ", got " + folders[i].dump();
    }
  }
  if (!reason.empty()) {
    throw std::invalid_argument("was changed, or another version of pair wrote it: " +
                                base::printable(reason) + "; restore the file, or use another folder");
  }
}

}  // namespace

fs::path sweep_file(const fs::path& folder) {
  return folder / "sweep.json";
}

std::vector<Definition> read_sweep(const fs::path& folder) {
  if (!base::is_there(sweep_file(folder))) {
    return {};
  }
  const json file = json::parse(runs::read_file(sweep_file(folder)), nullptr, /*allow_exceptions=*/false);
  std::vector<Definition> definitions;
  try {
    if (!file.is_object() || file.value("format", 0) != format || !file.contains("sweeps") ||
        !file.at("sweeps").is_array()) {
      throw std::invalid_argument("it is not JSON of format " + std::to_string(format));
    }
    for (const json& definition : file.at("sweeps")) {
      definitions.push_back(definition_from_json(definition));
    }
  } catch (const std::exception& error) {
    throw std::invalid_argument(sweep_file(folder).string() + " cannot be used: " + error.what());
  }
  try {
    refuse_changed(file, definitions);
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(sweep_file(folder).string() + " " + error.what());
  }
  return definitions;
}

Added add_to_sweep(const fs::path& folder, const Definition& definition) {
  Definition added_definition = definition;
  (void)jobs_of(std::span(&definition, 1));  // throws before anything is written
  make_folder(folder);
  runs::File lock(folder / "sweep.lock");
  wait_for_lock(lock);

  std::vector<Definition> definitions = read_sweep(folder);
  // A sweep keeps the generator that it began with.
  if (!definitions.empty()) {
    added_definition.draws = definitions.front().draws;
  }
  const std::vector<Job> wanted = jobs_of(std::span(&added_definition, 1));
  std::map<std::string, Job> known;
  for (Job& job : jobs_of(definitions)) {
    std::string place = job.place();
    known.emplace(std::move(place), std::move(job));
  }
  Added added{known.size(), 0};
  for (const Job& job : wanted) {
    const auto found = known.find(job.place());
    if (found == known.end()) {
      ++added.jobs;
    } else if (found->second.folder != job.folder) {
      throw std::invalid_argument(folder.string() + " holds a different sweep: for " + job.place() + ", " +
                                  runs::difference(found->second.spec, job.spec) +
                                  "; use another folder or the same settings");
    }
  }
  if (added.jobs > 0) {
    definitions.push_back(added_definition);
    json file{{"format", format}, {"sweeps", json::array()}, {"folders", json::array()}};
    for (const Definition& each : definitions) {
      file["sweeps"].push_back(as_json(each));
    }
    for (const Job& job : jobs_of(definitions)) {
      file["folders"].push_back(job.folder);
    }
    file["digest"] = digest_of(file);
    runs::replace_file(sweep_file(folder), file.dump(1) + "\n");
  }
  return added;
}

}  // namespace pair::sweep
