#pragma once

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/data/extrapolation_spec.h"
#include "pair/sweep/many_runs.h"

// The extrapolation example (Sec. 3.3 and Appendix C.3; Figures 4 and 10 to 14): does a regression trained on
// two regions of the plane learn the function that does not depend on the region?
//
// Each method runs with every penalty weight or preference of the search, on the first seed. The
// setting with the smallest validation loss (as in the paper, the error on points of the whole square, here
// different from the test points) also runs on the other seeds.
//
// There are two problems: the one that the paper describes, and that of the notebook in its release, which
// differs (ExtrapolationProblem). Their errors cannot be compared with each other.

namespace pair::paper {

// erm, irmv1, vrex, irmx, pair, pair_smooth.
std::vector<std::string> extrapolation_methods();

enum class ExtrapolationProblem {
  paper,  // Y = sin(X1) + 1; batches of 512 per environment; PAIR-o starts with ERM, the head's gradients for
          // its solver; Adam continues after annealing; penalties from 0.01 to 10
  // Y = sin(2 X1) + 1; batches of 512, 256 per environment, so twice as many steps; PAIR-o starts with ERM
  // and V-REx at weight 1, all parameters' gradients for its solver; linear methods have a fresh Adam after
  // annealing; penalties from 1e-4 to 10; and the notebook's preference (1, 1e12, 1e4) besides the paper's
  // six.
  notebook
};

struct ExtrapolationRequest {
  data::ExtrapolationSpec::Sampling sampling = data::ExtrapolationSpec::Sampling::uniform;
  std::vector<std::string> methods = {};               // empty: all
  std::vector<std::uint64_t> seeds = {0, 1, 2, 3, 4};  // at least one
  base::Assignments common = {};                       // settings common to all runs
  // The values to search, as for 'pair train --set'. Empty: those of the problem.
  std::vector<std::string> penalties = {};
  std::vector<std::string> preferences = {};
  ExtrapolationProblem problem = ExtrapolationProblem::paper;
};

// A method with one of its settings.
struct Candidate {
  std::string
      setting;  // "penalty 0.1", "preference 1,10000,10000"; empty: the method has no searched setting
  runs::RunSpec spec;
};

struct ExtrapolationMethod {
  std::string key;    // "pair"
  std::string label;  // "PAIR-o"
  std::vector<Candidate> candidates;
};

// Throws std::invalid_argument for an unknown method, no seed or an invalid setting.
std::vector<ExtrapolationMethod> extrapolation_candidates(const ExtrapolationRequest& request);

// Runs what is missing below root, `jobs` at a time, and measures the trained models:
//   {"name", "problem", "sampling", "seeds", "frequency", "paper": {"mse"}, "methods": [{"method", "label",
//   "setting",
//     "candidates": [{"setting", "validation_mse", "invariance"}], "validation_mse", "mse", "invariance"
//     (each {"mean", "deviation", "values"}), "map": {"low", "high", "side", "values"}}]}
// invariance is the mean over x1 in [-2, 2] of the standard deviation of the prediction over x2 in [-4, 4]: 0
// if the prediction does not depend on x2. map has the predictions of the first seed on side x side points of
// the square, row by row from the smallest x2. Returns null if it was stopped. Throws std::runtime_error if a
// run fails.
nlohmann::json extrapolation(const ExtrapolationRequest& request, const std::filesystem::path& root,
                             std::size_t jobs, const sweep::ManyRunsHooks& hooks = {});

std::string extrapolation_text(const nlohmann::json& result);

}  // namespace pair::paper
