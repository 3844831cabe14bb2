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
#include "pair/runs/run_spec.h"

// A run on disk:
//
// - spec.json: what is run; see run_spec.h.
// - results.jsonl: the records, one per line, on disk before the run continues. It is also the lock: whoever
//   trains holds it.
// - checkpoint: the whole state after some step, and how far the records were then. Replaced at once.
// - done: there when the run is whole. Steps, seconds, versions, the number of records and their digest
//   (data/chained_digest.h). Time is here and nowhere else.
// - model.safetensors, model.json: the model after the last step (model_files.h), written before done, unless
//   the run was to keep none. done then has the SHA-256 of model.json, which has that of model.safetensors.
// - failed: why the last try ended, where it did not end well.
//
// A crash at any moment leaves each file whole but for a last line of results.jsonl that has no end, which
// the next try drops.

namespace pair::runs {

// Somebody else trains in the folder.
class Busy : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Checkpoint {
  std::int64_t step = 0;
  double seconds = 0.0;  // of training until then
  std::string state;
};

// What `done` says.
struct Finished {
  std::int64_t steps = 0;
  double seconds = 0.0;
};

class RunDirectory {
 public:
  // What is there if the spec's run is done, nothing if it is not, or not begun. Changes nothing. Throws as
  // the constructor does, and std::runtime_error where the records are not those the run ended with.
  static std::optional<Finished> finished(const std::filesystem::path& path, const RunSpec& spec);

  // Makes the folder or opens the one that is there, locks it and writes spec.json. Throws
  // std::invalid_argument where it holds another run (the sentence names the differences) or files that are
  // no run's, Busy where another process or thread trains there, and std::runtime_error where the disk
  // refuses, or spec.json is a folder. A spec.json that is missing, empty or damaged is written again where
  // the folder has the spec's name (folder_name) and the run is not done, with a notice: the checkpoint then
  // tells whether the run can continue.
  RunDirectory(std::filesystem::path path, const RunSpec& spec);

  // The last checkpoint; record() continues after the records that were written by then. Nothing where there
  // is none or it cannot be used, and the run begins anew; a notice says so.
  std::optional<Checkpoint> resume();
  // Forgets what resume() gave: the run begins anew.
  void begin_anew(std::string_view why);

  // Adds a line. A killed try may have been further than its checkpoint; its lines stay, and the ones that
  // come again are compared with them, so that a disk that fills up in between takes none away. A line that
  // differs (another machine, another LibTorch) replaces the old one and all after it; a notice says so.
  void record(std::string_view line);

  void save(const Checkpoint& checkpoint);
  // The run is whole. model_sha256: of model.json; empty where the run keeps no model.
  void finish(const Finished& finished, const nlohmann::json& versions, const std::string& model_sha256 = {});
  // Best effort: the disk may be what failed.
  void fail(std::string_view message) noexcept;

  // What the user should know, since the last call.
  std::vector<std::string> take_notices();

  // The last whole line of results.jsonl, without its end; empty where there is none. It may be one that a
  // killed try wrote after its checkpoint.
  [[nodiscard]] std::string last_line() const;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  void settle_spec(const RunSpec& spec);
  void drop_half_line();
  [[nodiscard]] bool begins_with(std::uint64_t bytes, std::uint64_t count, const std::string& digest) const;

  std::filesystem::path path_;
  std::string hash_;
  File results_;
  // Of the lines that this try, and those before its checkpoint, have written.
  std::uint64_t bytes_ = 0;
  data::ChainedDigest digest_;
  std::vector<std::string> notices_;
};

// What RunDirectory::finished finds, for those who go on whatever it is. Throws nothing of the folder's.
enum class Standing {
  unfinished,  // or not begun
  finished,
  lost,    // finished once, but the records are no longer those it ended with
  foreign  // a finished run that is another's, or whose files are missing or cannot be read
};
Standing standing_of(const std::filesystem::path& path, const RunSpec& spec);

// The state that a finished run ended with (Trainer::start_from reads it), without the folder's lock: many
// may start from one. Throws std::invalid_argument where the folder holds no finished run, or one that should
// be called otherwise (folder_name), and std::runtime_error where the checkpoint or the records are damaged.
std::string final_state(const std::filesystem::path& path);

// The names in the folder.
std::filesystem::path spec_file(const std::filesystem::path& directory);
std::filesystem::path results_file(const std::filesystem::path& directory);
std::filesystem::path checkpoint_file(const std::filesystem::path& directory);
std::filesystem::path done_file(const std::filesystem::path& directory);
std::filesystem::path failed_file(const std::filesystem::path& directory);
std::filesystem::path weights_file(const std::filesystem::path& directory);  // model.safetensors
std::filesystem::path card_file(const std::filesystem::path& directory);     // model.json

}  // namespace pair::runs
