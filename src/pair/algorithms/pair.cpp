#include "pair/algorithms/recipes.h"

// PAIR-o, the paper's method: its settings are the defaults of train::Settings.

namespace pair::algorithms {

AlgorithmEntry pair() {
  AlgorithmEntry entry{
      .name = "pair",
      .summary = "PAIR-o: erm, irmv1 and vrex weighed by a multi-objective solver (the paper's method)"};
  // The extrapolation example has minibatches, too. Solver and preference are those with low validation
  // errors on both of its samplings (docs/results/extrapolation_*.json).
  entry.defaults = {
      {"extrapolation", {{"pretrain", "750"}, {"solver", "epo_smooth"}, {"preference", "1,1e8,1e4"}}},
      {"domainbed", {{"pretrain", "500"}}}};
  // Minibatches (docs/minibatches.md): EPO's vertices do not survive noise, and neither does a long step. The
  // same on DomainBed's digits, where a third of the steps is ERM's, the rate follows lr, which its sweeps draw,
  // and the balance phase is so long that it would end in noise.
  entry.defaults.push_back({.where = "digits",
                            .settings = {{"pretrain", "1667"},
                                         {"lr_end", "0.1"},
                                         {"solver", "chebyshev_smooth"},
                                         {"refresh", "true"},
                                         {"balance_lr_ratio", "0.05"},
                                         {"hold_at_noise", "true"},
                                         {"decay", "cosine"},
                                         {"track", "10"},
                                         {"irmv1_unbiased", "false"}},
                            .pretrain_thirds = 1});
  entry.defaults.push_back({.where = "cmnist",
                            .settings = {{"steps", "1500"},
                                         {"pretrain", "1000"},
                                         {"lr_end", "0.1"},
                                         {"solver", "chebyshev_smooth"},
                                         {"balance_optimizer", "adam"},
                                         {"refresh", "true"},
                                         {"balance_lr", "5e-5"},
                                         {"track", "10"}},
                            .minibatches = true,
                            .pretrain_thirds = 2});
  entry.drawn = {
      {"cmnist", "pretrain", base::Choice{{"0", "50", "100", "150", "200", "250"}}, appendix_f1},
      {"cmnist", "balance_lr", base::Choice{{"0.01", "0.1"}}, appendix_f1},
      {"extrapolation", "preference",
       base::Choice{{"1,1e4,1e16", "1,1e4,1e12", "1,1e6,1e8", "1,1e8,1e4", "1,1e4,1e4", "1,1e8,1e8"}},
       appendix_c3},
      {"domainbed", "pretrain", annealing, as_irm, "digits"},
  };
  entry.manual = {
      .formula =
          "steps 1 to pretrain:  erm + l2 |theta|^2\n"
          "afterwards:           sum_i a_i L_i,   a = solver(L, C, preference),  C_ij = <grad L_i, grad L_j>",
      .cited = {"Y. Chen, K. Zhou, Y. Bian, B. Xie, B. Wu, Y. Zhang, H. Yang, K. Ma, P. Zhao, B. "
                "Han and J. Cheng, \"Pareto Invariant Risk Minimization: Towards Mitigating the "
                "Optimization Dilemma in Out-of-Distribution Generalization\", ICLR 2023",
                "D. Mahapatra and V. Rajan, \"Multi-Task Learning with User Preferences: Gradient "
                "Descent with Controlled Ascent in Pareto Optimization\", ICML 2020"},
      .advice =
          "Use it when you want the invariance objectives without searching for penalty weights: the solver "
          "finds the weights at every step, and the preference (1, 1e10, 1e12) works for both ColoredMNIST "
          "datasets of the paper. The length of the pretraining and, for other data or objectives, the "
          "preference and `balance_lr` remain to be chosen ([practice](../practice.md)). `objectives` "
          "replaces the objectives, `solver` the solver."};
  return entry;
}

}  // namespace pair::algorithms
