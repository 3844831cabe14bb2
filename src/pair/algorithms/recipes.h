#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pair/algorithms/registry.h"
#include "pair/base/assignment.h"

// Common parts of entries of one kind, and the names of sources.

namespace pair::algorithms {

inline constexpr const char* domainbed = "DomainBed";
inline constexpr const char* as_irm = "as DomainBed's IRM";
inline constexpr const char* appendix_c3 = "the paper's Appendix C.3";
inline constexpr const char* appendix_f1 = "the paper's Appendix F.1";

// DomainBed's distributions for the penalty of IRM and similar algorithms, and for the steps of annealing.
inline const base::Distribution wide_penalty = base::LogUniform{10, -1, 5};
inline const base::Distribution annealing = base::LogUniform{10, 0, 4, true};

// The penalties of Appendix F.1.
inline const base::Distribution f1_penalty = base::Choice{{"10", "100", "1e3", "1e4", "1e5"}};

// Mean risk + penalty * (the other objectives), with penalty 1 for the first pretrain steps. On the
// extrapolation example, the penalty is 1 after 150 epochs of five steps; sweeps there and on the paper's
// ColoredMNIST draw what the paper searches.
AlgorithmEntry penalised(std::string name, std::string summary, const std::string& objectives,
                         const std::string& penalty, std::int64_t pretrain, bool refresh = false);

// DomainBed's default penalty and annealing for small images. Its weights before annealing ends are 1 for IRM
// and V-REx and 0 for Fishr and the information bottleneck; all then start with a fresh Adam.
void on_domainbed(AlgorithmEntry& entry, const std::string& penalty, std::int64_t pretrain,
                  const std::string& pretrain_penalty);

// Adds defaults for minibatches of the paper's ColoredMNIST (docs/minibatches.md): ERM until it is trained,
// with a falling learning rate; then moments averaged over steps, and a fresh Adam at a rate so small that it
// removes only what all samples have in common. penalty: the setting penalty or penalties with its value.
void on_minibatches(AlgorithmEntry& entry, const base::Assignment& penalty);

// Adds a setting that DomainBed draws. Returns it, so that DomainBed's name of it can be added.
Drawn& draw_on_domainbed(AlgorithmEntry& entry, const std::string& setting, base::Distribution distribution,
                         const std::string& source = domainbed);

// The draw of a setting on datasets of a protocol. Throws std::logic_error if the algorithm has none.
Drawn& drawn_of(AlgorithmEntry& entry, const std::string& where, const std::string& setting);

// An algorithm with its own update; `make` as for train::OwnUpdate.
AlgorithmEntry own_update(std::string name, std::string summary, train::OwnUpdate update);

}  // namespace pair::algorithms
