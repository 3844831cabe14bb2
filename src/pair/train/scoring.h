#pragma once

#include <torch/types.h>

#include <functional>
#include <vector>

#include "pair/data/task_loss.h"
#include "pair/models/model.h"
#include "pair/train/batch.h"

namespace pair::train {

// How good the model, in evaluation mode, is on each environment of a batch: the share of right answers, or
// the mean squared error of a regression. Scalars in doubles on the batch's device, which is not waited for;
// no graph is kept. The batch is taken in parts, so that activations stay small. stop is asked before each
// part; throws Interrupted where it says so.
std::vector<torch::Tensor> mean_scores(models::Model& model, const Batch& batch, data::TaskLoss loss,
                                       const std::function<bool()>& stop = {});

}  // namespace pair::train
