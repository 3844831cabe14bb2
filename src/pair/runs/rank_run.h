#pragma once

#include <string>

#include "pair/runs/run.h"

namespace pair::train {
class Trainer;
}

// How the ranks of one run (train/ranks.h) agree: rank 0 has the folder and decides (attempt.h); the others
// follow. All ranks call require_same_spec and advance_shared; with one process, nothing is sent.

namespace pair::runs {

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
