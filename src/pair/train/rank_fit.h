#pragma once

#include "pair/train/learner.h"
#include "pair/train/scoring.h"
#include "pair/train/settings.h"

// Training on several ranks (ranks.h): which runs can, and scores.

namespace pair::train {

// Throws std::invalid_argument if the run cannot be divided among ranks: an algorithm with its own update,
// batches in several parts (accumulate), an objective that needs the whole network (iga), or a network whose
// BatchNorm normalises by the statistics of the batch, which would be those of a rank's share.
void require_shareable(const Learner& learner, const Settings& settings);

// Rank 0 computes the scores, and all ranks get them; further scores (more) stay with rank 0, which has the
// records. All throw Interrupted if rank 0's computation did, and
// RankLost if it failed. Also checks that all ranks have the same parameters; throws std::runtime_error
// otherwise.
Scores shared_scores(const Learner& learner, const std::function<Scores()>& compute);

}  // namespace pair::train
