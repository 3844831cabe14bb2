#include "pair/select/read_histories.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>
#include <thread>
#include <utility>

#include "pair/base/files.h"
#include "pair/base/names.h"
#include "pair/select/catalog.h"
#include "pair/select/results_file.h"

namespace pair::select {
namespace {

namespace fs = std::filesystem;

struct RunFolder {
  fs::path folder;
  bool given = false;        // named by the caller, so it may be a sweep
  std::size_t argument = 0;  // the caller's folder that it is or is in
};

// RUN/models has the kept models of a run (runs/kept_models.h), and is not a run without records.
bool is_models_of_run(const fs::path& folder) {
  std::error_code ignored;
  return folder.filename() == "models" && fs::exists(folder.parent_path() / "results.jsonl", ignored) &&
         !fs::exists(folder / "results.jsonl", ignored);
}

// Sorted by path, so that the result does not depend on the order of the file system.
std::vector<RunFolder> run_folders(std::span<const fs::path> folders) {
  std::vector<RunFolder> all;
  for (std::size_t argument = 0; argument < folders.size(); ++argument) {
    const fs::path& folder = folders[argument];
    if (const std::string fault = base::folder_fault(folder); !fault.empty()) {
      throw std::invalid_argument("'" + base::printable(folder.string()) + "' " + fault +
                                  "; expected a folder of run folders");
    }
    std::error_code error;
    all.push_back({folder, true, argument});
    fs::directory_iterator entry(folder, error);
    while (!error && entry != fs::directory_iterator()) {
      // A file in a sweep is not a failed run; a circular link may have been meant as one.
      std::error_code unknown;
      if ((entry->is_directory(unknown) || unknown) && !is_models_of_run(entry->path())) {
        all.push_back({entry->path(), false, argument});
      }
      entry.increment(error);
    }
    if (error) {
      throw std::invalid_argument("'" + base::printable(folder.string()) +
                                  "' cannot be read: " + error.message());
    }
  }
  std::sort(all.begin(), all.end(),
            [](const RunFolder& a, const RunFolder& b) { return a.folder < b.folder; });
  return all;
}

// The first line of the file 'failed' next to the results.
std::string failure_of(const fs::path& folder) {
  return base::first_line(folder / "failed");
}

std::optional<FailedRun> failed_in(const fs::path& folder) {
  std::error_code ignored;  // an unreadable folder is reported as such
  // A folder of that name is a run of its own.
  if (!fs::is_regular_file(folder / "failed", ignored)) {
    return std::nullopt;
  }
  const std::string reason = failure_of(folder);
  return FailedRun{folder, reason.empty() ? "it left no reason" : reason};
}

// A folder of runs within a folder of runs, as 'pair train --test-envs each --out runs/e' makes in runs, is not read
// without being named.
std::string reason_without_results(const fs::path& folder, std::error_code error) {
  if (error && error != std::errc::no_such_file_or_directory) {
    return "cannot be read: " + error.message();
  }
  const std::size_t runs = base::folders_with(folder, "results.jsonl").size();
  return std::string("has no results.jsonl") +
         (runs == 0 ? ""
                    : ", but holds " + std::to_string(runs) + (runs == 1 ? " run" : " runs") +
                          "; give it as a further argument");
}

bool is_given(const fs::path& folder, std::span<const RunFolder> all) {
  return std::ranges::any_of(all, [&folder](const RunFolder& one) {
    std::error_code ignored;
    return one.given && fs::equivalent(one.folder, folder, ignored);
  });
}

// The folders that have results, each file once; folders without results are reported in left_out.
std::vector<fs::path> results_in(std::span<const RunFolder> folders, Histories& histories) {
  std::vector<fs::path> all;
  std::set<std::pair<dev_t, ino_t>> seen;
  std::set<std::size_t> used;  // arguments that have runs, or something to report
  for (const RunFolder& run : folders) {
    const fs::path file = run.folder / "results.jsonl";
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) {
      const std::error_code error(errno, std::generic_category());
      if (std::optional<FailedRun> failed = failed_in(run.folder)) {
        histories.failed.push_back(*std::move(failed));
      } else if (run.given) {
        continue;
      } else if (!is_given(run.folder, folders)) {
        histories.left_out.push_back({run.folder, 0, reason_without_results(run.folder, error)});
      }
    } else if (!seen.insert({status.st_dev, status.st_ino}).second) {
      histories.left_out.push_back({file, 0, "is a link to a file that was already read"});
    } else {
      all.push_back(run.folder);
    }
    used.insert(run.argument);
  }
  const bool some = !all.empty() || !histories.failed.empty();  // otherwise callers say that there is none
  for (const RunFolder& run : folders) {
    if (some && run.given && !used.contains(run.argument)) {
      histories.left_out.push_back({run.folder, 0, "holds no run"});
    }
  }
  return all;
}

std::string about(const fs::path& path, std::size_t line, const std::string& what) {
  return base::printable(path.string() + (line > 0 ? ", line " + std::to_string(line) + "," : "") + " " +
                         what);
}

}  // namespace

std::string Omission::sentence() const {
  std::string text = about(path, line, what);
  if (more_lines > 0) {
    text += " (and " + std::to_string(more_lines) + (more_lines == 1 ? " more line)" : " more lines)");
  }
  return text;
}

std::vector<std::string> Omission::sentences() const {
  std::vector<std::string> all{about(path, line, what)};
  for (const BadLine& next : next_lines) {
    all.push_back(about(path, next.line, next.what));
  }
  if (const std::size_t rest = more_lines - next_lines.size(); rest > 0) {
    all.push_back(base::printable(path.string()) + " has " + std::to_string(rest) + " more such " +
                  (rest == 1 ? "line" : "lines"));
  }
  return all;
}

std::string FailedRun::sentence() const {
  return base::printable(folder.string() + " failed before its first record: " + reason);
}

Histories read_histories(std::span<const std::filesystem::path> folders, const ReadOptions& options) {
  Histories histories;
  const std::vector<RunFolder> found = run_folders(folders);
  const std::vector<fs::path> files = results_in(found, histories);

  std::vector<ResultsFile> results(files.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&](bool reports) {
    ResultsReader reader(options.longest_line);
    for (std::size_t i = next++; i < files.size(); i = next++) {
      results[i] = reader.read_run(files[i]);
      if (reports && options.progress) {
        options.progress(i + 1, files.size());
      }
    }
  };
  const std::size_t wanted = options.threads > 0 ? options.threads : std::thread::hardware_concurrency();
  {
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < std::min(std::max<std::size_t>(wanted, 1), files.size()); ++i) {
      others.emplace_back(work, false);
    }
    work(true);
  }

  for (std::size_t i = 0; i < files.size(); ++i) {
    ResultsFile& result = results[i];
    histories.records += result.records;
    histories.bytes += result.bytes;
    if (result.runs.empty() && !result.done) {
      if (std::optional<FailedRun> failed = failed_in(files[i])) {
        histories.failed.push_back(*std::move(failed));
        // That its file of records is empty says no more.
        result.left_out = result.bytes == 0 ? std::nullopt : result.left_out;
      }
    }
    if (result.left_out) {
      histories.left_out.push_back(*std::move(result.left_out));
    }
    if (!result.done && !result.runs.empty()) {
      const std::string failure = failure_of(files[i]);
      histories.not_done.push_back(files[i].string() + (failure.empty() ? "" : " (failed: " + failure + ")"));
    }
    std::move(result.runs.begin(), result.runs.end(), std::back_inserter(histories.history));
  }
  name_methods(histories.history);
  std::sort(histories.left_out.begin(), histories.left_out.end(),
            [](const Omission& a, const Omission& b) { return a.path < b.path; });
  std::sort(histories.failed.begin(), histories.failed.end(),
            [](const FailedRun& a, const FailedRun& b) { return a.folder < b.folder; });
  return histories;
}

}  // namespace pair::select
