#pragma once

#include <torch/serialize.h>
#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "pair/train/algorithm.h"

// Means of losses over the steps since somebody looked: what a run on minibatches records, as DomainBed does,
// since one minibatch's losses tell little.

namespace pair::train {

// Of losses on a device, which is asked for nothing until the means are taken.
class LossMeans {
 public:
  LossMeans(std::int64_t losses, torch::Device device);

  // The device's part of a step, which can be recorded: adds [m] doubles.
  void add(const torch::Tensor& losses);
  // The host's.
  void count() { ++steps_; }

  // The means since the last time; empty where there was no step, or one with a loss that is not finite.
  std::vector<double> take();

  void save(torch::serialize::OutputArchive& archive) const;
  void load(torch::serialize::InputArchive& archive);

 private:
  torch::Tensor sums_;  // [m], always the same memory
  std::int64_t steps_ = 0;
};

// The same of an algorithm's losses, which are on the host. Numbers that are not finite, as those that it
// does not know yet, do not count.
class NamedMeans {
 public:
  void add(const NamedLosses& losses);  // always the same names
  std::vector<double> take();           // in their order, NaN where there was no number; empty without a step

  void save(torch::serialize::OutputArchive& archive) const;
  void load(torch::serialize::InputArchive& archive);

 private:
  std::vector<double> sums_;
  std::vector<double> counts_;
};

}  // namespace pair::train
