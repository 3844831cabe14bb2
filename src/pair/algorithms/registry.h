#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/base/distribution.h"
#include "pair/base/manual.h"
#include "pair/train/settings.h"

// Algorithms by name. Most are objectives under fixed penalties or under a solver, that is, a list of
// settings; some have their own update. An algorithm is one source file in this folder with its defaults, the
// settings that a sweep draws, its name in DomainBed, the losses for PAIR-s and, if it has one, its update;
// registry.cpp has one line for it. CONTRIBUTING.md shows a complete example.

namespace pair::algorithms {

// Settings that the algorithm changes, everywhere or on some datasets.
struct Defaults {
  std::string where;  // a dataset's protocol or variant (data/registry.h); empty: everywhere
  base::Assignments settings;
  bool minibatches = false;  // only where steps take a part of the data: a dataset in memory with batch > 0
  // If a user gives steps but not pretrain: this many thirds of the steps are pretrain steps, rounded up. 0:
  // as in settings. 0 to 3
  int pretrain_thirds = 0;
};

// A setting that a random search draws.
struct Drawn {
  std::string where;  // a dataset's protocol
  std::string setting;
  base::Distribution distribution;
  std::string source;       // where it comes from: "DomainBed"
  std::string except = {};  // a variant of the protocol that does not draw it
  // Its names in DomainBed, if they differ from the setting's. A list has one name per number. If a single
  // number has several names, DomainBed draws several numbers in the same way, and the setting takes the
  // first.
  std::vector<std::string> domainbed = {};
  // The distribution of Appendix F.1 of the paper, if it differs; 'pair sweep --search paper' draws from it.
  std::optional<base::Distribution> paper = {};
};

struct AlgorithmEntry {
  std::string name;
  std::string summary;         // one line
  std::string domainbed = {};  // its name in DomainBed; empty: DomainBed does not have it
  // DomainBed's names of `lr` and `l2` for this algorithm, if they differ from "lr" and "weight_decay".
  base::Assignments domainbed_names = {};

  // Applied in order; those of a dataset's variant come last. Settings that a run does not
  // have, such as an option of an objective that it does not minimise, are ignored.
  std::vector<Defaults> defaults = {};
  std::vector<Drawn> drawn = {};

  // The losses that PAIR-s reads, as lists of keys of records: it takes the first list that a run has. An
  // empty list means that PAIR-s does not apply. Without lists it reads all objectives of the run. Records
  // contain this, noisy_losses and domainbed, so that 'pair select' has no list of algorithms.
  std::vector<std::vector<std::string>> losses = {};
  // Whether its losses are too noisy to compare runs by, so that validation accuracy decides (Appendix G.2).
  bool noisy_losses = false;

  train::OwnUpdate update = {};  // with a `make` where the algorithm has an update of its own

  // For its page in docs/algorithms. The page derives the formula of a penalised sum, and cites the works of
  // its objectives as well.
  base::Manual manual = {};
};

// All of them, in the order in which they are listed to users.
const std::vector<AlgorithmEntry>& algorithms();

// Adds an algorithm that is not part of this library (cli/extensions.h). Call it before anything else uses
// the list. Throws std::invalid_argument for a name that exists already, std::logic_error if the list has
// been used.
void add_algorithm(AlgorithmEntry entry);

// The algorithm of that name, in any case, or of DomainBed's (IRM is irmv1, IB_ERM is ib-erm). Throws
// std::invalid_argument that names the nearest and lists them all.
const AlgorithmEntry& algorithm_named(std::string_view name);

}  // namespace pair::algorithms
