#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pair/data/input_form.h"
#include "pair/data/loader.h"
#include "pair/data/source.h"
#include "pair/data/task_loss.h"

// Data as training sees it: a handful of environments, each a distribution over inputs and labels. A set is
// either resident (its environments are tensors) or streamed (they are lists of a source's samples, which are
// read while the run trains).

namespace pair::data {

struct Environment {
  std::string key;  // what its scores are called in records: "env0_in" becomes "env0_in_acc"
  // [n, ...]: float, or bytes that stand for byte / 255, a quarter of the size; see as_numbers.
  torch::Tensor inputs;
  torch::Tensor labels;  // [n]: float for binary and regression tasks, int64 for classes
  bool test = false;     // whether it counts for the worst test accuracy
  // In a streamed set, instead of the tensors above: which of the source's samples it has, at least one.
  std::vector<std::size_t> samples = {};
};

// Inputs as a model takes them. Bytes are best kept as they are and made numbers a batch at a time.
inline torch::Tensor as_numbers(const torch::Tensor& inputs) {
  return inputs.scalar_type() == torch::kByte ? inputs.to(torch::kFloat).div_(255.0) : inputs;
}

// Environments' tensors one after another: [n_1, ...], [n_2, ...], ... -> [n_1 + n_2 + ..., ...]. Where they
// are neighbours in one tensor already, that part of it, not a copy.
torch::Tensor joined(const std::vector<torch::Tensor>& parts);

struct EnvironmentSet {
  std::string name;
  TaskLoss loss = TaskLoss::binary_cross_entropy;
  std::int64_t outputs = 1;  // logits an input: 1 for binary and regression tasks, else the classes
  std::vector<Environment> train;
  std::vector<Environment> held_out;  // scored, never trained on

  // Of a streamed set alone. Labels are the source's; inputs are bytes [3, rows, columns]. Training on it
  // needs minibatches.
  std::shared_ptr<const Source> source = {};
  LoaderOptions loading = {};
  // What a person should know about the data, a sentence each: files that were passed over.
  std::vector<std::string> notices = {};

  // What a trained model is used with later. The names of the classes by label, two for binary tasks; empty:
  // the numbers are their names, or it is a regression.
  std::vector<std::string> classes = {};
  // How files become inputs. Without a kind, inputs that are vectors are read as numbers.
  InputForm input = {};

  [[nodiscard]] bool streamed() const { return source != nullptr; }
};

// The shape of one sample's inputs: [size] or [channels, rows, columns]. set.train must not be empty.
std::vector<std::int64_t> input_shape(const EnvironmentSet& set);

// The same data on a device, inputs as numbers, where each kind of tensor is one allocation that the
// environments are parts of, so that all runs on the device can share it. A streamed set is returned as it
// is: its batches are moved one at a time.
EnvironmentSet on_device(const EnvironmentSet& set, torch::Device device);

}  // namespace pair::data
