#pragma once

#include <functional>

#include "pair/runs/evaluation.h"
#include "pair/runs/model_card.h"

namespace pair::data {
struct EnvironmentSet;
}
namespace pair::train {
class Trainer;
}

namespace pair::runs {

// Whether runs on the data are evaluated (evaluation.h): tables, texts and images, which people know by sight. Not
// the digits and points of the paper's experiments, whose samples have no names, so that their runs cost nothing.
bool is_evaluated(const data::EnvironmentSet& data);

// The evaluation of the trainer's model, which the card describes, in one pass over held-out data. The data is the
// trainer's. stop is called during the pass. Throws train::Interrupted if it returns true, and std::runtime_error
// for a file that cannot be read.
Evaluation evaluate(const data::EnvironmentSet& data, const ModelCard& card, train::Trainer& trainer,
                    const std::function<bool()>& stop = {});

}  // namespace pair::runs
