#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pair/algorithms/registry.h"
#include "pair/base/assignment.h"
#include "pair/runs/run_spec.h"
#include "pair/sweep/distribution.h"

// The random search: which settings of an algorithm on a dataset are drawn, from which distribution, and
// their defaults in draw 0.

namespace pair::sweep {

// The source that counts where DomainBed's program and the table in Appendix G.2 of the paper differ: the
// learning rate for small images is 10^Uniform(-4.5, -2.5) in the program and 10^Uniform(-4.5, -3.5) in the
// table. On the paper's ColoredMNIST, `paper` is Appendix F.1: a fixed learning rate, and penalties from 10
// to 1e5 for SD, too.
enum class Search { domainbed, paper };
std::string_view to_string(Search search);
// Throws std::invalid_argument that lists the names.
Search search_named(std::string_view name);

// The generator of the draws.
//   domainbed  DomainBed's, where it draws the setting, too: NumPy's, bit for bit (domainbed_registry.h)
//   pair       our own; that of sweeps from before the first was added
enum class Draws { domainbed, pair };
std::string_view to_string(Draws draws);
// Throws std::invalid_argument that lists the names.
Draws draws_named(std::string_view name);

struct Hparam {
  std::string key;            // a setting of the run
  std::string default_value;  // the algorithm's default on the dataset, as typed
  base::Distribution distribution;
  std::string source;  // where it comes from
  // DomainBed's names of what it draws for this setting: one, or one per number of a list; empty: nothing.
  std::vector<std::string> domainbed = {};
  double scale = 1.0;  // of DomainBed's number in the setting's units
};

// The learning rates, and the settings that the dataset's protocol, the algorithm and its options declare. On
// DomainBed's datasets these are DomainBed's (domainbed/hparams_registry.py) and the paper's additions; on
// the paper's ColoredMNIST, our own around those of Appendix F.1; on the extrapolation example, those of
// Appendix C.3. Throws std::invalid_argument for unknown names.
std::vector<Hparam> hparams_of(std::string_view dataset, std::string_view algorithm,
                               Search search = Search::domainbed);
// The same for a run with other objectives, solver or model than the algorithm's: their options are drawn,
// too.
std::vector<Hparam> hparams_of(const runs::RunSpec& spec, Search search = Search::domainbed);

// DomainBed's settings for its small images or, on its datasets of pictures, for those; for any dataset.
std::vector<Hparam> domainbed_hparams(const runs::RunSpec& spec, Search search = Search::domainbed);

// DomainBed's name of a setting that it draws for every algorithm (lr, l2).
std::string domainbed_name(const algorithms::AlgorithmEntry& algorithm, std::string_view setting);

// The hyperparameters of a run: the defaults for hparams_seed 0; otherwise drawn from the two seeds. Each
// setting has its own random stream, so that adding a setting does not change the others.
base::Assignments draw_hparams(const std::vector<Hparam>& hparams, std::int64_t hparams_seed,
                               std::uint64_t trial_seed, Draws draws = Draws::domainbed);

}  // namespace pair::sweep
