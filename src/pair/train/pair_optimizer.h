#pragma once

#include <torch/optim.h>
#include <torch/types.h>

#include <string>
#include <vector>

#include "pair/base/options.h"
#include "pair/moo/problem.h"
#include "pair/train/guarded_step.h"
#include "pair/train/step_solver.h"

// PAIR-o for your own training loop: any torch optimizer, weighted losses, a guarded step.
//
//     torch::optim::SGD sgd(model->parameters(), torch::optim::SGDOptions(0.1).momentum(0.9));
//     pair::train::PairOptimizer optimizer(sgd, model->head->parameters(), {.preference = {1, 1e10, 1e12}});
//     ...
//     optimizer.step({erm, irmv1, vrex});   // instead of zero_grad, backward, step
//
// The losses are scalars with their graphs, the first one ERM's. Their gradients with respect to the weighed
// parameters (usually the head's: cheap, and recommended by the paper) go to the solver; the gradient of the
// weighted sum goes to every parameter of the optimizer.

namespace pair::train {

struct PairOptions {
  std::vector<double> preference = {};  // one per loss, larger asks for a smaller loss; empty: estimated
  std::string solver = "epo";           // see pair::moo::solvers
  // The solver's options, such as moo::options_of("epo", {{"epsilon", "0.2"}}); empty: its defaults in
  // training.
  base::Options solver_options = {};
  bool restart = true;    // drop the momentum if the new direction opposes it
  bool backtrack = true;  // undo a step that raised a loss that it should lower
  // The network's buffers (model->buffers()), if it has any: they are restored with the parameters if a step
  // is refused or undone. Otherwise the BatchNorm statistics of a refused step would remain.
  std::vector<torch::Tensor> buffers = {};
};

class PairOptimizer {
 public:
  // optimizer must outlive this object. Throws std::invalid_argument for an unknown solver, a value out of
  // range or an empty list of parameters.
  PairOptimizer(torch::optim::Optimizer& optimizer, std::vector<torch::Tensor> weighed_parameters,
                const PairOptions& options = {});

  // One step. Returns the weights with divergence and phase. If a loss or gradient is not finite, or the
  // losses show that the last step was too long, that step is undone instead and the weights are empty.
  // Throws Diverged after ten of those in a row, and moo::InvalidProblem for invalid losses (negative, wrong
  // number).
  moo::Solution step(const std::vector<torch::Tensor>& losses);

  [[nodiscard]] const GuardState& guard() const { return guard_.state(); }
  [[nodiscard]] const std::vector<double>& preference() const { return solver_.state().preference; }

 private:
  torch::optim::Optimizer* optimizer_;
  std::vector<torch::Tensor> weighed_;
  StepSolver solver_;
  GuardedStep guard_;
  bool backtrack_;
};

}  // namespace pair::train
