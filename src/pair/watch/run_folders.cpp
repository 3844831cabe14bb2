#include "pair/watch/run_folders.h"

#include <sys/stat.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "pair/base/names.h"

namespace pair::watch {
namespace {

namespace fs = std::filesystem;

Stamp stamp_of(const struct stat& status) {
  constexpr std::int64_t nanoseconds = 1'000'000'000;
  return {status.st_dev, status.st_ino, static_cast<std::uint64_t>(status.st_size),
          status.st_mtim.tv_sec * nanoseconds + status.st_mtim.tv_nsec};
}

class Search {
 public:
  explicit Search(const fs::path& folder) : folder_(folder), root_(fs::canonical(folder, error_)) {}

  RunFolders run() {
    if (error_) {
      return {};
    }
    look_into(folder_, /*is_root=*/true);
    fs::directory_iterator entry(folder_, error_);
    for (; !error_ && entry != fs::directory_iterator(); entry.increment(error_)) {
      std::error_code unknown;
      // RUN/models has the kept models of a run.
      const bool models = entry->path().filename() == "models" && found_.runs.contains(folder_) &&
                          !fs::exists(entry->path() / "results.jsonl", unknown);
      if (!entry->is_directory(unknown) || models) {
        continue;
      }
      if (entry->is_symlink(unknown) && !lies_inside(entry->path())) {
        leave_out(entry->path(), "links outside of " + folder_.string());
        continue;
      }
      look_into(entry->path(), /*is_root=*/false);
    }
    std::sort(found_.left_out.begin(), found_.left_out.end());
    return std::move(found_);
  }

 private:
  [[nodiscard]] bool lies_inside(const fs::path& path) const {
    std::error_code error;
    const fs::path target = fs::canonical(path, error);
    return !error &&
           std::mismatch(root_.begin(), root_.end(), target.begin(), target.end()).first == root_.end();
  }

  void leave_out(const fs::path& path, const std::string& why) {
    found_.left_out.push_back(base::printable(path.string() + " " + why));
  }

  void look_into(const fs::path& run, bool is_root) {
    RunStamps stamps;
    const std::array<std::pair<const char*, std::optional<Stamp>*>, 4> files{
        {{"results.jsonl", &stamps.results},
         {"done", &stamps.done},
         {"failed", &stamps.failed},
         {"evaluation.json", &stamps.evaluation}}};
    for (const auto& [name, stamp] : files) {
      const fs::path file = run / name;
      struct stat status {};
      if (::lstat(file.c_str(), &status) != 0) {
        continue;
      }
      if (S_ISLNK(status.st_mode) && (!lies_inside(file) || ::stat(file.c_str(), &status) != 0)) {
        return leave_out(file, "links outside of " + folder_.string());
      }
      if (!S_ISREG(status.st_mode)) {
        return leave_out(file, "is not a regular file");
      }
      *stamp = stamp_of(status);
    }
    if (stamps.results || !is_root) {
      found_.runs.emplace(run, stamps);
    }
  }

  std::error_code error_;
  const fs::path& folder_;
  fs::path root_;
  RunFolders found_;
};

}  // namespace

RunFolders find_runs(const std::filesystem::path& folder) {
  return Search(folder).run();
}

}  // namespace pair::watch
