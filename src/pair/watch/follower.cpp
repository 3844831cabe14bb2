#include "pair/watch/follower.h"

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>

#include "pair/base/files.h"
#include "pair/base/names.h"
#include "pair/report/payload_of.h"
#include "pair/select/catalog.h"

namespace pair::watch {
namespace {

namespace fs = std::filesystem;

// The first line of the file 'failed'; find_runs has checked that it is inside the folder.
std::string failure_of(const fs::path& run) {
  return base::first_line(run / "failed");
}

}  // namespace

Follower::Follower(std::filesystem::path folder) : folder_(std::move(folder)) {
  std::string fault = base::folder_fault(folder_);
  std::error_code error;
  if (fault.empty() && (fs::directory_iterator(folder_, error), error)) {
    fault = "cannot be read: " + error.message();
  }
  if (!fault.empty()) {
    throw std::invalid_argument("'" + base::printable(folder_.string()) + "' " + fault +
                                "; expected a run's folder or a folder of run folders");
  }
}

bool Follower::look() {
  RunFolders found = find_runs(folder_);
  if (found_ == found) {
    return false;
  }
  select::ResultsReader reader(select::ReadOptions().longest_line);
  for (const auto& [run, stamps] : found.runs) {
    const auto before = found_ ? found_->runs.find(run) : found.runs.end();
    const bool known = found_ && before != found_->runs.end();
    if (!stamps.results) {
      read_.erase(run);
    } else if (!known || before->second.results != stamps.results || before->second.done != stamps.done) {
      read_[run] = reader.read_run(run);
    }
  }
  std::erase_if(read_, [&found](const auto& entry) { return !found.runs.contains(entry.first); });
  found_ = std::move(found);
  return true;
}

nlohmann::json Follower::payload() const {
  select::Histories histories;
  for (const auto& [run, stamps] : found_ ? found_->runs : std::map<fs::path, RunStamps>()) {
    const auto read = read_.find(run);
    const std::string failure = stamps.failed && !stamps.done ? failure_of(run) : "";
    const bool has_records = read != read_.end() && !read->second.runs.empty();
    const bool failed_early = stamps.failed && !stamps.done && !has_records;
    if (failed_early) {
      histories.failed.push_back({run, failure.empty() ? "it left no reason" : failure});
    }
    if (read == read_.end()) {
      if (!failed_early) {
        histories.left_out.push_back({run, 0, "has no results.jsonl", 0});
      }
      continue;
    }
    const select::ResultsFile& file = read->second;
    histories.records += file.records;
    histories.bytes += file.bytes;
    if (file.left_out && !(failed_early && file.bytes == 0)) {
      histories.left_out.push_back(*file.left_out);
    }
    if (!stamps.done && !file.runs.empty()) {
      histories.not_done.push_back(run.string() + (failure.empty() ? "" : " (failed: " + failure + ")"));
    }
    histories.history.insert(histories.history.end(), file.runs.begin(), file.runs.end());
  }
  select::name_methods(histories.history);
  nlohmann::json payload = report::payload_of(report::sources_of(std::move(histories)));
  for (const std::string& sentence : found_ ? found_->left_out : std::vector<std::string>()) {
    payload["left_out"].push_back(sentence);
  }
  return payload;
}

}  // namespace pair::watch
