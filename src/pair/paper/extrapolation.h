#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/data/extrapolation_spec.h"
#include "pair/paper/table1.h"
#include "pair/sweep/many_runs.h"

// The extrapolation example (Sec. 3.3 and Appendix C.3; Figures 3 and 16 to 20): does a regression trained on
// two parts of the plane learn what does not depend on where they lie?
//
// Each method runs with every penalty weight or preference that the paper searched, on the first seed; the
// one with the least validation loss (the paper's: the error on points from the whole square, here others
// than those tested on) runs on the other seeds too.

namespace pair::paper {

// erm, irmv1, vrex, irmx, pair, pair_smooth.
std::vector<std::string> extrapolation_methods();

struct ExtrapolationRequest {
  data::ExtrapolationSpec::Sampling sampling = data::ExtrapolationSpec::Sampling::uniform;
  std::vector<std::string> methods = {};               // none: all
  std::vector<std::uint64_t> seeds = {0, 1, 2, 3, 4};  // at least one
  Overrides common = {};                               // settings of every run
  // What is searched, as 'pair train --set' takes it; none: the paper's.
  std::vector<std::string> penalties = {};
  std::vector<std::string> preferences = {};
};

// A method with one of its settings.
struct Candidate {
  std::string setting;  // "penalty 0.1", "preference 1,10000,10000"; empty: the method has none to choose
  runs::RunSpec spec;
};

struct ExtrapolationMethod {
  std::string key;    // "pair"
  std::string label;  // "PAIR-o"
  std::vector<Candidate> candidates;
};

// Throws std::invalid_argument for an unknown method, no seed or a setting that is not accepted.
std::vector<ExtrapolationMethod> extrapolation_candidates(const ExtrapolationRequest& request);

// Runs what is missing, below root, jobs at a time, and measures the trained models:
//   {"name", "sampling", "seeds", "frequency", "paper": {"mse"}, "methods": [{"method", "label", "setting",
//     "candidates": [{"setting", "validation_mse", "invariance"}], "validation_mse", "mse", "invariance"
//     (each {"mean", "deviation", "values"}), "map": {"low", "high", "side", "values"}}]}
// invariance is the mean over x1 in [-2, 2] of the deviation of the prediction over x2 in [-4, 4]: 0 where
// the prediction does not depend on x2. map has the first seed's predictions, row by row from the least x2,
// in a square of side x side points. Where it was stopped, null. A run that fails throws
// std::runtime_error.
nlohmann::json extrapolation(const ExtrapolationRequest& request, const std::filesystem::path& root,
                             std::size_t jobs, const sweep::ManyRunsHooks& hooks = {});

std::string extrapolation_text(const nlohmann::json& result);

}  // namespace pair::paper
