#pragma once

#include <torch/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "pair/data/environment.h"
#include "pair/train/guard.h"
#include "pair/train/interrupted.h"
#include "pair/train/ranks.h"
#include "pair/train/seen_outputs.h"
#include "pair/train/settings.h"

namespace pair::models {
class Model;
}

// The training loop, one step at a time. Without I/O: runs/ decides what is written where, and when.

namespace pair::train {

// The score of the model on some data.
struct Score {
  std::string key;     // the environment's: "env0_in"
  double value = 0.0;  // accuracy in [0, 1]; the mean squared error for regressions
  bool test = false;   // whether it counts for the worst test
};

// The state of a run after `step` steps.
struct Evaluation {
  std::int64_t step = 0;
  std::vector<double> losses;   // one per objective, on the last step's batch; empty for other algorithms
  std::vector<double> weights;  // the weight of each in the last step's direction
  // For the last step: cosine of erm's gradient with each other objective's; empty if not computed.
  std::vector<double> conflict;
  double loss = 0.0;  // weights . losses, plus the L2 term if it applies
  // With minibatches, the mean losses over the steps since the previous evaluation, and their `loss` under
  // the last step's weights. Empty, and 0, for steps on all data, whose last losses are as informative, and
  // if a loss was not finite.
  std::vector<double> mean_losses;
  double mean_loss = 0.0;
  // One number per objective, NaN for objectives without one. The noise floors of the losses
  // (noise_floor.h): empty unless moments are averaged over steps.
  std::vector<double> noise_floors;
  // The losses on the held-out parts of the training environments (held_out_losses.h) and their noise floors:
  // empty unless every training environment has such a part, and for algorithms with their own update.
  std::vector<double> held_out_losses;
  std::vector<double> held_out_floors;
  bool balancing = false;   // PAIR-o past its descent phase
  double divergence = 0.0;  // mu(L); 0 unless balancing
  bool feasible = true;     // whether EPO's program was feasible; true unless balancing
  // The learning rate of the last step, including guards; if that step was undone or refused, the resulting
  // rate. Before the first step, that of the first.
  double lr = 0.0;
  std::int64_t restarts = 0;    // number of times the momentum was dropped, since the run's start
  std::int64_t backtracks = 0;  // steps undone for being too long, since the run's start
  std::int64_t rollbacks = 0;   // steps refused for a value that was not finite, since the run's start
  // The losses of an algorithm of algorithm.h instead: of the last step, or with minibatches means as above.
  std::vector<std::pair<std::string, double>> named;
  // The steps whose weights are averaged in the model that was scored; 0: it is that of the last step.
  std::int64_t averaged_steps = 0;
  bool regression = false;    // whether scores are errors
  std::vector<Score> scores;  // of the training environments, then of the held-out ones
  std::vector<std::pair<std::string, double>> more_scores;  // of the data's own, by their keys
};

class Trainer {
 public:
  // data is shared with other runs and never written to. Throws std::invalid_argument for settings that are
  // out of range or do not fit the data. device: "cpu" or "cuda[:i]". ranks: those that train together, each
  // with its own trainer that is built with the same arguments, gets the same calls and then has the same
  // state; advance and evaluate throw RankLost. Stopping one that waits would stop the others: give stop to
  // rank 0's evaluate only, and see Ranks::wish_to_stop.
  Trainer(std::shared_ptr<const data::EnvironmentSet> data, Settings settings, std::uint64_t seed,
          torch::Device device = torch::kCPU, const Ranks& ranks = {});
  // The same for an existing model, starting from its current parameters and buffers; settings.model
  // and settings.model_options are not used. The trainer moves it to the device and makes its parameters views of one
  // vector. Between calls it may be used, in any mode, but not trained by others. To load a state saved by
  // this trainer, make another trainer with a model of the same architecture. Throws std::invalid_argument
  // for a model without a head, with a different number of outputs than the data, or with torch's own dropout
  // (see models/dropout.h).
  Trainer(std::shared_ptr<const data::EnvironmentSet> data, std::shared_ptr<models::Model> model,
          Settings settings, std::uint64_t seed, torch::Device device = torch::kCPU);
  ~Trainer();
  Trainer(Trainer&&) noexcept;
  Trainer& operator=(Trainer&&) noexcept;

  [[nodiscard]] const Settings& settings() const;
  [[nodiscard]] std::int64_t step() const;  // steps taken so far
  [[nodiscard]] bool finished() const;      // step() == settings().steps

  // Takes one step, with the model in training mode (unless its featurizer is frozen). Throws Diverged; on a
  // GPU possibly some steps late, since most are not waited for. While samples of a streamed set are read,
  // stop is called occasionally; if it returns true, throws Interrupted, and nothing has changed. Throws
  // std::runtime_error for samples that cannot be read.
  void advance(const std::function<bool()>& stop = {});
  // Costs a forward pass over all data, in evaluation mode; changes nothing except that means are reset.
  // Throws Diverged like advance, for steps that were not waited for; so does save. On a CPU and with a
  // streamed set, where the pass may take minutes, stop is called occasionally; if it returns true, throws
  // Interrupted, and nothing has changed.
  [[nodiscard]] Evaluation evaluate(const std::function<bool()>& stop = {});
  // The outputs on held-out environments (see_held_out in scoring.h), of the model that save_weights writes.
  // Changes nothing. Needs no other rank.
  void see_held_out(const std::function<bool(std::size_t environment)>& wanted, const SeenOutputs& seen,
                    const std::function<bool()>& stop = {});
  // The logits of inputs like the data's, [n, outputs] on the CPU, in evaluation mode; changes nothing.
  [[nodiscard]] torch::Tensor predict(const torch::Tensor& inputs);

  // The steps whose weights are averaged (averaged_weights.h) in evaluations, predictions and save_weights;
  // 0: none yet.
  [[nodiscard]] std::int64_t averaged_steps() const;

  // Writes the model's parameters and buffers, averaged if there is an average, as a safetensors file
  // (models/weights.h). Throws Diverged like save.
  void save_weights(const std::filesystem::path& path) const;

  // Sentences for the user about the run, each once: why its steps are not recorded; which files were
  // skipped.
  [[nodiscard]] std::vector<std::string> take_notices();

  // The complete state: parameters, buffers, optimizer, objectives, generators, counters. A trainer built
  // with the same arguments that loads the state of another continues exactly as that one would, bit for bit.
  // load throws std::runtime_error for bytes that save did not write or that belong to another model.
  void save(std::ostream& out) const;
  void load(std::istream& in);
  // Takes only the parameters and buffers of the last step, not an average, from the saved state of a trainer
  // of the same model, with any data and algorithm: training starts with them instead of random ones. Call
  // before the first step. Throws like load.
  void start_from(std::istream& in);
  // The same from a file of pretrained weights (models::load_pretrained), which must have the SHA-256, 64
  // hexadecimal digits. Differences that are allowed become a notice. Throws std::runtime_error for another
  // file, or one that does not match the model.
  void start_from_weights(const std::filesystem::path& path, const std::string& sha256);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace pair::train
