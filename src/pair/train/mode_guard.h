#pragma once

#include <torch/nn.h>

#include <memory>
#include <utility>
#include <vector>

// A network in training or evaluation mode for as long as this object lives; then every module is in the mode
// it was in before. A network whose root is in the mode already is left alone, so that modules that somebody
// put into another mode on purpose (a frozen BatchNorm) stay in it.

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
  // Parents come first, and train() reaches the children: theirs is set last.
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
