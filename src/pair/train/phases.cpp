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
  if (settings_->scheme == Scheme::own) {
    return Change::own_update;
  }
  return settings_->refresh ? Change::fresh_update : Change::none;
}

double Phases::lr(Phase phase, std::int64_t step) const {
  return rate_of(phase, step) * factor(step);
}

double Phases::factor(std::int64_t step) const {
  const std::int64_t warmup = settings_->warmup;
  if (step < warmup) {
    return static_cast<double>(step + 1) / static_cast<double>(warmup);
  }
  if (settings_->schedule == Decay::none) {
    return 1.0;
  }
  if (settings_->schedule == Decay::step) {
    const std::int64_t reductions = (step - warmup) / settings_->schedule_every;
    return std::pow(settings_->schedule_factor, static_cast<double>(reductions));
  }
  const double passed = static_cast<double>(step - warmup) / static_cast<double>(settings_->steps - warmup);
  return 0.5 * (1.0 + std::cos(std::numbers::pi * passed));
}

double Phases::rate_of(Phase phase, std::int64_t step) const {
  // From 1 to 0 over the steps after pretrain.
  const auto cosine = [this, step] {
    const auto taken = static_cast<double>(step - settings_->pretrain);
    const auto all = static_cast<double>(settings_->steps - settings_->pretrain);
    return 0.5 * (1.0 + std::cos(std::numbers::pi * taken / all));
  };
  if (phase == Phase::balance) {
    const double start = settings_->balance_lr_ratio > 0.0 ? settings_->balance_lr_ratio * settings_->lr
                                                           : settings_->balance_lr;
    return start * (settings_->decay == Decay::cosine ? cosine() : 1.0);
  }
  if (step < settings_->pretrain) {
    const double passed = static_cast<double>(step) / static_cast<double>(settings_->pretrain);
    return settings_->lr * (1.0 - (1.0 - settings_->lr_end) * passed);
  }
  const bool annealed = settings_->scheme == Scheme::linear && settings_->annealed_lr > 0.0;
  return annealed ? settings_->annealed_lr * cosine() : settings_->lr;
}

UpdateOptions Phases::descent_update() const {
  if (settings_->optimizer == Optimizer::sgd) {
    return {UpdateOptions::Rule::sgd, settings_->descent_momentum, /*restart=*/false};
  }
  return adam();
}

UpdateOptions Phases::adam() const {
  UpdateOptions options;
  options.amsgrad = settings_->amsgrad;
  return options;
}

std::optional<UpdateOptions> Phases::balance_update() const {
  if (settings_->balance_optimizer == Optimizer::sgd) {
    return UpdateOptions{UpdateOptions::Rule::sgd, settings_->momentum, settings_->restart};
  }
  if (settings_->freeze_featurizer || settings_->refresh || settings_->optimizer == Optimizer::sgd) {
    return adam();
  }
  return std::nullopt;
}

}  // namespace pair::train
