#pragma once

#include <string>

#include "pair/runs/run.h"

namespace pair::train {
class Trainer;
}

// How the ranks of one run (train/ranks.h) agree: rank 0 has the folder and decides; the others follow. Each
// function must be called by all ranks, and does nothing for one process.

namespace pair::runs {

// Throws std::runtime_error if the ranks have different specs.
void require_same_spec(const RunSpec& spec, const train::Ranks& ranks);

// The state in which rank 0 found the run's folder.
enum class Verdict { train, done, failed };
void share_verdict(const train::Ranks& ranks, Verdict verdict, const std::string& reason = {});
// Throws std::runtime_error with rank 0's reason if it failed.
Verdict received_verdict(const train::Ranks& ranks);

// The state in which rank 0 begins, for the trainers of all, and whether the first thing to do is scoring.
void share_start(const train::Ranks& ranks, const train::Trainer& trainer, bool scores);
bool receive_start(const train::Ranks& ranks, train::Trainer& trainer);

// One step; false if the run is stopped before it. With several ranks, a rank that should stop takes one more
// step, after which all ranks know it and stop together.
bool advance_shared(train::Trainer& trainer, const RunHooks& hooks);

}  // namespace pair::runs
