#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/paper/table.h"

// The ColoredMNIST experiments of the paper as tables of specs.

namespace pair::paper {

// The methods of Table 1 by key: erm, irmv1, vrex, irmx, pair_f, pair_phi, pair_w, the same three with the
// suffix _plain, oracle, optimum, chance.
std::vector<std::string> table1_methods();

// Table 1: ColoredMNIST and its modified form, worst of the three test environments after the last step. Each
// method has the settings of 'pair list algorithms' with the release's linear scheme (release_settings.h).
// PAIR-o has one setting for both datasets; its rows _plain have the paper's step, with a learning rate per
// dataset. The oracle is ERM on the gray twins; optimum and chance are constants. `methods` empty: all.
// Throws std::invalid_argument for an unknown method.
Table table1(std::span<const std::string> methods, std::span<const std::uint64_t> seeds,
             const base::Assignments& common);

// Not in the paper: PAIR-o with the guarded step and with the paper's step, for learning rates {0.1, 0.2, 0.4}
// of the balance phase and {150, 200} steps of ERM before it.
Table robustness(std::span<const std::uint64_t> seeds, const base::Assignments& common);

}  // namespace pair::paper
