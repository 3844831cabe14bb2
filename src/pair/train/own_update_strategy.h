#pragma once

#include <cstdint>
#include <memory>

#include "pair/train/kept_buffers.h"
#include "pair/train/loss_means.h"
#include "pair/train/strategy.h"

// A method with an update of its own (algorithm.h). The learner's update is there but idle; learning rates
// are the algorithm's own.

namespace pair::train {

class OwnUpdateStrategy : public StepStrategy {
 public:
  // learner must outlive the strategy.
  OwnUpdateStrategy(Learner& learner, std::unique_ptr<Algorithm> algorithm);

  // Where the algorithm throws Diverged, the model's buffers are as they were, as its parameters are.
  void advance(std::int64_t step, double lr) override;
  void settle() override {}
  [[nodiscard]] NamedLosses take_named_losses() override;

  void save(torch::serialize::OutputArchive& archive) const override;
  void load(torch::serialize::InputArchive& archive) override;

 private:
  Learner* learner_;
  std::unique_ptr<Algorithm> algorithm_;
  KeptBuffers buffers_;
  NamedMeans means_;
};

}  // namespace pair::train
