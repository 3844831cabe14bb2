#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/options.h"

// Everything that decides a training run besides its data and its seed. A value; defaults are those of the
// paper's ColoredMNIST experiments with PAIR-o's guarded step. Ranges are stated once, in settings.cpp. What
// belongs to one objective, solver, model or algorithm is declared beside it and held here as base::Options.

namespace pair::train {

class Algorithm;
struct UpdateContext;  // algorithm.h

// How a step's direction is found.
enum class Scheme {
  linear,  // the field's: mean risk + l2 |theta|^2 + penalty * (other objectives), annealed
  pair,    // PAIR-o: ERM alone for `pretrain` steps, then a multi-objective solver's weights
  own      // an update of the algorithm's own (algorithm.h), with no objectives beside erm
};

// An update of an algorithm's own, as the algorithm's file declares it.
struct OwnUpdate {
  std::string name = {};       // the algorithm's: "dann"
  bool compares = false;       // environments with each other: with one to train on it changes nothing
  bool reads_penalty = false;  // weighs something by the run's penalty
  base::Options options = {};
  std::function<std::unique_ptr<Algorithm>(const UpdateContext&)> make = {};
};

// Which parameters' gradients the solver sees (the subscripts of PAIR-o in Table 1).
enum class GradientSource {
  head,        // w: the classifier's, the default and the cheapest
  featurizer,  // phi
  all          // f
};

enum class Decay { none, cosine };

// What takes PAIR-o's steps in the balance phase, and the linear scheme's.
enum class BalanceOptimizer {
  sgd,  // with momentum: the paper's on ColoredMNIST; without, in the linear scheme
  adam  // the descent phase's Adam, which goes on: the paper's on the extrapolation example
};

struct Settings {
  // The method.
  Scheme scheme = Scheme::pair;
  std::vector<std::string> objectives = {"erm", "irmv1", "vrex"};  // the first is erm
  std::int64_t steps = 501;                                        // 1 to 1e9
  std::int64_t pretrain = 150;  // steps of ERM (pair) or with penalty 1 (linear) first; 0 to 1e9
  std::int64_t batch = 0;       // samples per environment and step, drawn with replacement; 0 is all of them
  std::int64_t environments = 0;  // environments per step, drawn without replacement; 0: all
  double lr = 1e-3;               // Adam's, in the linear scheme and PAIR-o's descent phase. (0, 1e3]
  double l2 = 1e-3;               // factor of the sum of squared parameters, wherever Adam runs. [0, 1e3]

  // The linear scheme. The whole loss is divided by the largest lambda where that is above 1.
  double penalty = 1.0;  // lambda after annealing. [0, 1e12]
  // One lambda each for the objectives after erm in place of penalty; empty: penalty for all. An objective
  // whose lambda is 0 is recorded and never weighed, not before annealing either. [0, 1e12]
  std::vector<double> penalties = {};
  double pretrain_penalty = 1.0;                        // lambda before. [0, 1e12]
  bool refresh = false;                                 // a fresh Adam when annealing ends
  BalanceOptimizer optimizer = BalanceOptimizer::adam;  // its learning rate is lr
  bool conflict = false;  // compare the objectives' gradients (`gradients`) for the record, as PAIR-o does

  // PAIR-o.
  std::string solver = "epo";                        // see 'pair list solvers'
  std::vector<double> preference = {1, 1e10, 1e12};  // one per objective; empty: estimated ("auto")
  BalanceOptimizer balance_optimizer = BalanceOptimizer::sgd;
  double balance_lr = 0.2;  // learning rate in the balance phase. (0, 1e3]
  double momentum = 0.9;    // SGD's momentum. [0, 1)
  bool restart = true;      // drop the momentum where the new direction opposes it
  // Take back steps that raise what they were meant to lower. Only where two steps' losses can be compared:
  // not with minibatches, nor with an objective that draws some of its own (clove).
  bool backtrack = true;
  Decay decay = Decay::cosine;  // of balance_lr over the balance phase
  GradientSource gradients = GradientSource::head;
  bool freeze_featurizer = false;  // train the head alone after the descent phase

  // The model.
  std::string model = "mlp";  // see 'pair list models'
  // On CUDA devices, mnist_cnn's steps in 16 bits: a fraction as long as TF32's, sums and parameters in 32
  // bits, gradients scaled into range by a power of two. Elsewhere it changes nothing.
  bool half = false;

  // What the extensions named above declare. settle() fills in what is missing.
  base::Options solver_options = {};  // their defaults are those of training: moo::training_options_of
  std::map<std::string, base::Options, std::less<>> objective_options = {};  // by objective
  base::Options model_options = {};
  OwnUpdate update = {};  // of Scheme::own
};

// The settings that every run has. Names are those of specs and of 'pair train --set'.
const std::vector<base::Field>& settings_fields();

// Makes the options fit the names: those of objectives, of a solver and of a model that are not named any
// more are dropped, and those that are missing become the defaults. Throws std::invalid_argument for names
// that are not known.
void settle(Settings& settings);

// Throws std::invalid_argument that names the setting, what is expected and its value.
void validate(const Settings& settings);

std::string_view to_string(Scheme scheme);
std::string_view to_string(GradientSource source);
std::string_view to_string(Decay decay);
std::string_view to_string(BalanceOptimizer optimizer);

// Factor by which the paper's second heuristic raises the OOD preferences above the estimated ratios.
inline constexpr double auto_preference_raise = 1e2;

// Appendix D.3, heuristic ii: p = (1, 1e2 L_erm / L_2, ...) from losses as they stand (a loss of 0 counts as
// the smallest positive of the others).
std::vector<double> estimate_preference(const std::vector<double>& losses);

}  // namespace pair::train
