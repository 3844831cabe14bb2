#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "pair/data/two_bit.h"
#include "pair/moo/solver.h"

// Where optimizers end on the two-bit environments, from random starts. They only see losses and gradients,
// not f_IRM.

namespace pair::paper {

// A predictor after `steps` steps of gradient descent on ERM, at the rate 1 / max l''.
data::two_bit::Odd pretrained(const data::two_bit::Spec& spec, data::two_bit::Odd f, std::size_t steps);

// Gradient descent on ERM + penalty_weight * penalty until convergence, with Barzilai-Borwein step lengths,
// halved until the loss decreases (Armijo). It needs no learning rate and copes with narrow valleys. A
// penalty weight of 0 is ERM.
enum class Penalty { irmv1, vrex };
data::two_bit::Odd descend_linear(const data::two_bit::Spec& spec, Penalty penalty, double penalty_weight,
                                  data::two_bit::Odd f);

// How PAIR-o follows the solver's direction d = sum_i w_i g_i.
enum class PairStep {
  // f -= l (1 - t/T)^2 d / |d|: decaying length l = first_length, independent of |d|.
  decaying,
  // As pair::train does for a network: SGD with momentum 0.9 that restarts when d opposes it, a learning rate
  // with cosine decay, and steps that are undone if they raised the weighted loss.
  guarded
};
std::string_view to_string(PairStep step);
// Throws std::invalid_argument that lists the names for an unknown one.
PairStep pair_step_from(std::string_view name);

struct PairDescent {
  std::vector<double> preference = {1, 1e10, 1e12};  // for ERM, IRMv1, V-REx
  std::size_t steps = 4000;                          // T
  PairStep step = PairStep::decaying;
  double first_length = 0.02;  // for the decaying step
  double learning_rate = 20;   // for the guarded step
};

// PAIR-o on IRMX: (ERM, IRMv1, V-REx) under the solver. Ends early if every gradient has vanished.
data::two_bit::Odd descend_pair(const data::two_bit::Spec& spec, const moo::Solver& solver,
                                const PairDescent& descent, data::two_bit::Odd f);

// The paper's environments by name, square loss: failure {(0.1, 0.11), (0.1, 0.4)}, original {(0.25, 0.1),
// (0.25, 0.2)}. Throws std::invalid_argument that lists the names for an unknown one.
data::two_bit::Spec two_bit_case(std::string_view name);

struct TwoBitOptions {
  std::vector<std::string> cases = {"failure", "original"};
  std::vector<data::two_bit::Loss> losses = {data::two_bit::Loss::square, data::two_bit::Loss::logistic};
  std::size_t starts = 100;  // 1 to 100000
  std::uint64_t seed = 0;
  std::size_t pretrain = 20;  // steps of ERM before each method; 0 to 100000
  // The weights tried for both penalties. The reported one brings the most starts to f_IRM; in a tie, the one
  // that leaves the fewest elsewhere; then the smallest.
  std::vector<double> penalty_weights = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6};
  double epsilon = 1e-4;
  // first_length is for the square loss, whose starts are uniform in [-2, 2]^2. The logistic loss has starts
  // in [-5, 5]^2 and proportionally longer steps.
  PairDescent pair;
};

// Every method from every start:
//   {"name": "two-bit", "starts": 100, "seed": 0, "pretrain": 20, "within": 0.02, "preference": [..],
//    "epsilon": .., "step": "decaying",
//    "cases": [{"case": "failure", "loss": "square", "alpha": 0.1, "betas": [..],
//               "points": {"f_0": [u, v], ..},            predictors that satisfy IRM_S
//               "methods": [{"method": "irmv1",           irmv1, vrex (with ERM), pair_epo, pair_epo_worst
//                            "penalty_weight": 10,        the best, for linear methods
//                            "penalty_weights": [{"penalty_weight": 1, "ends": {..}}, ..],   all of them
//                            "ends": {"f_IRM": 100, "f_1": 0, "f_2": 0, "f_0": 0, "elsewhere": 0},
//                                                         starts that end within 0.02 of each
//                            "median_distance": ..,       of the end from f_IRM
//                            "predictors": [[u, v], ..]}, ..]}, ..]}
// progress, if given, is called with the fraction done. Throws std::invalid_argument for invalid options.
nlohmann::json two_bit(const TwoBitOptions& options = {}, const std::function<void(double)>& progress = {});

std::string two_bit_text(const nlohmann::json& result);

}  // namespace pair::paper
