#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/paper/table.h"

// The paper's generality studies on ColoredMNIST (Appendix F.2): IRMv1 combined with other objectives, under
// the linear scheme, under PAIR-o, and under PAIR-o with PAIR-s choosing the step.
//
// As in the paper, the linear scheme's result is the best over penalty weights (10 to 1e5) and steps of
// annealing (0 to 250) on the test data, and PAIR-o's the best over five learning rates of the balance phase,
// which do not decay. The linear scheme has the settings of the paper's release (release_settings.h). PAIR-o
// has rows with the guarded step and, as in Table 1, with the paper's step; and with the paper's step and
// SEPO, a solver that the release has for "unrobust OOD objectives" but none of its programs selects.
//
// PAIR-s is the release's: in each run, the step that it chooses takes the place of the last one. One row has
// the release's preference for three, four or five losses, another PAIR-o's own. DomainBed's form of PAIR-s,
// which also chooses among learning rates without the test data, is a further row. All use training accuracy
// for their bar, because these runs have no held-out data.
//
// Unlike in the paper, the search over the linear scheme's settings may have fewer seeds than the result.

namespace pair::paper {

struct GeneralityRequest {
  std::vector<std::string> objectives = {};  // of Table 6; empty: all
  std::vector<std::uint64_t> seeds = {};
  base::Assignments common = {};  // settings common to all runs
  std::size_t search_seeds = 0;   // the first seeds by which the linear scheme's settings are chosen; 0: all
  double percentile = 0.5;        // the bar of DomainBed's form of PAIR-s; 0: none
  // The rows of one scheme alone: a table of thousands of runs can be made in parts. ERM, IRMv1 and the
  // oracle belong to the linear scheme; pair is PAIR-o with the guarded step, plain with the paper's, sepo
  // with the paper's and SEPO.
  enum class Rows { all, linear, pair, plain, sepo };
  Rows rows = Rows::all;
};

// ib, vrex, fishr, clove, iga, sd.
std::vector<std::string> generality_objectives();

// Table 6: each objective alone, with IRMv1, with PAIR-o, and with PAIR-o and PAIR-s; and ERM, IRMv1 and the
// oracle for comparison. Preferences as in the paper. Throws std::invalid_argument for an unknown objective.
Table table6(const GeneralityRequest& request);

// Table 7: IRMv1 with every combination of IB, V-REx and Fishr; and ERM, IRMv1 and the oracle for comparison.
// Preferences decrease from 1e12 by factors of 100 in the order Fishr, V-REx, IRMv1, IB of those present; IB
// or Fishr alone with IRMv1 have those of Table 6.
Table table7(const GeneralityRequest& request);

}  // namespace pair::paper
