#pragma once

#include <vector>

#include "pair/paper/study.h"

namespace pair::paper {

// Figure 1b: cosine of ERM's gradient with each OOD objective's, by penalty weight.
Study fig_conflict();
// Figures 1d, 4a, 7, 11 and 12: IRMv1 and IRMX over penalty weights and pretraining, against PAIR-o.
Study fig_sweep();
// Figures 4b and 13: PAIR-o's weights and losses over time, with the three phases.
Study fig_trajectory();
// Figures 4c and 11: the losses at convergence, normalised.
Study fig_radar();
// Figures 4d and 14: PAIR-o under other preferences.
Study fig_preference();
// Figure 8: V-REx and IRMv1 as the environments become similar.
Study fig_vrex_failure();
// Figure 15: methods that start from a model trained on gray data.
Study fig_perfect_init();
// Not in the paper: accuracy by batch size, before and after the defaults for minibatches.
Study minibatches();

// All of them, in this order.
std::vector<Study> studies();

}  // namespace pair::paper
