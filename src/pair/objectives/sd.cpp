#include "pair/objectives/sd.h"

namespace pair::objectives {

torch::Tensor Sd::value(const HeadView& view, data::Random& /*random*/) {
  return view.logits.square().mean();
}

}  // namespace pair::objectives
