#pragma once

#include <torch/serialize.h>

#include <cstdint>
#include <iosfwd>

#include "pair/models/model.h"
#include "pair/train/averaged_weights.h"
#include "pair/train/learner.h"
#include "pair/train/strategy.h"

// The content of a run's checkpoint, by key. It is a torch archive.
//
//     parameters/, buffers/      the model's tensors by number. Old checkpoints lack buffers/
//     objective0/, ...           the state of each objective
//     draws                      the random generator of objectives and algorithms
//     losses, weights, conflict  of the last step
//     numbers                    its loss, and the divergence
//     steps, balancing, feasible, backtracks, backtracking
//     loss_sums, loss_steps      means since the last evaluation
//     tracked/                   the averaged moments, if they are tracked
//     update/                    the update's state, including the guard's tally
//     average/, averaged_steps   the averaged weights and the steps in them, if there are any
//
// and the keys that the strategy adds (its save): preference, weighed_weights, weighed_losses; named_sums,
// named_counts, algorithm/. Minibatches and dropout masks are functions of seed and step, and have no state.
//
// Reading throws std::runtime_error for a checkpoint of another model and c10::Error for other bytes.

namespace pair::train {

// Requires that the device has finished all steps: the strategy is settled.
void write_checkpoint(std::ostream& out, const Learner& learner, const StepStrategy& strategy,
                      const AveragedWeights& average);

torch::serialize::InputArchive open_checkpoint(std::istream& in, const DeviceLink& link);

// The phase of the run: its strategy and its update must exist before the rest is read.
Phase read_phase(torch::serialize::InputArchive& archive);

// The steps taken.
std::int64_t read_steps(torch::serialize::InputArchive& archive);

// Only the model, in place.
void read_model(torch::serialize::InputArchive& archive, models::Model& model);

// Everything except the model, the phase and the average.
void read_state(torch::serialize::InputArchive& archive, Learner& learner, StepStrategy& strategy);

}  // namespace pair::train
