#pragma once

#include <torch/serialize.h>
#include <torch/types.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

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

// The same of numbers that are on the host, by name. Numbers that are not finite, as those that an algorithm
// does not know yet, do not count.
class NamedMeans {
 public:
  using Named = std::vector<std::pair<std::string, double>>;

  void add(const Named& losses);  // always the same names
  Named take();                   // NaN for a name without a number

  void save(torch::serialize::OutputArchive& archive) const;
  void load(torch::serialize::InputArchive& archive);

 private:
  Named sums_;
  std::vector<double> counts_;
};

}  // namespace pair::train
