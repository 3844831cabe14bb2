#include "pair/train/phases.h"

#include <cmath>
#include <numbers>

namespace pair::train {

Phases::Change Phases::before(std::int64_t step) const {
  if (step != settings_->pretrain) {
    return Change::none;
  }
  if (settings_->scheme == Scheme::pair) {
    return Change::balance;
  }
  return settings_->refresh ? Change::fresh_update : Change::none;
}

double Phases::lr(Phase phase, std::int64_t step) const {
  if (phase == Phase::descent) {
    return settings_->lr;
  }
  double value = settings_->balance_lr;
  if (settings_->decay == Decay::cosine) {
    const auto taken = static_cast<double>(step - settings_->pretrain);
    const auto all = static_cast<double>(settings_->steps - settings_->pretrain);
    value *= 0.5 * (1.0 + std::cos(std::numbers::pi * taken / all));
  }
  return value;
}

UpdateOptions Phases::descent_update() const {
  if (settings_->scheme == Scheme::linear && settings_->optimizer == BalanceOptimizer::sgd) {
    return {UpdateOptions::Rule::sgd, /*momentum=*/0.0, /*restart=*/false};
  }
  return {};
}

std::optional<UpdateOptions> Phases::balance_update() const {
  if (settings_->balance_optimizer == BalanceOptimizer::sgd) {
    return UpdateOptions{UpdateOptions::Rule::sgd, settings_->momentum, settings_->restart};
  }
  if (settings_->freeze_featurizer) {
    return UpdateOptions{};
  }
  return std::nullopt;
}

}  // namespace pair::train
