#pragma once

#include "pair/select/pair_s.h"

// Criteria with a fallback: if no run has held-out data of its training environments, training accuracy is
// used instead, and the notes of the selection say so in one sentence.

namespace pair::select {

// PAIR-s with the options, or with Validation::training if it chooses nothing by Validation::train_domain.
Selection pair_s_or_training(const History& history, PairOptions options);

// The training-domain validation set, or training accuracy.
Selection train_domain_or_training(const History& history);

}  // namespace pair::select
