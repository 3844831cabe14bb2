#pragma once

#include <span>
#include <string>
#include <string_view>

#include "pair/base/assignment.h"

// The settings in which the paper's public release (github.com/LFhase/PAIR) differs from the defaults of
// 'pair train' on ColoredMNIST, under the linear scheme. The recipes of the paper's tables and figures have
// them.
//
//   sums              risks are summed over environments in V-REx, IRM, IGA, SD, Fishr and CLOvE, and so are
//                     the penalties of the last four. (ERM's risk and IRMv1's penalty are means.)
//   annealed_divisor  SD's loss is divided by 500 after annealing (its lr_s2_decay).
//   fishr_centred     Fishr's second moments are not centred, and have no moving average.
//   batch, l2         CLOvE's risk and penalty come from the same 512 samples per environment, without an L2
//                     term. The release takes them from a permutation of the data; here they are drawn with
//                     replacement.
//
// The release's L2 term for Fishr leaves out the head; here it has all parameters.

namespace pair::paper {

// The settings of a run with these objectives under the linear scheme; the first is erm. Empty for ERM alone.
base::Assignments release_settings(std::span<const std::string> objectives);

// The release's step of PAIR-o, "the paper's step" of tables: a constant learning rate and momentum that is
// never dropped; no step is undone; where EPO's program has no solution, the weights are the preference.
// solver: epo, or sepo, which has no option for the last.
base::Assignments release_step(std::string_view solver = "epo");

}  // namespace pair::paper
