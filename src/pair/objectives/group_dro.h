#pragma once

#include "pair/objectives/objective.h"

namespace pair::objectives {

// GroupDRO (Sagawa et al., "Distributionally Robust Neural Networks for Group Shifts", ICLR 2020, Algorithm
// 1, environments as groups): a smooth stand-in for the worst risk. Weights q on the environments rise where
// the risk is high, by exponentiated gradient ascent, and weigh the risks:
//
//   q_e <- q_e exp(eta R_e) / sum_f q_f exp(eta R_f),     value = sum_e q_e R_e,
//
// from q_e = 1/|E|. Each call is one step of q; q takes no gradient. The batches of all steps hold the same
// environments in one order.
class GroupDro final : public Objective {
 public:
  // rate: eta, > 0.
  explicit GroupDro(double rate);

  torch::Tensor value(const HeadView& view, data::Random& random) override;

  [[nodiscard]] bool remembers_environments() const override { return true; }

  // log q, [environments]; empty before the first step.
  [[nodiscard]] std::vector<torch::Tensor> state() const override;
  void restore(std::span<const torch::Tensor> state) override;

 private:
  double rate_;
  torch::Tensor log_weights_;
};

}  // namespace pair::objectives
