#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pair/paper/table.h"
#include "pair/paper/table1.h"

// The paper's generality studies on ColoredMNIST (Appendix F.2): IRMv1 combined with other objectives, under
// the linear scheme, under PAIR-o, and under PAIR-o with PAIR-s choosing among runs and steps.
//
// As in the paper, the linear scheme's result is the best over a range of penalty weights on the test data,
// and PAIR-o's the best over five learning rates of the balance phase, which do not decay; PAIR-s chooses
// without the test data. Unlike in the paper, the number of steps before annealing is not searched (it is
// that of Table 1), and nothing is searched for ERM and IRMv1. PAIR-s's bar uses training accuracy, because
// these runs have no held-out data.

namespace pair::paper {

// ib, vrex, fishr, clove, iga, sd.
std::vector<std::string> generality_objectives();

// Table 6: each objective alone, with IRMv1, with PAIR-o, and with PAIR-o and PAIR-s; and ERM, IRMv1 and the
// oracle for comparison. Preferences as in the paper. `objectives` empty: all. Throws std::invalid_argument
// for an unknown one.
Table table6(std::span<const std::string> objectives, std::span<const std::uint64_t> seeds,
             const Overrides& common);

// Table 7: IRMv1 with every combination of IB, V-REx and Fishr; and ERM, IRMv1 and the oracle for comparison.
// Preferences decrease from 1e12 by factors of 100 in the order Fishr, V-REx, IRMv1, IB of those present; IB
// or Fishr alone with IRMv1 have those of Table 6.
Table table7(std::span<const std::uint64_t> seeds, const Overrides& common);

}  // namespace pair::paper
