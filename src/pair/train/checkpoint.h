#pragma once

#include <torch/serialize.h>

#include <iosfwd>

#include "pair/models/model.h"
#include "pair/train/learner.h"
#include "pair/train/strategy.h"

// What a run's checkpoint holds, and under which key. It is an archive of torch's.
//
//     parameters/, buffers/      the model's tensors by number. Checkpoints from before models had buffers
//     lack the
//                                second
//     objective0/, ...           what each objective remembers
//     draws                      the generator of objectives and algorithms
//     losses, weights, conflict  of the last step
//     numbers                    its loss, and the divergence
//     steps, balancing, feasible, backtracks, backtracking
//     loss_sums, loss_steps      means since the last evaluation
//     update/                    the update's state, the guard's tally in it
//
// and what the strategy adds (its save): preference, weighed_weights, weighed_losses; named_sums,
// named_counts, algorithm/. Minibatches and dropout masks are functions of seed and step, and have no state.
//
// Reading throws std::runtime_error for a checkpoint of another model and c10::Error for other bytes.

namespace pair::train {

// The device has done all steps: the strategy is settled.
void write_checkpoint(std::ostream& out, const Learner& learner, const StepStrategy& strategy);

torch::serialize::InputArchive open_checkpoint(std::istream& in, const DeviceLink& link);

// The phase that the run was in: its strategy and its update must be there before the rest is read.
Phase read_phase(torch::serialize::InputArchive& archive);

// The model alone, in place.
void read_model(torch::serialize::InputArchive& archive, models::Model& model);

// All but the model and the phase.
void read_state(torch::serialize::InputArchive& archive, Learner& learner, StepStrategy& strategy);

}  // namespace pair::train
