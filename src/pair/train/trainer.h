#pragma once

#include <torch/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "pair/data/environment.h"
#include "pair/train/guard.h"
#include "pair/train/interrupted.h"
#include "pair/train/settings.h"

namespace pair::models {
class Model;
}

// The training loop, one step at a time. Numbers in, numbers out: what is written where, and when, is
// decided in runs/.

namespace pair::train {

// How good the model is on some data.
struct Score {
  std::string key;     // the environment's: "env0_in"
  double value = 0.0;  // share of right answers, in [0, 1]; the mean squared error of regressions
  bool test = false;   // whether it counts for the worst test
};

// Where a run stands after `step` steps.
struct Evaluation {
  std::int64_t step = 0;
  std::vector<double> losses;   // one an objective, of the last step's batch; empty for other algorithms
  std::vector<double> weights;  // the weight of each in the last step's direction
  // Of the last step: cosine of erm's gradient with each other objective's; empty where it was not taken.
  std::vector<double> conflict;
  double loss = 0.0;  // weights . losses, plus the L2 term where it applies
  // With minibatches, the mean losses over the steps since the evaluation before, and `loss` of them under
  // the last step's weights; empty, and 0, with steps on all data, whose last losses say as much, and where a
  // loss was not finite.
  std::vector<double> mean_losses;
  double mean_loss = 0.0;
  bool balancing = false;   // PAIR-o past its descent phase
  double divergence = 0.0;  // mu(L); 0 unless balancing
  bool feasible = true;     // whether EPO's program had a solution; true unless balancing
  // Of the last step, guards included; where that was taken back or refused, the rate that came of it. Before
  // the first step, that of the first.
  double lr = 0.0;
  std::int64_t restarts = 0;    // times the momentum was dropped, since the run's start
  std::int64_t backtracks = 0;  // steps taken back for being too long, since the run's start
  std::int64_t rollbacks = 0;   // steps refused for a value that was not finite, since the run's start
  // What an algorithm of algorithm.h says instead: of the last step, or with minibatches means as above.
  std::vector<std::pair<std::string, double>> named;
  bool regression = false;    // whether scores are errors
  std::vector<Score> scores;  // of the training environments, then of those held out
};

class Trainer {
 public:
  // data is shared with other runs and never written to. Throws std::invalid_argument for settings that are
  // out of range or do not fit the data. device: "cpu" or "cuda[:i]".
  Trainer(std::shared_ptr<const data::EnvironmentSet> data, Settings settings, std::uint64_t seed,
          torch::Device device = torch::kCPU);
  // The same for a model that is there already, from its parameters and buffers as they are; settings' model,
  // width and depth are not used. The trainer moves it to the device and makes its parameters views of one
  // vector; in between calls it may be used, in any mode, but not trained by others. To load what this
  // trainer saved, make another with a model of the same architecture. Throws std::invalid_argument for a
  // model without a head, with other outputs than the data has, or with torch's own dropout (see
  // models/dropout.h).
  Trainer(std::shared_ptr<const data::EnvironmentSet> data, std::shared_ptr<models::Model> model,
          Settings settings, std::uint64_t seed, torch::Device device = torch::kCPU);
  ~Trainer();
  Trainer(Trainer&&) noexcept;
  Trainer& operator=(Trainer&&) noexcept;

  [[nodiscard]] const Settings& settings() const;
  [[nodiscard]] std::int64_t step() const;  // steps taken so far
  [[nodiscard]] bool finished() const;      // step() == settings().steps

  // Takes one step, with the model in training mode (unless its featurizer is frozen). Throws Diverged; on a
  // GPU perhaps some steps late, since most are not waited for. While samples of a streamed set are read,
  // stop is asked now and then; where it says so, throws Interrupted, and nothing has changed. Throws
  // std::runtime_error for samples that cannot be read.
  void advance(const std::function<bool()>& stop = {});
  // Costs a forward pass over all data, in evaluation mode; changes nothing but that means begin anew. Throws
  // Diverged as advance does, for steps that were not waited for; so does save. On a processor and
  // with a streamed set, where the pass may take minutes, stop is asked now and then; where it says so,
  // throws Interrupted, and nothing has changed.
  [[nodiscard]] Evaluation evaluate(const std::function<bool()>& stop = {});
  // The logits of inputs like the data's, [n, outputs] on the CPU, in evaluation mode; changes nothing.
  [[nodiscard]] torch::Tensor predict(const torch::Tensor& inputs);

  // Writes the model's parameters and buffers as a safetensors file (models/weights.h). Throws Diverged as
  // save does.
  void save_weights(const std::filesystem::path& path) const;

  // What a person should know of how the run is done, each once: that its steps are not recorded, and why;
  // which files were passed over.
  [[nodiscard]] std::vector<std::string> take_notices();

  // The complete state: parameters, buffers, optimizer, objectives, generators, counters. A trainer built
  // with the same arguments that loads what another saved continues bit for bit as that one would. load
  // throws std::runtime_error for bytes that save did not write or that belong to another model.
  void save(std::ostream& out) const;
  void load(std::istream& in);
  // Takes over the parameters and buffers alone out of what a trainer of the same model saved, whatever its
  // data and its method: training begins with them in place of drawn ones. Before the first step. Throws as
  // load does.
  void start_from(std::istream& in);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pair::train
