#pragma once

#include <cstdint>
#include <memory>

#include "pair/data/environment.h"
#include "pair/train/kept_buffers.h"
#include "pair/train/loss_means.h"
#include "pair/train/strategy.h"

// An algorithm with its own update (algorithm.h), which gets the learning rate of each step. The learner's
// update is idle meanwhile.

namespace pair::train {

class OwnUpdateStrategy : public StepStrategy {
 public:
  // learner must outlive the strategy.
  OwnUpdateStrategy(Learner& learner, std::unique_ptr<Algorithm> algorithm);

  // If the algorithm throws Diverged, the model's buffers are unchanged, as its parameters are.
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

// The strategy of settings.update: the one that it makes, or an OwnUpdateStrategy of its algorithm. Null for
// schemes that weigh objectives. Throws std::invalid_argument if the update is not defined on the data: a
// regression for cdann or lisa. Learner and settings must outlive the strategy.
std::unique_ptr<StepStrategy> make_own_strategy(Learner& learner, const Settings& settings,
                                                const data::EnvironmentSet& data, std::uint64_t seed);

}  // namespace pair::train
