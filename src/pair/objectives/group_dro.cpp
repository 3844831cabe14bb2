#include <cmath>

#include "pair/objectives/objective.h"
#include "pair/objectives/registry.h"
#include "pair/objectives/state.h"

// GroupDRO (Sagawa et al., "Distributionally Robust Neural Networks for Group Shifts", ICLR 2020, Algorithm
// 1, environments as groups): a smooth stand-in for the worst risk. Weights q on the environments increase
// with the risk, by exponentiated gradient ascent, and weigh the risks:
//
//   q_e <- q_e exp(eta R_e) / sum_f q_f exp(eta R_f),     value = sum_e q_e R_e,
//
// from q_e = 1/|E|. Each call is one step of q; q takes no gradient. In a step that takes some of the
// environments, the others count as R_e = 0, as in WILDS: their weights keep their ratios.

namespace pair::objectives {
namespace {

struct GroupDroOptions {
  double rate = 1e-2;  // eta
};

void describe(base::Fields<GroupDroOptions>& field) {
  field
      .number("groupdro_rate", &GroupDroOptions::rate, {.low = 0, .high = 1e300, .open_low = true},
              "step of the group weights")
      .in_domainbed("groupdro_eta", base::LogUniform{10, -3, -1});
}

class GroupDro final : public Objective {
 public:
  explicit GroupDro(const GroupDroOptions& options) : rate_(options.rate) {}

  torch::Tensor value(const HeadView& view, data::Random& random) override;
  [[nodiscard]] bool of_moments() const override { return true; }

  [[nodiscard]] bool has_state() const override { return true; }
  // log q, [environments]; empty before the first step.
  [[nodiscard]] std::vector<torch::Tensor> state() const override;
  void restore(std::span<const torch::Tensor> state) override;

 private:
  double rate_;
  torch::Tensor log_weights_;
};

}  // namespace

torch::Tensor GroupDro::value(const HeadView& view, data::Random& /*random*/) {
  const bool some = view.chosen.defined();
  torch::Tensor log_weights = rate_ * view.risks.detach();
  if (some) {
    log_weights =
        torch::zeros({view.all_environments}, log_weights.options()).index_copy(0, view.chosen, log_weights);
  }
  if (log_weights_.defined()) {
    match_state("group_dro", log_weights_, log_weights);
    log_weights = log_weights + log_weights_;
  }
  log_weights = torch::log_softmax(log_weights, 0);
  update_state(log_weights_, log_weights);
  const torch::Tensor weights = log_weights.exp();
  return (some ? weights.index_select(0, view.chosen) : weights).dot(view.risks);
}

std::vector<torch::Tensor> GroupDro::state() const {
  return saved_state(log_weights_);
}

void GroupDro::restore(std::span<const torch::Tensor> state) {
  log_weights_ = restored_state("group_dro", state);
}

ObjectiveEntry group_dro() {
  ObjectiveEntry entry = objective_entry<GroupDroOptions>(
      "group_dro", "risks under weights that follow the worst",
      [](const GroupDroOptions& options) { return std::make_unique<GroupDro>(options); });
  entry.manual = {.formula =
                      "q_e   <- q_e exp(rate R_e) / sum_f q_f exp(rate R_f)\n"
                      "value =  sum_e q_e R_e",
                  .cited = {"S. Sagawa, P. W. Koh, T. B. Hashimoto and P. Liang, \"Distributionally Robust "
                            "Neural Networks for Group Shifts: On the Importance of Regularization for "
                            "Worst-Case Generalization\", ICLR 2020"},
                  .advice =
                      "Use it when the test data is a mixture of the training environments in unknown "
                      "proportions. It does not extrapolate beyond them."};
  return entry;
}

}  // namespace pair::objectives
