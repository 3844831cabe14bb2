#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pair/data/chained_digest.h"
#include "pair/runs/file.h"
#include "pair/runs/run_paths.h"
#include "pair/runs/run_spec.h"

// A run on disk:
//
// - spec.json: the spec; see run_spec.h.
// - results.jsonl: the records, one per line, on disk before the run continues. It is also the lock of the
//   process that trains.
// - checkpoint: the complete state after some step, and the number of records then. Replaced atomically.
// - done: present when the run has finished. Steps, seconds, versions, the number of records and their digest
//   (data/chained_digest.h). The only file with times.
// - model.safetensors, model.json: the model after the last step (model_files.h), written before done, unless
//   the run keeps no model. done then has the SHA-256 of model.json, which has that of model.safetensors.
// - evaluation.json: what that model gets right and wrong (evaluation.h), for tables, texts and images. Written
//   before done, and not part of its digests: 'pair report' does without it.
// - models/step-000300: the model of an earlier record, if the run keeps it (kept_models.h).
// - results.jsonl.lease: the lock where the file system has no flock (lease.h).
// - failed: why the last attempt failed, if it did.
//
// A crash at any moment leaves each file complete, except for a last line of results.jsonl without line end,
// which the next attempt drops.

namespace pair::runs {

// Another process or thread trains in the folder.
class Busy : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Checkpoint {
  std::int64_t step = 0;
  double seconds = 0.0;  // of training so far
  std::string state;
};

// The content of `done`.
struct Finished {
  std::int64_t steps = 0;
  double seconds = 0.0;
};

class RunDirectory {
 public:
  // The result of the spec's run; none if it has not finished or not started. Read-only. Throws the same
  // errors as the constructor, and std::runtime_error if the records are not those the run ended with.
  static std::optional<Finished> finished(const std::filesystem::path& path, const RunSpec& spec);

  // Creates or opens the folder, locks it and writes spec.json. Throws std::invalid_argument if it holds a
  // different run (the sentence names the differences), files that do not belong to a run, or a spec.json that
  // is a folder with files, Busy if another process or thread trains there, and std::runtime_error if writing
  // fails. A spec.json that is missing, damaged or an empty folder is written again, with a notice, if the
  // folder has the spec's name (folder_name) and the run has not finished: the checkpoint then decides whether
  // the run can continue.
  RunDirectory(std::filesystem::path path, const RunSpec& spec);

  // The last checkpoint; record() continues after the records written by then. None if there is no usable
  // checkpoint; the run then starts from the beginning, with a notice.
  std::optional<Checkpoint> resume();
  // Discards the checkpoint: the run starts from the beginning.
  void begin_anew(std::string_view why);

  // Adds a line. A killed attempt may have advanced beyond its checkpoint; its lines are kept, and repeated
  // ones are compared with them, so that a full disk does not lose any. A line that differs (another machine,
  // another LibTorch) replaces the old one and all after it, with a notice.
  void record(std::string_view line);

  void save(const Checkpoint& checkpoint);
  // Marks the run as finished. model_sha256: of model.json; empty if the run keeps no model.
  void finish(const Finished& finished, const nlohmann::json& versions, const std::string& model_sha256 = {});
  // Best effort: the disk itself may have failed.
  void fail(std::string_view message) noexcept;

  // Sentences for the user since the last call.
  std::vector<std::string> take_notices();

  // The last line written by this attempt or before its checkpoint, without line end; empty if there is none.
  // Lines that a killed attempt wrote after its checkpoint do not count.
  [[nodiscard]] std::string last_line() const;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  void settle_spec(const RunSpec& spec);
  void drop_half_line();
  [[nodiscard]] bool begins_with(std::uint64_t bytes, std::uint64_t count, const std::string& digest) const;

  std::filesystem::path path_;
  std::string hash_;
  File results_;
  // The lines written by this attempt, and before its checkpoint.
  std::uint64_t bytes_ = 0;
  data::ChainedDigest digest_;
  std::vector<std::string> notices_;
};

// The state that RunDirectory::finished finds. Does not throw for the folder's content.
enum class Standing {
  unfinished,  // or not started
  finished,
  lost,    // finished, but the records have changed since
  foreign  // a finished run of another spec, or files that are missing or unreadable
};
Standing standing_of(const std::filesystem::path& path, const RunSpec& spec);

// Writes the spec.json of a finished run again if it is missing, damaged or an empty folder, the folder's name
// and the checkpoint identify the spec, and the records are those the run ended with. Returns whether it did.
// Throws std::runtime_error if writing fails.
bool restore_spec(const std::filesystem::path& path, const RunSpec& spec);

// The final state of a finished run (Trainer::start_from reads it), without the folder's lock: several runs
// may start from one. Throws std::invalid_argument if the folder does not contain a finished run, or one whose folder
// should have another name (folder_name), and std::runtime_error if the checkpoint or the records are
// damaged.
std::string final_state(const std::filesystem::path& path);
// The same of the finished run of `spec`; its folder may have any name.
std::string final_state(const std::filesystem::path& path, const RunSpec& spec);

}  // namespace pair::runs
