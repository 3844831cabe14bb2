#include "pair/runs/run_directory.h"

#include <algorithm>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "pair/data/sha256.h"
#include "pair/runs/lease.h"

namespace pair::runs {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int checkpoint_format = 1;

// The digest of the first `bytes` bytes of a file.
data::ChainedDigest digest_of(const fs::path& results, std::uint64_t bytes = base::largest_records) {
  constexpr std::size_t block = std::size_t{256} << 10;
  base::RegularFile file(results, base::largest_records);
  data::ChainedDigest digest;
  std::string buffer(block, '\0');
  while (bytes > 0) {
    const std::size_t got = file.read(buffer.data(), std::min<std::uint64_t>(block, bytes));
    if (got == 0) {
      break;
    }
    digest.add({buffer.data(), got});
    bytes -= got;
  }
  return digest;
}

bool is_named_after(const fs::path& path, const RunSpec& spec) {
  return path.filename() == folder_name(spec);
}

fs::path prepared(fs::path path, const RunSpec& spec) {
  std::error_code error;
  if (base::is_there(path) && !fs::is_directory(path, error)) {
    throw std::invalid_argument(path.string() +
                                " is a file; expected a folder that is new, empty or the run's own");
  }
  fs::create_directories(path, error);
  if (error) {
    throw std::runtime_error("cannot create the folder " + path.string() + ": " + error.message());
  }
  if (base::is_there(spec_file(path))) {
    return path;
  }
  // A crash before spec.json leaves at most the first two.
  std::vector<fs::path> early = {results_file(path).filename(), part_of(spec_file(path)).filename()};
  if (is_named_after(path, spec)) {
    for (const fs::path& file :
         {checkpoint_file(path), failed_file(path), done_file(path), weights_file(path), card_file(path),
          evaluation_file(path), models_folder(path)}) {
      early.insert(early.end(), {file.filename(), part_of(file).filename()});
    }
  }
  const std::string lease = Lease::path_of(results_file(path)).filename().string();
  for (auto entry = fs::directory_iterator(path, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (std::find(early.begin(), early.end(), entry->path().filename()) == early.end() &&
        !entry->path().filename().string().starts_with(lease)) {
      if (base::is_there(spec_file(path))) {  // another process has started there meanwhile
        return path;
      }
      throw std::invalid_argument(path.string() + " holds " + entry->path().filename().string() +
                                  " but no run; expected a folder that is new, empty or the run's own");
    }
  }
  if (error) {
    throw std::runtime_error("cannot read the folder " + path.string() + ": " + error.message());
  }
  return path;
}

std::string spec_text(const RunSpec& spec) {
  return as_json(spec).dump(2) + "\n";
}

bool is_folder(const fs::path& path) {
  std::error_code ignored;
  return fs::is_directory(path, ignored);
}

// Replaces a file, an empty folder or a link to a folder. Throws std::invalid_argument for a folder with
// files.
void write_spec(const fs::path& path, const RunSpec& spec) {
  if (is_folder(spec_file(path))) {
    std::error_code error;
    fs::remove(spec_file(path), error);
    if (error) {
      throw std::invalid_argument(spec_file(path).string() + " is a folder and cannot be replaced: " +
                                  error.message() + "; delete or move it");
    }
  }
  replace_file(spec_file(path), spec_text(spec));
}

// Whether spec.json is what this version writes for the spec: most are, and that is known without parsing
// them.
bool has_own_spec(const fs::path& path, const RunSpec& spec) {
  try {
    return read_file(spec_file(path)) == spec_text(spec);
  } catch (const std::runtime_error&) {
    return false;
  }
}

// None if there is no spec.json.
std::optional<RunSpec> spec_in(const fs::path& path) {
  if (!base::is_there(spec_file(path))) {
    return std::nullopt;
  }
  try {
    return spec_from_text(read_file(spec_file(path)));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(spec_file(path).string() + " cannot be used: " + error.what() +
                                "; expected a folder that is new, empty or the run's own");
  }
}

void refuse_other(const fs::path& path, const RunSpec& its, const RunSpec& here) {
  if (const std::string differences = difference(its, here); !differences.empty()) {
    throw std::invalid_argument(path.string() + " holds a different run: " + differences +
                                "; a run keeps its settings, so use another folder");
  }
}

// A checkpoint's file: a header line, then the state.
struct CheckpointFile {
  json header;
  Checkpoint checkpoint;
};

// None if it is damaged or belongs to another run.
std::optional<CheckpointFile> checkpoint_in(const std::string& text, const std::string& hash) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  CheckpointFile file{json::parse(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), nullptr,
                                  /*allow_exceptions=*/false),
                      {}};
  try {
    const json& header = file.header;
    file.checkpoint = {header.at("step").get<std::int64_t>(), header.at("seconds").get<double>(),
                       text.substr(std::min(end + 1, text.size()))};
    const bool good = header.at("format") == checkpoint_format && header.at("spec") == hash &&
                      header.at("state_sha256") == data::sha256(file.checkpoint.state);
    return good ? std::optional(std::move(file)) : std::nullopt;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

// The end of the last line that ends at or before `offset`; 0 if there is none. Reads backwards from there,
// so the cost does not depend on the file's length.
std::uint64_t line_end_before(const File& file, std::uint64_t offset) {
  constexpr std::uint64_t block = std::uint64_t{64} << 10;
  while (offset > 0) {
    const std::uint64_t begin = offset > block ? offset - block : 0;
    const std::size_t end = file.read(begin, offset - begin).rfind('\n');
    if (end != std::string::npos) {
      return begin + end + 1;
    }
    offset = begin;
  }
  return 0;
}

std::string number_or_name(const json& value, const char* key) {
  return value.contains(key) ? value.at(key).dump() : "nothing";
}

// The content of `done`. Throws std::runtime_error if the records are not those the run ended with.
Finished ending_of(const fs::path& path) {
  const json done = json::parse(read_file(done_file(path)), nullptr, /*allow_exceptions=*/false);
  const data::ChainedDigest digest = digest_of(results_file(path));
  try {
    if (done.at("records") == digest.lines() && done.at("records_digest") == digest.digest() &&
        !digest.has_half_line()) {
      return {done.at("steps").get<std::int64_t>(), done.at("seconds").get<double>()};
    }
  } catch (const json::exception&) {
    throw std::runtime_error(done_file(path).string() + " is damaged; delete it to run again");
  }
  throw std::runtime_error(results_file(path).string() + " has changed since the run finished (" +
                           std::to_string(digest.lines()) + " records, " + number_or_name(done, "records") +
                           " when it finished); delete " + done_file(path).string() + " to run again");
}

// Whether spec.json is missing or holds nothing that can be read as a spec. False if it may be intact, and if
// it cannot be replaced.
bool has_lost_spec(const fs::path& path) {
  try {
    return !spec_in(path);
  } catch (const std::invalid_argument&) {
    return true;
  } catch (const base::FileError& error) {
    std::error_code ignored;
    return error.error() == 0 && (!is_folder(spec_file(path)) || fs::is_empty(spec_file(path), ignored));
  }
}

// False if there is a checkpoint of another spec.
bool fits_checkpoint(const fs::path& path, const RunSpec& spec) {
  if (!base::is_there(checkpoint_file(path))) {
    return true;
  }
  constexpr std::size_t longest_header = 4096;
  const json header = json::parse(base::first_line(checkpoint_file(path), longest_header), nullptr,
                                  /*allow_exceptions=*/false);
  return header.is_object() && header.contains("spec") && header.at("spec") == hash(spec);
}

}  // namespace

std::optional<Finished> RunDirectory::finished(const std::filesystem::path& path, const RunSpec& spec) {
  if (!base::is_there(done_file(path))) {
    return std::nullopt;
  }
  if (!has_own_spec(path, spec)) {
    std::optional<RunSpec> its;
    try {
      its = spec_in(path);
    } catch (const base::FileError& error) {
      if (error.error() != 0) {
        throw;
      }
      throw std::invalid_argument(spec_file(path).string() + " cannot be used: " + error.reason() +
                                  "; delete or move it");
    }
    if (its) {
      refuse_other(path, *its, spec);
    } else {
      throw std::invalid_argument(
          path.string() +
          " holds a run without spec.json; expected a folder that is new, empty or the run's own");
    }
  }
  return ending_of(path);
}

bool restore_spec(const std::filesystem::path& path, const RunSpec& spec) {
  if (!is_named_after(path, spec) || !base::is_there(done_file(path)) || !has_lost_spec(path) ||
      !fits_checkpoint(path, spec)) {
    return false;
  }
  try {
    (void)ending_of(path);
  } catch (const std::runtime_error&) {
    return false;
  }
  write_spec(path, spec);
  return true;
}

Standing standing_of(const std::filesystem::path& path, const RunSpec& spec) {
  try {
    return RunDirectory::finished(path, spec) ? Standing::finished : Standing::unfinished;
  } catch (const std::invalid_argument&) {
    return Standing::foreign;
  } catch (const base::FileError& error) {
    // Files without read permission may be intact.
    return error.error() == 0 || error.error() == ENOENT ? Standing::lost : Standing::foreign;
  } catch (const std::runtime_error&) {
    return Standing::lost;
  }
}

RunDirectory::RunDirectory(std::filesystem::path path, const RunSpec& spec)
    : path_(prepared(std::move(path), spec)), hash_(hash(spec)), results_(results_file(path_)) {
  if (!results_.try_lock()) {
    throw Busy("another process or thread is training in " + path_.string());
  }
  settle_spec(spec);
  drop_half_line();
  std::error_code ignored;
  fs::remove(failed_file(path_), ignored);
}

void RunDirectory::settle_spec(const RunSpec& spec) {
  const bool done = base::is_there(done_file(path_));
  const bool begun = done || results_.size() > 0 || base::is_there(checkpoint_file(path_));
  // Whether the folder's name identifies the run, so that spec.json can be written again.
  const bool can_mend = !done && is_named_after(path_, spec);
  const bool folder = is_folder(spec_file(path_));
  std::optional<RunSpec> its;
  std::string fault = "is missing";
  try {
    its = spec_in(path_);
  } catch (const std::invalid_argument&) {
    if (begun && !can_mend) {
      throw;
    }
    fault = "is damaged";
  } catch (const base::FileError& error) {
    if (error.error() != 0) {
      throw;  // a file without read permission is not damaged
    }
    fault = folder ? "is a folder" : "is damaged";
  }
  if (its && begun) {
    refuse_other(path_, *its, spec);
    return;
  }
  if (begun && !can_mend) {
    throw std::invalid_argument(path_.string() + " holds records, but its spec.json " + fault +
                                "; expected a folder that is new, empty or the run's own");
  }
  if (begun || folder) {
    notices_.push_back(spec_file(path_).string() + " " + fault + " and is written again" +
                       (begun ? ", since the folder's name identifies the run" : ""));
  }
  if (!its || canonical(*its) != canonical(spec)) {
    write_spec(path_, spec);
  }
}

void RunDirectory::drop_half_line() {
  if (const std::uint64_t whole = line_end_before(results_, results_.size()); whole < results_.size()) {
    results_.truncate(whole);
  }
}

std::string RunDirectory::last_line() const {
  const std::uint64_t end = line_end_before(results_, std::min(bytes_, results_.size()));
  if (end == 0) {
    return {};
  }
  const std::uint64_t begin = line_end_before(results_, end - 1);
  return results_.read(begin, end - 1 - begin);
}

bool RunDirectory::begins_with(std::uint64_t bytes, std::uint64_t count, const std::string& digest) const {
  if (bytes > results_.size()) {
    return false;
  }
  const data::ChainedDigest its = digest_of(results_.path(), bytes);
  return its.lines() == count && its.digest() == digest && !its.has_half_line();
}

std::optional<Checkpoint> RunDirectory::resume() {
  std::error_code ignored;
  fs::remove(part_of(checkpoint_file(path_)), ignored);
  if (!base::is_there(checkpoint_file(path_))) {
    return std::nullopt;
  }
  std::optional<CheckpointFile> file;
  try {
    file = checkpoint_in(read_file(checkpoint_file(path_), base::largest_checkpoint), hash_);
  } catch (const base::FileError& error) {
    // A folder could not be replaced by the next checkpoint.
    if (error.error() != 0 || fs::is_directory(checkpoint_file(path_), ignored)) {
      throw;
    }
  }
  if (!file) {
    begin_anew(checkpoint_file(path_).string() + " is damaged");
    return std::nullopt;
  }
  try {
    const json& header = file->header;
    const auto bytes = header.at("records_bytes").get<std::uint64_t>();
    const auto count = header.at("records").get<std::uint64_t>();
    const auto digest = header.at("records_digest").get<std::string>();
    if (!begins_with(bytes, count, digest)) {
      begin_anew(results_.path().string() + " has changed since the run stopped");
      return std::nullopt;
    }
    bytes_ = bytes;
    digest_ = data::ChainedDigest(count, digest);
    return std::move(file->checkpoint);
  } catch (const json::exception&) {
    begin_anew(checkpoint_file(path_).string() + " is damaged");
    return std::nullopt;
  }
}

void RunDirectory::begin_anew(std::string_view why) {
  bytes_ = 0;
  digest_ = {};
  notices_.push_back(std::string(why) + "; the run starts from the beginning");
}

void RunDirectory::record(std::string_view line) {
  const std::string bytes = std::string(line) + "\n";
  const std::string before = results_.read(bytes_, bytes.size());
  if (before != bytes) {
    if (!before.empty()) {
      notices_.push_back(results_.path().string() + ", line " + std::to_string(digest_.lines() + 1) +
                         ", differs from the line of an earlier attempt and is replaced");
      results_.truncate(bytes_);
    }
    results_.write(bytes_, bytes);
  }
  bytes_ += bytes.size();
  digest_.add(bytes);
}

void RunDirectory::save(const Checkpoint& checkpoint) {
  results_.require_lock();
  const json header{{"format", checkpoint_format},
                    {"spec", hash_},
                    {"step", checkpoint.step},
                    {"seconds", checkpoint.seconds},
                    {"records", digest_.lines()},
                    {"records_bytes", bytes_},
                    {"records_digest", digest_.digest()},
                    {"state_sha256", data::sha256(checkpoint.state)}};
  replace_file(checkpoint_file(path_), header.dump() + "\n" + checkpoint.state);
}

void RunDirectory::finish(const Finished& finished, const nlohmann::json& versions,
                          const std::string& model_sha256) {
  results_.require_lock();
  if (results_.size() > bytes_) {
    results_.truncate(bytes_);
  }
  json done{{"steps", finished.steps},
            {"seconds", finished.seconds},
            {"records", digest_.lines()},
            {"records_digest", digest_.digest()},
            {"versions", versions}};
  if (!model_sha256.empty()) {
    done["model_sha256"] = model_sha256;
  }
  replace_file(done_file(path_), done.dump(2) + "\n");
}

void RunDirectory::fail(std::string_view message) noexcept {
  try {
    results_.require_lock();  // a process that has taken over is training here
    replace_file(failed_file(path_), std::string(message) + "\n");
  } catch (const std::exception&) {
  }
}

std::vector<std::string> RunDirectory::take_notices() {
  return std::exchange(notices_, {});
}

std::string final_state(const std::filesystem::path& path) {
  const std::optional<RunSpec> spec = spec_in(path);
  if (!spec) {
    throw std::invalid_argument(path.string() + " does not contain a finished run");
  }
  std::string state = final_state(path, *spec);
  if (path.filename() != folder_name(*spec)) {
    throw std::invalid_argument(path.string() + " holds a run whose folder should be named " +
                                folder_name(*spec));
  }
  return state;
}

std::string final_state(const std::filesystem::path& path, const RunSpec& spec) {
  if (!RunDirectory::finished(path, spec)) {
    throw std::invalid_argument(path.string() + " does not contain a finished run");
  }
  std::optional<CheckpointFile> file =
      checkpoint_in(read_file(checkpoint_file(path), base::largest_checkpoint), hash(spec));
  if (!file) {
    throw std::runtime_error(checkpoint_file(path).string() + " is damaged");
  }
  return std::move(file->checkpoint.state);
}

}  // namespace pair::runs
