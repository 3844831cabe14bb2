#pragma once

#include "pair/objectives/objective.h"

namespace pair::objectives {

// CLOvE, calibration loss over environments (Wald et al., "On Calibration and Out-of-domain Generalization",
// NeurIPS 2021): a classifier calibrated in every environment uses no spurious correlation. Calibration is
// measured by the maximum mean calibration error (Kumar et al., "Trainable Calibration Measures for Neural
// Networks from Kernel Mean Embeddings", ICML 2018), squared, over a minibatch of m samples an environment,
//
//   1/|E| sum_e 1/m^2 sum_ij (c_i - r_i) (c_j - r_j) exp(-|r_i - r_j| / width),
//
// r the confidence in the predicted label (max(p, 1 - p) for one logit, the largest probability for more) and
// c = 1 where that label is right, else 0; c takes no gradient. For classifiers only.
//
// Where an environment has more than `batch` samples, that many are drawn without replacement from random.
class Clove final : public Objective {
 public:
  // batch: m, >= 2. width: of the Laplacian kernel, > 0.
  Clove(std::int64_t batch, double width);

  torch::Tensor value(const HeadView& view, data::Random& random) override;
  [[nodiscard]] bool replayable() const override { return false; }

 private:
  std::int64_t batch_;
  double width_;
};

}  // namespace pair::objectives
