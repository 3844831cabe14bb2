#include "pair/train/settings.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "pair/base/numbers.h"
#include "pair/moo/balancer.h"

namespace pair::train {
namespace {

void require(bool good, std::string_view name, double value, std::string_view accepted) {
  if (!good) {
    throw std::invalid_argument(std::string(name) + " is " + base::shown(value) +
                                "; accepted: " + std::string(accepted));
  }
}

void require_count(std::string_view name, std::int64_t value, std::int64_t low, std::int64_t high) {
  if (value < low || value > high) {
    throw std::invalid_argument(std::string(name) + " is " + std::to_string(value) +
                                "; accepted: whole numbers from " + std::to_string(low) + " to " +
                                std::to_string(high));
  }
}

}  // namespace

void validate(const Settings& s) {
  constexpr std::int64_t many = 1'000'000'000;
  require_count("steps", s.steps, 1, many);
  require_count("pretrain", s.pretrain, 0, many);
  require_count("batch", s.batch, 0, many);
  require_count("environments", s.environments, 0, many);
  if (s.environments > 0 && s.batch == 0) {
    throw std::invalid_argument(
        "environments: expected 0 (all) with batch 0, whose steps take all samples, got " +
        std::to_string(s.environments));
  }
  require(s.lr > 0 && s.lr <= 1e3, "lr", s.lr, "above 0, up to 1000");
  require(s.l2 >= 0 && s.l2 <= 1e3, "l2", s.l2, "0 to 1000");
  require(s.penalty >= 0 && s.penalty <= 1e12, "penalty", s.penalty, "0 to 1e12");
  require(s.pretrain_penalty >= 0 && s.pretrain_penalty <= 1e12, "pretrain_penalty", s.pretrain_penalty,
          "0 to 1e12");
  for (const double penalty : s.penalties) {
    require(penalty >= 0 && penalty <= 1e12, "one of the penalties", penalty, "0 to 1e12");
  }
  require_count("d_steps_per_g_step", s.d_steps_per_g_step, 0, 1000);
  require(s.grad_penalty >= 0 && s.grad_penalty <= 1e12, "grad_penalty", s.grad_penalty, "0 to 1e12");
  require(s.lr_d > 0 && s.lr_d <= 1e3, "lr_d", s.lr_d, "above 0, up to 1000");
  require(s.weight_decay_d >= 0 && s.weight_decay_d <= 1e3, "weight_decay_d", s.weight_decay_d, "0 to 1000");
  require(s.beta1 >= 0 && s.beta1 < 1, "beta1", s.beta1, "0 up to, not including, 1");
  require_count("mlp_width", s.mlp_width, 1, 65'536);
  require_count("mlp_depth", s.mlp_depth, 2, 64);
  require(s.mlp_dropout >= 0 && s.mlp_dropout < 1, "mlp_dropout", s.mlp_dropout, "0 up to, not including, 1");
  require(s.mixup_alpha >= 0.1 && s.mixup_alpha <= 1e3, "mixup_alpha", s.mixup_alpha, "0.1 to 1000");
  require(s.epsilon >= 0 && s.epsilon <= 1e300, "epsilon", s.epsilon, "0 to 1e300");
  require(s.balance_lr > 0 && s.balance_lr <= 1e3, "balance_lr", s.balance_lr, "above 0, up to 1000");
  require(s.momentum >= 0 && s.momentum < 1, "momentum", s.momentum, "0 up to, not including, 1");
  if (s.objectives.empty() || s.objectives.front() != "erm") {
    throw std::invalid_argument("objectives begin with '" +
                                (s.objectives.empty() ? "" : s.objectives.front()) +
                                "'; the first must be erm");
  }
  for (std::size_t i = 0; i < s.objectives.size(); ++i) {
    if (std::count(s.objectives.begin(), s.objectives.end(), s.objectives[i]) > 1) {
      throw std::invalid_argument("objective '" + s.objectives[i] + "' is named twice; once is accepted");
    }
  }
  if (s.scheme == Scheme::linear && !s.penalties.empty() && s.penalties.size() + 1 != s.objectives.size()) {
    throw std::invalid_argument("penalties has " + std::to_string(s.penalties.size()) + " values for " +
                                std::to_string(s.objectives.size() - 1) +
                                " objectives after erm; accepted: one each, or equal");
  }
  if (!weighs_objectives(s.scheme) && s.objectives.size() > 1) {
    throw std::invalid_argument("objectives has " + std::to_string(s.objectives.size()) + " names; " +
                                std::string(to_string(s.scheme)) +
                                " has an update of its own and takes erm alone");
  }
  if (s.scheme == Scheme::pair) {
    if (s.objective_options.irmv1_unbiased &&
        s.objective_options.irmv1_negative == objectives::ObjectiveOptions::Negative::keep) {
      throw std::invalid_argument(
          "irmv1_negative is keep; PAIR-o weighs no negative losses and accepts shift and scale");
    }
    if (s.objectives.size() < 2) {
      throw std::invalid_argument("objectives has 1 name; PAIR-o weighs erm against at least one other");
    }
    if (!s.preference.empty() && s.preference.size() != s.objectives.size()) {
      throw std::invalid_argument("preference has " + std::to_string(s.preference.size()) + " values for " +
                                  std::to_string(s.objectives.size()) +
                                  " objectives; accepted: one an objective, or auto");
    }
    for (const double p : s.preference) {
      require(std::isfinite(p) && p > 0, "a preference", p, "finite and positive");
    }
    (void)moo::make_balancer(s.balancer);
  }
}

bool weighs_objectives(Scheme scheme) {
  return scheme == Scheme::linear || scheme == Scheme::pair;
}

std::string_view to_string(Scheme scheme) {
  switch (scheme) {
    case Scheme::linear:
      return "linear";
    case Scheme::pair:
      return "pair";
    case Scheme::dann:
      return "dann";
    case Scheme::cdann:
      return "cdann";
    case Scheme::mixup:
      return "mixup";
  }
  throw std::logic_error("unknown scheme");
}

std::string_view to_string(GradientSource source) {
  switch (source) {
    case GradientSource::head:
      return "w";
    case GradientSource::featurizer:
      return "phi";
    case GradientSource::all:
      return "f";
  }
  throw std::logic_error("unknown gradient source");
}

std::string_view to_string(BalanceOptimizer optimizer) {
  return optimizer == BalanceOptimizer::sgd ? "sgd" : "adam";
}

std::string_view to_string(Decay decay) {
  return decay == Decay::none ? "none" : "cosine";
}

std::vector<double> estimate_preference(const std::vector<double>& losses) {
  double smallest = std::numeric_limits<double>::infinity();
  for (const double loss : losses) {
    if (loss > 0.0) {
      smallest = std::min(smallest, loss);
    }
  }
  if (!std::isfinite(smallest)) {
    throw std::invalid_argument("losses are all 0; a preference cannot be estimated from them");
  }
  std::vector<double> preference(losses.size(), 1.0);
  const double erm = std::max(losses.front(), smallest);
  for (std::size_t i = 1; i < losses.size(); ++i) {
    preference[i] = auto_preference_raise * erm / std::max(losses[i], smallest);
  }
  return preference;
}

}  // namespace pair::train
