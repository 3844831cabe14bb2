#include "pair/objectives/vrex.h"

#include "pair/objectives/losses.h"

namespace pair::objectives {

torch::Tensor Vrex::value(const HeadView& view, data::Random& /*random*/) {
  if (view.environments() < 2) {
    return zero_of(view.risks);
  }
  return view.risks.var(/*unbiased=*/true);
}

}  // namespace pair::objectives
