#pragma once

#include <functional>
#include <stdexcept>
#include <string>

#include "pair/runs/run.h"

namespace pair::train {
class Trainer;
}

// How the ranks of one run (train/ranks.h) agree: rank 0 has the folder and decides (attempt.h); the others
// follow. All ranks call require_same_spec and advance_shared; with one process, nothing is sent.

namespace pair::runs {

// Thrown by ranks other than 0 for an error that rank 0 reports.
class Reported : public std::runtime_error {
 public:
  Reported(const std::string& what, bool bad_input) : std::runtime_error(what), bad_input_(bad_input) {}
  [[nodiscard]] bool bad_input() const { return bad_input_; }

 private:
  bool bad_input_;
};

// Calls `check` on all ranks, which may see different files. If it throws on some of them, it fails on all, with the
// error of the first one: rank 0 throws std::invalid_argument or std::runtime_error, the others Reported.
void check_together(const train::Ranks& ranks, const std::function<void()>& check);

// The spec with the rank's own device: another one per rank of this machine, unless the spec names one.
RunSpec placed(const RunSpec& spec, const train::Ranks& ranks);

// Throws std::runtime_error if the ranks have different specs.
void require_same_spec(const RunSpec& spec, const train::Ranks& ranks);

// Rank 0 tells the others, which wait for it in follow(), the state in which it found the run's folder.
enum class Verdict { train, done, failed };
void share_verdict(const train::Ranks& ranks, Verdict verdict, const std::string& reason = {});

// Then, to train: the state in which it begins, for the trainers of all, and whether the first thing to do is
// scoring.
void share_start(const train::Ranks& ranks, const train::Trainer& trainer, bool scores);

// One step; false if the run is stopped before it. With several ranks, a rank that should stop takes one more
// step, after which all ranks know it and stop together.
bool advance_shared(train::Trainer& trainer, const RunHooks& hooks);

// One attempt of a rank other than 0: the same calls of the trainer as rank 0's, without files. Throws
// std::runtime_error with rank 0's reason if that failed before the first step.
RunResult follow(const RunSpec& spec, DatasetCache& datasets, const RunHooks& hooks);

}  // namespace pair::runs
