#pragma once

#include <torch/serialize.h>
#include <torch/types.h>

#include <cstdint>
#include <vector>

#include "pair/train/algorithm.h"

// Means of losses over the steps since the last record, for runs on minibatches, as in DomainBed: the losses
// of one minibatch are too noisy.

namespace pair::train {

// For losses on a device; nothing is read until the means are taken.
class LossMeans {
 public:
  LossMeans(std::int64_t losses, torch::Device device);

  // The device's part of a step, which can be recorded: adds [m] doubles.
  void add(const torch::Tensor& losses);
  // The host's part.
  void count() { ++steps_; }

  // The means since the last call; empty if there was no step, or a loss was not finite.
  std::vector<double> take();

  void save(torch::serialize::OutputArchive& archive) const;
  void load(torch::serialize::InputArchive& archive);

 private:
  torch::Tensor sums_;  // [m], fixed memory
  std::int64_t steps_ = 0;
};

// The same for an algorithm's losses, which are on the host. Numbers that are not finite, such as losses not
// yet computed, do not count.
class NamedMeans {
 public:
  void add(const NamedLosses& losses);  // always the same names
  std::vector<double> take();  // in their order, NaN if there was no number; empty if there was no step

  void save(torch::serialize::OutputArchive& archive) const;
  void load(torch::serialize::InputArchive& archive);

 private:
  std::vector<double> sums_;
  std::vector<double> counts_;
};

}  // namespace pair::train
