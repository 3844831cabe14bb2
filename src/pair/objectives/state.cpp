#include "pair/objectives/state.h"

#include <sstream>
#include <stdexcept>

namespace pair::objectives {

void match_state(std::string_view objective, torch::Tensor& remembered, const torch::Tensor& current) {
  if (remembered.sizes() != current.sizes()) {
    std::ostringstream message;
    message << objective
            << ": expected a batch of the same environments as in the steps before, with a state of shape "
            << remembered.sizes() << ", got " << current.sizes();
    throw std::invalid_argument(message.str());
  }
  remembered = remembered.to(current.options());
}

void update_state(torch::Tensor& remembered, const torch::Tensor& current) {
  if (remembered.defined()) {
    remembered.copy_(torch::where(torch::isfinite(current), current, remembered));
  } else {
    remembered = torch::nan_to_num(current, 0.0, 0.0, 0.0);
  }
}

std::vector<torch::Tensor> saved_state(const torch::Tensor& remembered) {
  if (!remembered.defined()) {
    return {};
  }
  return {remembered.clone()};
}

torch::Tensor restored_state(std::string_view objective, std::span<const torch::Tensor> state) {
  if (state.size() > 1) {
    std::ostringstream message;
    message << objective << ": expected a state of one tensor, got " << state.size();
    throw std::invalid_argument(message.str());
  }
  return state.empty() ? torch::Tensor() : state.front().detach().clone();
}

}  // namespace pair::objectives
