#pragma once

#include "pair/select/pair_s.h"

// PAIR-s with leave-one-domain-out cross-validation, as in the paper's release (it is not in the paper). For
// a test domain t, the runs of one draw of hyperparameters are that with the test domain t and, for every
// training domain v, one with the test domains t and v. At each step, the validation accuracy is the mean
// over v of env{v}_in_acc, and the score the mean over v of -L^T p-hat, both in the runs that leave out v.
// The tenth of the steps with the best validation accuracies is kept (at least one step), and the best score
// chooses among those. Among draws, the validation accuracy chooses.
//
// Unlike in the release, the preference is the same as for the other validations (PairOptions::preference);
// the release has (1e-6, 1).

namespace pair::select {

// The form of pair_s for Validation::leave_one_out; skip and last of the options choose the steps before
// that. By default all steps count.
Selection pair_s_leave_one_out(const History& history, const PairOptions& options);

}  // namespace pair::select
