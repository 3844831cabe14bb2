#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pair/runs/run_spec.h"
#include "pair/sweep/distribution.h"

// The random search: which settings of an algorithm on a dataset are drawn, from what, and what they are in
// the run that is not drawn.

namespace pair::sweep {

// Where DomainBed's program and the table in Appendix G.2 of the paper differ, whose word counts: the
// learning rate of small images is 10^Uniform(-4.5, -2.5) in the program and 10^Uniform(-4.5, -3.5) in the
// table.
enum class Search { domainbed, paper };
std::string_view to_string(Search search);
// Throws std::invalid_argument that lists the names.
Search search_named(std::string_view name);

struct Hparam {
  std::string key;            // a setting of the run
  std::string default_value;  // the algorithm's own on the dataset, as it is typed
  base::Distribution distribution;
  std::string source;  // who says so
};

// The learning rates, and what the dataset's protocol, the algorithm and its options declare. On DomainBed's
// datasets these are DomainBed's (domainbed/hparams_registry.py) and what the paper adds; on the paper's own
// ColoredMNIST what Appendix F.1 searches; on the extrapolation example, Appendix C.3. Throws
// std::invalid_argument for unknown names.
std::vector<Hparam> hparams_of(std::string_view dataset, std::string_view algorithm,
                               Search search = Search::domainbed);
// The same for runs whose objectives, solver or model are others than the algorithm's own.
std::vector<Hparam> hparams_of(const runs::RunSpec& spec, Search search = Search::domainbed);

// DomainBed's for its small images, whatever the spec's dataset.
std::vector<Hparam> domainbed_hparams(const runs::RunSpec& spec, Search search = Search::domainbed);

// What the hyperparameters are in a run: the defaults for hparams_seed 0, else drawn from the two seeds, each
// setting from a stream of its own, so that one more setting does not move the others.
std::vector<runs::Override> draw_hparams(const std::vector<Hparam>& hparams, std::int64_t hparams_seed,
                                         std::uint64_t trial_seed);

}  // namespace pair::sweep
