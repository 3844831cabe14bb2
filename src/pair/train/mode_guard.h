#pragma once

#include <torch/nn/module.h>

#include <memory>
#include <utility>
#include <vector>

// Puts a network into training or evaluation mode while this object lives; then restores the mode of every
// module. A network whose root already has the mode is left unchanged, so that modules with a deliberately
// different mode (a frozen BatchNorm) keep it.

namespace pair::train {

enum class Mode { training, evaluation };

class ModeGuard {
 public:
  ModeGuard(torch::nn::Module& network, Mode mode) : network_(network), was_training_(network.is_training()) {
    const bool training = mode == Mode::training;
    if (was_training_ == training) {
      return;
    }
    for (const auto& module : network.modules(/*include_self=*/false)) {
      before_.emplace_back(module, module->is_training());
    }
    network.train(training);
  }
  // Parents come first, and train() also sets children, so their mode is restored last.
  ~ModeGuard() {
    if (network_.is_training() != was_training_) {
      network_.train(was_training_);
      for (const auto& [module, training] : before_) {
        module->train(training);
      }
    }
  }
  ModeGuard(const ModeGuard&) = delete;
  ModeGuard& operator=(const ModeGuard&) = delete;

 private:
  torch::nn::Module& network_;
  bool was_training_;
  std::vector<std::pair<std::shared_ptr<torch::nn::Module>, bool>> before_;
};

}  // namespace pair::train
