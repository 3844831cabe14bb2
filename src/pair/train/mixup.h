#pragma once

#include <torch/optim.h>

#include "pair/train/algorithm.h"

namespace pair::train {

// Mixup across environments (Yan et al., "Improve Unsupervised Domain Adaptation with Mixup Training", arXiv
// 2001.00677, as DomainBed has it). The environments are put in a random circle; each is mixed with the next,
// sample by sample, with one share s ~ Beta(alpha, alpha) a pair,
//
//   x = s x_i + (1 - s) x_j,     loss = mean over pairs of  s l(f(x), y_i) + (1 - s) l(f(x), y_j).
//
// Where environments differ in size, the longer one's last samples are left out.
class Mixup final : public Algorithm {
 public:
  Mixup(const Settings& settings, data::TaskLoss loss, std::shared_ptr<models::Model> model);

  void advance(const Batch& batch, data::Random& random) override;
  [[nodiscard]] NamedLosses losses() const override;
  void save(torch::serialize::OutputArchive& archive) const override;
  void load(torch::serialize::InputArchive& archive) override;

 private:
  std::shared_ptr<models::Model> model_;
  data::TaskLoss loss_;
  double alpha_;
  torch::optim::Adam adam_;
  double last_;
};

// From Beta(alpha, alpha); alpha at least 0.1.
double draw_beta(double alpha, data::Random& random);

}  // namespace pair::train
