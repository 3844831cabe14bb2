#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/paper/overrides.h"
#include "pair/paper/table.h"

// The ColoredMNIST experiments of the paper as tables of specs.

namespace pair::paper {

// The methods of Table 1 by key: erm, irmv1, vrex, irmx, pair_f, pair_phi, pair_w, oracle.
std::vector<std::string> table1_methods();

// Table 1: ColoredMNIST and its modified form, worst of the three test environments after the last step.
// Each method runs with its settings of 'pair list algorithms'; PAIR-o with one setting for both datasets.
// The oracle is ERM on the gray twins. No methods named: all. Throws std::invalid_argument for an unknown
// one.
Table table1(std::span<const std::string> methods, std::span<const std::uint64_t> seeds,
             const Overrides& common);

// What the paper does not show: PAIR-o's guarded and plain step over the balance phase's learning rate
// {0.1, 0.2, 0.4} and the steps of ERM before it {150, 200}.
Table robustness(std::span<const std::uint64_t> seeds, const Overrides& common);

}  // namespace pair::paper
