#include "pair/objectives/group_dro.h"

#include <cmath>

#include "pair/objectives/require_option.h"
#include "pair/objectives/state.h"

namespace pair::objectives {

GroupDro::GroupDro(double rate) : rate_(rate) {
  require_option(rate > 0.0 && std::isfinite(rate), "groupdro_rate", rate, "numbers above 0");
}

torch::Tensor GroupDro::value(const HeadView& view, data::Random& /*random*/) {
  torch::Tensor log_weights = rate_ * view.risks.detach();
  if (log_weights_.defined()) {
    match_state("group_dro", log_weights_, log_weights);
    log_weights = log_weights + log_weights_;
  }
  log_weights = torch::log_softmax(log_weights, 0);
  update_state(log_weights_, log_weights);
  return log_weights.exp().dot(view.risks);
}

std::vector<torch::Tensor> GroupDro::state() const {
  return saved_state(log_weights_);
}

void GroupDro::restore(std::span<const torch::Tensor> state) {
  log_weights_ = restored_state("group_dro", state);
}

}  // namespace pair::objectives
