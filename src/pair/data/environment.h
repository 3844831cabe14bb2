#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pair/data/input_form.h"
#include "pair/data/loader.h"
#include "pair/data/shown_sample.h"
#include "pair/data/source.h"
#include "pair/data/task_loss.h"

// Training data: a few environments, each a distribution over inputs and labels. A set is either resident
// (environments are tensors) or streamed (environments are lists of a source's samples, which are read during
// training).

namespace pair::data {

struct TableEncoding;  // table_encoding.h

struct Environment {
  std::string key;  // prefix of its scores in records: "env0_in" gives "env0_in_acc"
  // [n, ...]: float, or bytes that represent byte / 255, at a quarter of the size; see as_numbers.
  torch::Tensor inputs;
  torch::Tensor labels;  // [n]: float for binary and regression tasks, int64 for classes
  bool test = false;     // whether it counts for the worst test accuracy
  // The number of each sample, in order. In a streamed set, which has no tensors: its index in the source; at
  // least one. In a resident set: a number by which more_scores and show identify it, such as its row in a
  // file, from 0; may be empty.
  std::vector<std::size_t> samples = {};
  // Whether records have its score. Training environments of large data may be left out, because scoring
  // reads all of their samples.
  bool scored = true;
};

// Inputs as a model expects them. Bytes are best stored as they are and converted batch by batch.
inline torch::Tensor as_numbers(const torch::Tensor& inputs) {
  return inputs.scalar_type() == torch::kByte ? inputs.to(torch::kFloat).div_(255.0) : inputs;
}

// The tensors of several environments, concatenated: [n_1, ...], [n_2, ...], ... -> [n_1 + n_2 + ..., ...].
// If they are already adjacent in one tensor, a view of it, not a copy.
torch::Tensor joined(const std::vector<torch::Tensor>& parts);

struct EnvironmentSet {
  std::string name;
  TaskLoss loss = TaskLoss::binary_cross_entropy;
  std::int64_t outputs =
      1;  // logits per input: 1 for binary and regression tasks, otherwise the number of classes
  std::vector<Environment> train;
  std::vector<Environment> held_out;  // scored, but not used for training

  // Only for a table: how its rows became inputs. A model needs it to encode new rows.
  std::shared_ptr<const TableEncoding> table = {};
  // Lines to show before training: what was found in the data. Empty if there is nothing to show.
  std::string description = {};

  // Only in a streamed set. Labels are the source's; inputs are bytes [3, rows, columns], or numbers
  // (LoaderOptions::numbers). Training requires minibatches.
  std::shared_ptr<const Source> source = {};
  LoaderOptions loading = {};
  // Sentences about the data for the user, such as files that were skipped.
  std::vector<std::string> notices = {};

  // Further scores of a held-out environment for records, by their keys: "val_acc_wg". `answers` are the
  // predicted labels of its samples, in order (data::answers). Empty: none.
  std::function<std::vector<std::pair<std::string, double>>(const Environment&,
                                                            std::span<const double> answers)>
      more_scores = {};

  // How people recognise samples of a resident set, by Environment::samples, in that order. Empty: not at
  // all. May read files; throws std::exception if they have changed.
  std::function<std::vector<ShownSample>(std::span<const std::size_t> samples)> show = {};

  // For later use of a trained model: the names of the classes by label, two for binary tasks. Empty: the
  // numbers are their names, or it is a regression.
  std::vector<std::string> classes = {};
  // How files become inputs. Without a kind, inputs that are vectors are read as numbers.
  InputForm input = {};

  [[nodiscard]] bool streamed() const { return source != nullptr; }
};

// The shape of one sample's inputs: [size] or [channels, rows, columns]. set.train must not be empty.
std::vector<std::int64_t> input_shape(const EnvironmentSet& set);

// The same data on a device, with inputs as numbers. Each kind of tensor is one allocation that all
// environments share, so that all runs on the device can use it. A streamed set is returned unchanged: its
// batches are moved one at a time.
EnvironmentSet on_device(const EnvironmentSet& set, torch::Device device);

}  // namespace pair::data
