#pragma once

#include "pair/cli/command.h"

namespace pair::cli {

// pair paper NAME: the group of the paper's tables and figures, each added by a function like
// add_paper_failure.
CLI::App& add_paper(CLI::App& app);

// The five below, which do not need LibTorch.
void add_paper_theory(CLI::App& paper, Context& context);

// pair paper fig-failure: how IRMv1 fails on two-bit environments.
void add_paper_failure(CLI::App& paper, Context& context);
// pair paper fig-concave: weighted sums and EPO on a concave Pareto front.
void add_paper_concave(CLI::App& paper, Context& context);
// pair paper prop1: Proposition 1 over a grid of environments.
void add_paper_prop1(CLI::App& paper, Context& context);
// pair paper two-bit: where optimizers end on two-bit environments.
void add_paper_two_bit(CLI::App& paper, Context& context);
// pair paper stall: why PAIR-o with plain EPO stops halfway there.
void add_paper_stall(CLI::App& paper, Context& context);

// Those that train: pair paper table1 and the others that need runs.
void add_paper_tables(CLI::App& paper, Context& context);
void add_paper_table3(CLI::App& paper, Context& context);
// pair paper table2 and table5, on WILDS.
void add_paper_wilds(CLI::App& paper, Context& context);
void add_paper_extrapolation(CLI::App& paper, Context& context);
// pair paper fig-conflict, fig-sweep and the other figures of studies.h.
void add_paper_studies(CLI::App& paper, Context& context);

}  // namespace pair::cli
