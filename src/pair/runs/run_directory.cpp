#include "pair/runs/run_directory.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "pair/data/sha256.h"

namespace pair::runs {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int checkpoint_format = 1;

// Chained, so that a line more costs a line, whatever came before.
std::string chained(const std::string& digest, std::string_view line) {
  data::Bytes bytes(digest.begin(), digest.end());
  bytes.insert(bytes.end(), line.begin(), line.end());
  return data::sha256(bytes);
}

std::string sha256_of(std::string_view text) {
  return data::sha256(data::Bytes(text.begin(), text.end()));
}

struct Extent {
  std::uint64_t count = 0;
  std::string digest;
};

// Of text that ends with a line's end or is empty.
Extent extent_of(std::string_view text) {
  Extent extent;
  for (std::size_t end = 0; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
    extent.digest = chained(extent.digest, text.substr(0, end));
    ++extent.count;
  }
  return extent;
}

fs::path prepared(fs::path path) {
  std::error_code error;
  if (fs::exists(path, error) && !fs::is_directory(path, error)) {
    throw std::invalid_argument(path.string() + " is a file; a run needs a folder, new, empty or its own");
  }
  fs::create_directories(path, error);
  if (error) {
    throw std::runtime_error("cannot make the folder " + path.string() + ": " + error.message());
  }
  if (fs::exists(spec_file(path), error)) {
    return path;
  }
  // A crash before spec.json leaves at most these.
  const std::array<fs::path, 2> early = {results_file(path).filename(), part_of(spec_file(path)).filename()};
  for (auto entry = fs::directory_iterator(path, error); !error && entry != fs::directory_iterator();
       entry.increment(error)) {
    if (std::find(early.begin(), early.end(), entry->path().filename()) == early.end()) {
      if (fs::exists(spec_file(path))) {  // another has begun there since
        return path;
      }
      throw std::invalid_argument(path.string() + " holds " + entry->path().filename().string() +
                                  " but no run; a run needs a folder, new, empty or its own");
    }
  }
  if (error) {
    throw std::runtime_error("cannot read the folder " + path.string() + ": " + error.message());
  }
  return path;
}

// Nothing where there is no spec.json.
std::optional<RunSpec> spec_in(const fs::path& path) {
  std::error_code ignored;
  if (!fs::exists(spec_file(path), ignored)) {
    return std::nullopt;
  }
  try {
    return spec_from_text(read_file(spec_file(path)));
  } catch (const std::invalid_argument& error) {
    throw std::invalid_argument(spec_file(path).string() + " cannot be used: " + error.what() +
                                "; a run needs a folder, new, empty or its own");
  }
}

void refuse_other(const fs::path& path, const RunSpec& its, const RunSpec& here) {
  if (const std::string differences = difference(its, here); !differences.empty()) {
    throw std::invalid_argument(path.string() + " holds another run: " + differences);
  }
}

// A checkpoint's file: a line that says what it is, then the state.
struct CheckpointFile {
  json header;
  Checkpoint checkpoint;
};

// Nothing where it is damaged or another run's.
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
                      header.at("state_sha256") == sha256_of(file.checkpoint.state);
    return good ? std::optional(std::move(file)) : std::nullopt;
  } catch (const json::exception&) {
    return std::nullopt;
  }
}

std::string number_or_name(const json& value, const char* key) {
  return value.contains(key) ? value.at(key).dump() : "nothing";
}

}  // namespace

std::filesystem::path spec_file(const std::filesystem::path& directory) {
  return directory / "spec.json";
}
std::filesystem::path results_file(const std::filesystem::path& directory) {
  return directory / "results.jsonl";
}
std::filesystem::path checkpoint_file(const std::filesystem::path& directory) {
  return directory / "checkpoint";
}
std::filesystem::path done_file(const std::filesystem::path& directory) {
  return directory / "done";
}
std::filesystem::path failed_file(const std::filesystem::path& directory) {
  return directory / "failed";
}

std::optional<Finished> RunDirectory::finished(const std::filesystem::path& path, const RunSpec& spec) {
  std::error_code ignored;
  if (!fs::exists(done_file(path), ignored)) {
    return std::nullopt;
  }
  if (const std::optional<RunSpec> its = spec_in(path)) {
    refuse_other(path, *its, spec);
  } else {
    throw std::invalid_argument(path.string() +
                                " holds a run without spec.json; a run needs a folder, new, "
                                "empty or its own");
  }
  const json done = json::parse(read_file(done_file(path)), nullptr, /*allow_exceptions=*/false);
  const Extent extent = extent_of(read_file(results_file(path)));
  try {
    if (done.at("records") == extent.count && done.at("records_digest") == extent.digest) {
      return Finished{done.at("steps").get<std::int64_t>(), done.at("seconds").get<double>()};
    }
  } catch (const json::exception&) {
    throw std::runtime_error(done_file(path).string() + " is damaged; delete it to run again");
  }
  throw std::runtime_error(results_file(path).string() + " is not as the run left it (" +
                           std::to_string(extent.count) + " records, " + number_or_name(done, "records") +
                           " when it was done); delete " + done_file(path).string() + " to run again");
}

Standing standing_of(const std::filesystem::path& path, const RunSpec& spec) {
  try {
    return RunDirectory::finished(path, spec) ? Standing::finished : Standing::unfinished;
  } catch (const std::invalid_argument&) {
    return Standing::foreign;
  } catch (const std::runtime_error&) {
    return Standing::lost;
  }
}

RunDirectory::RunDirectory(std::filesystem::path path, const RunSpec& spec)
    : path_(prepared(std::move(path))), hash_(hash(spec)), results_(results_file(path_)) {
  if (!results_.try_lock()) {
    throw Busy("another process or thread is training in " + path_.string());
  }
  settle_spec(spec);
  drop_half_line();
  std::error_code ignored;
  fs::remove(failed_file(path_), ignored);
}

void RunDirectory::settle_spec(const RunSpec& spec) {
  const bool begun =
      results_.size() > 0 || fs::exists(checkpoint_file(path_)) || fs::exists(done_file(path_));
  std::optional<RunSpec> its;
  try {
    its = spec_in(path_);
  } catch (const std::invalid_argument&) {
    if (begun) {
      throw;
    }
  }
  if (its && begun) {
    refuse_other(path_, *its, spec);
    return;
  }
  if (begun) {
    throw std::invalid_argument(path_.string() +
                                " holds records without spec.json; a run needs a folder, "
                                "new, empty or its own");
  }
  if (!its || canonical(*its) != canonical(spec)) {
    replace_file(spec_file(path_), as_json(spec).dump(2) + "\n");
  }
}

void RunDirectory::drop_half_line() {
  const std::string text = results_.read(0, results_.size());
  const std::size_t end = text.rfind('\n');
  const std::size_t whole = end == std::string::npos ? 0 : end + 1;
  if (whole < text.size()) {
    results_.truncate(whole);
  }
}

bool RunDirectory::begins_with(std::uint64_t bytes, std::uint64_t count, const std::string& digest) const {
  const std::string text = results_.read(0, bytes);
  if (text.size() != bytes || (!text.empty() && text.back() != '\n')) {
    return false;
  }
  const Extent extent = extent_of(text);
  return extent.count == count && extent.digest == digest;
}

std::optional<Checkpoint> RunDirectory::resume() {
  std::error_code ignored;
  fs::remove(part_of(checkpoint_file(path_)), ignored);
  if (!fs::exists(checkpoint_file(path_), ignored)) {
    return std::nullopt;
  }
  std::optional<CheckpointFile> file = checkpoint_in(read_file(checkpoint_file(path_)), hash_);
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
      begin_anew(results_.path().string() + " is not as the run left it");
      return std::nullopt;
    }
    bytes_ = bytes;
    count_ = count;
    digest_ = digest;
    return std::move(file->checkpoint);
  } catch (const json::exception&) {
    begin_anew(checkpoint_file(path_).string() + " is damaged");
    return std::nullopt;
  }
}

void RunDirectory::begin_anew(std::string_view why) {
  bytes_ = 0;
  count_ = 0;
  digest_.clear();
  notices_.push_back(std::string(why) + "; the run begins anew");
}

void RunDirectory::record(std::string_view line) {
  const std::string bytes = std::string(line) + "\n";
  const std::string before = results_.read(bytes_, bytes.size());
  if (before != bytes) {
    if (!before.empty()) {
      notices_.push_back(results_.path().string() + ", line " + std::to_string(count_ + 1) +
                         ", differs from what an earlier try wrote there and is replaced");
      results_.truncate(bytes_);
    }
    results_.write(bytes_, bytes);
  }
  bytes_ += bytes.size();
  digest_ = chained(digest_, line);
  ++count_;
}

void RunDirectory::save(const Checkpoint& checkpoint) {
  const json header{{"format", checkpoint_format}, {"spec", hash_},
                    {"step", checkpoint.step},     {"seconds", checkpoint.seconds},
                    {"records", count_},           {"records_bytes", bytes_},
                    {"records_digest", digest_},   {"state_sha256", sha256_of(checkpoint.state)}};
  replace_file(checkpoint_file(path_), header.dump() + "\n" + checkpoint.state);
}

void RunDirectory::finish(const Finished& finished, const nlohmann::json& versions) {
  if (results_.size() > bytes_) {
    results_.truncate(bytes_);
  }
  const json done{{"steps", finished.steps},
                  {"seconds", finished.seconds},
                  {"records", count_},
                  {"records_digest", digest_},
                  {"versions", versions}};
  replace_file(done_file(path_), done.dump(2) + "\n");
}

void RunDirectory::fail(std::string_view message) noexcept {
  try {
    replace_file(failed_file(path_), std::string(message) + "\n");
  } catch (const std::exception&) {
  }
}

std::vector<std::string> RunDirectory::take_notices() {
  return std::exchange(notices_, {});
}

std::string final_state(const std::filesystem::path& path) {
  const std::optional<RunSpec> spec = spec_in(path);
  if (!spec || !RunDirectory::finished(path, *spec)) {
    throw std::invalid_argument(path.string() + " holds no finished run");
  }
  if (path.filename() != folder_name(*spec)) {
    throw std::invalid_argument(path.string() + " holds a run that should be called " + folder_name(*spec));
  }
  std::optional<CheckpointFile> file = checkpoint_in(read_file(checkpoint_file(path)), hash(*spec));
  if (!file) {
    throw std::runtime_error(checkpoint_file(path).string() + " is damaged");
  }
  return std::move(file->checkpoint.state);
}

}  // namespace pair::runs
