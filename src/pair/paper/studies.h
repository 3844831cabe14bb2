#pragma once

#include <vector>

#include "pair/paper/study.h"

namespace pair::paper {

// Figure 1b: cosine of ERM's gradient with each OOD objective's, by penalty weight.
Study fig_conflict();
// Figures 1d, 5a, 8, 16a, 16b and, with --wide, 17: IRMv1 and IRMX over penalty weights and pretraining, against PAIR-o.
Study fig_sweep();
// Figures 5b and 18: PAIR-o's weights and losses over time, with the three phases.
Study fig_trajectory();
// Figures 5c, 16c and 16d: the losses at convergence, normalised.
Study fig_radar();
// Figures 5d and 19: PAIR-o under other preferences.
Study fig_preference();
// Figure 9: V-REx and IRMv1 as the environments become similar.
Study fig_vrex_failure();
// Figure 20: methods that start from a model trained on gray data.
Study fig_perfect_init();
// Not in the paper: accuracy by batch size, before and after the defaults for minibatches.
Study minibatches();

// All of them, in this order.
std::vector<Study> studies();

}  // namespace pair::paper
