#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/options.h"
#include "pair/data/measuring.h"

// Everything that decides a training run besides its data and its seed. A value type; defaults are those of
// the paper's ColoredMNIST experiments with PAIR-o's guarded step. Ranges are stated once, in settings.cpp.
// Options of a single objective, solver, model or algorithm are declared next to it and stored here as
// base::Options.

namespace pair::train {

class Algorithm;
class StepStrategy;    // strategy.h
struct Learner;        // learner.h
struct UpdateContext;  // algorithm.h

// How the direction of a step is computed.
enum class Scheme {
  linear,  // mean risk (or sum, see `sums`) + l2 |theta|^2 + penalty * (other objectives), annealed
  pair,    // PAIR-o: ERM alone for `pretrain` steps, then the weights of a multi-objective solver
  own      // the algorithm's own update (algorithm.h), with erm as the only objective
};

// An algorithm's own update, declared in the algorithm's file: an Algorithm or, for updates that record their
// work on a device, a StepStrategy.
struct OwnUpdate {
  std::string name = {};  // the algorithm's name: "dann"
  bool compares = false;  // whether it compares environments: with one training environment it has no effect
  bool remembers_environments = false;  // whether it keeps state per environment: each step needs them all
  bool reads_penalty = false;           // whether it uses the run's penalty
  base::Options options = {};
  std::function<std::unique_ptr<Algorithm>(const UpdateContext&)> make = {};
  // The learner and the settings of the context outlive the strategy.
  std::function<std::unique_ptr<StepStrategy>(Learner&, const UpdateContext&)> make_strategy = {};

  [[nodiscard]] bool defined() const { return make || make_strategy; }
};

// The parameters whose gradients the solver uses (the subscripts of PAIR-o in Table 1).
enum class GradientSource {
  head,        // w: the classifier, the default and the cheapest
  featurizer,  // phi
  all          // f
};

enum class Decay { none, cosine, step };

// The arithmetic of a step's network.
enum class Precision {
  fp32,
  tf32,  // matrix products and convolutions in TF32, on CUDA devices; fp32 elsewhere
  // The featurizer in bfloat16, as PyTorch's autocast does (precision.h), on CPUs and CUDA devices.
  // Parameters and their updates, BatchNorm's statistics, features, head, losses and scores are in 32 bits:
  // fp32, or TF32 for products on CUDA devices.
  bf16
};

// The optimizer of a phase. In PAIR-o's balance phase, the paper has SGD with momentum on ColoredMNIST, and on the
// extrapolation example the Adam of the descent phase, which continues.
enum class Optimizer { sgd, adam };

struct Settings {
  // The method.
  Scheme scheme = Scheme::pair;
  std::vector<std::string> objectives = {"erm", "irmv1", "vrex"};  // the first is erm
  std::int64_t steps = 501;
  std::int64_t pretrain = 150;    // steps of ERM (pair, own) or with penalty 1 (linear) at the beginning
  std::int64_t batch = 0;         // samples per environment and step, drawn with replacement; 0: all
  std::int64_t environments = 0;  // environments per step, drawn without replacement; 0: all
  // Parts that a step's batch goes through the featurizer in, so that only one part's activations are in
  // memory (step_network.h). The step is the same, except that BatchNorm normalises each part by itself.
  std::int64_t accumulate = 1;
  // Steps over which the moments of each environment are averaged (tracked_moments.h), for minibatches of all
  // environments; 1: the batch's own moments.
  double track = 1.0;
  // The share of each environment's samples that measures the moments of a step while the others give its
  // gradient (data/measuring.h), for objectives that are functions of moments; with minibatches, of each
  // batch too. 0: all samples do both.
  double measure_share = 0.0;
  std::int64_t measure_rotate = 0;  // steps after which other samples measure; 0: always the same
  double lr = 1e-3;     // learning rate, in the linear scheme, PAIR-o's descent phase and own updates
  double lr_end = 1.0;  // fraction of lr at the end of the pretrain steps; lr falls linearly to it
  // Steps over which the learning rate rises linearly from 0, and how it falls after them, over the whole
  // run: as a cosine to 0, by a factor at regular intervals (torch's StepLR), or not. Both multiply the rates
  // of all phases.
  std::int64_t warmup = 0;
  Decay schedule = Decay::none;
  std::int64_t schedule_every = 1000;  // steps between two reductions of schedule step
  double schedule_factor = 0.96;       // what each reduction multiplies by
  bool amsgrad = false;  // Adam divides by the largest mean of squares so far (Reddi et al. 2018)
  // Factor of the sum of squared parameters in the linear scheme, in PAIR-o's pretrain steps and in own
  // updates; not in the balance phase.
  double l2 = 1e-3;
  // The share of the run's last steps whose weights are averaged (averaged_weights.h): scores, records and
  // the saved model are then of the average. 0: no averaging.
  double average = 0.0;

  // Whether records have scores of the samples that are trained on. No criterion of selection needs them if there are
  // held-out samples, and they are most of the samples that a record reads.
  bool score_train = true;

  // The linear scheme. The whole loss is divided by the largest lambda if that is above 1.
  double penalty = 1.0;  // lambda after annealing
  // One lambda per objective after erm, in place of penalty; empty: penalty for all. An objective with lambda
  // 0 is recorded but never minimised, not even before annealing.
  std::vector<double> penalties = {};
  double pretrain_penalty = 1.0;  // lambda before annealing
  // Objectives that are summed over the environments of a step instead of averaged: names separated by
  // commas, or "none". Recorded losses are averages all the same.
  std::string sums = "none";
  // The loss is divided by this after the pretrain steps, if there are any: an Adam that continues then takes
  // shorter steps until it has forgotten the earlier gradients.
  double annealed_divisor = 1.0;
  bool refresh = false;  // a fresh Adam after the pretrain steps, also in PAIR-o's balance phase
  // Learning rate after the pretrain steps, falling as a cosine; 0: lr, constant.
  double annealed_lr = 0.0;
  // Takes the steps of the linear scheme, of PAIR-o's descent phase and of own updates, at rate lr.
  Optimizer optimizer = Optimizer::adam;
  double descent_momentum = 0.0;  // of that SGD
  bool conflict =
      false;  // compare the objectives' gradients (`gradients`) for the record, as PAIR-o always does

  // PAIR-o.
  std::string solver = "epo";                        // see 'pair list solvers'
  std::vector<double> preference = {1, 1e10, 1e12};  // one per objective; empty: estimated ("auto")
  // Weights of the objectives after erm during the pretrain steps; empty: 0, that is, ERM alone.
  std::vector<double> descent_penalties = {};
  Optimizer balance_optimizer = Optimizer::sgd;
  double balance_lr = 0.2;  // learning rate in the balance phase
  // That learning rate as a fraction of lr, so that it follows lr in a search; 0: balance_lr.
  double balance_lr_ratio = 0.0;
  double momentum = 0.9;  // SGD's momentum
  bool restart = true;    // drop the momentum if the new direction opposes it
  // Undo steps that raise the loss that they should lower. Only if the losses of two steps can be compared:
  // not with minibatches, nor with an objective that draws its own (clove).
  bool backtrack = true;
  // Shorten steps by the share of the weighted losses that is clearly above their noise floors
  // (noise_floor.h). Estimates of a penalty that is 0 are smallest for a network that predicts nothing, and a
  // long balance phase would end there. Has an effect only if moments are averaged over steps (track).
  bool hold_at_noise = false;
  Decay decay = Decay::cosine;  // decay of balance_lr over the balance phase
  GradientSource gradients = GradientSource::head;
  bool freeze_featurizer = false;  // train only the head after the descent phase

  // The model.
  std::string model = "mlp";  // see 'pair list models'
  // Parameters that are not trained: names, or beginnings of names up to a dot ("conv1,layer1.0"), or "none".
  std::string freeze = "none";
  Precision precision = Precision::fp32;

  // Options of the extensions named above. settle() fills in missing ones.
  base::Options solver_options = {};  // with the defaults of training: moo::training_options_of
  std::map<std::string, base::Options, std::less<>> objective_options = {};  // by objective
  base::Options model_options = {};
  OwnUpdate update = {};  // of Scheme::own

  [[nodiscard]] data::Measuring measuring() const { return {measure_share, measure_rotate}; }
};

// The names in settings.sums.
std::vector<std::string> summed_objectives(const Settings& settings);

// The settings that every run has. Names are those of specs and of 'pair train --set'.
const std::vector<base::Field>& settings_fields();

// The meaning of a setting in a scheme, in one line: in PAIR-o, `pretrain` is steps of ERM; in the linear
// scheme, steps with another penalty. The field's summary if the meaning is the same in all.
std::string meaning(const base::Field& field, Scheme scheme);

// Makes the options fit the names: those of objectives, of a solver and of a model that are not named any
// more are dropped, and missing ones get the defaults. Throws std::invalid_argument for unknown names.
void settle(Settings& settings);

// Throws std::invalid_argument that names the setting, the expected values and its value.
void validate(const Settings& settings);

std::string_view to_string(Scheme scheme);
std::string_view to_string(GradientSource source);
std::string_view to_string(Decay decay);
std::string_view to_string(Precision precision);
std::string_view to_string(Optimizer optimizer);

}  // namespace pair::train
