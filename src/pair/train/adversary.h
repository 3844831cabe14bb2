#pragma once

#include <torch/nn.h>
#include <torch/optim.h>

#include <optional>

#include "pair/train/algorithm.h"

namespace pair::train {

// DANN (Ganin et al., "Domain-Adversarial Training of Neural Networks", JMLR 2016) and CDANN (Li et al.,
// "Deep Domain Generalization via Conditional Invariant Adversarial Networks", ECCV 2018), as DomainBed has
// them. An adversary, an MLP D on the features, tells which environment a sample is from; the model is
// trained to predict the labels and to leave it guessing. With l the cross-entropy and z = phi(x),
//
//   disc_loss = sum_i v_i l(D(z_i), e_i) + grad_penalty * mean_i | d l(D(z_i), e_i) / d z_i |^2,
//   gen_loss  = mean_i l(w(z_i), y_i) - penalty * disc_loss.
//
// Of every 1 + d_steps_per_g_step updates the last goes down gen_loss with the model's Adam and the others go
// down disc_loss with the adversary's; the very first update counts as the second of its round, as in
// DomainBed, so that with one adversary's step a round the model begins.
//
// DANN: v_i = 1/n. CDANN: z_i plus an embedding of the class y_i, learned with the adversary, and v_i = 1/(K
// n_{y_i}), every one of the K classes weighing the same.
class Adversarial final : public Algorithm {
 public:
  Adversarial(const Settings& settings, const data::EnvironmentSet& data,
              std::shared_ptr<models::Model> model, std::uint64_t seed, torch::Device device);

  void advance(const Batch& batch, data::Random& random) override;
  [[nodiscard]] NamedLosses losses() const override;
  void save(torch::serialize::OutputArchive& archive) const override;
  void load(torch::serialize::InputArchive& archive) override;

 private:
  // The loss of the adversary on features, with their graph where they have one.
  torch::Tensor disc_loss(const torch::Tensor& features, const Batch& batch, data::Random& random);
  // D: which environment, as logits.
  torch::Tensor judgement(torch::Tensor rows, data::Random& random);
  [[nodiscard]] torch::Tensor class_weights(const torch::Tensor& classes) const;

  std::shared_ptr<models::Model> model_;
  data::TaskLoss loss_;
  std::int64_t classes_;
  bool conditional_;
  double penalty_;
  double grad_penalty_;
  std::int64_t d_steps_;
  double dropout_;
  torch::nn::Sequential adversary_;          // linear layers; ReLU and dropout between them
  torch::nn::Embedding embedding_{nullptr};  // CDANN's
  std::optional<torch::optim::Adam> disc_adam_;
  std::optional<torch::optim::Adam> gen_adam_;
  std::int64_t updates_ = 0;
  double last_gen_;
  double last_disc_;
};

}  // namespace pair::train
