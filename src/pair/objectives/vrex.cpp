#include "pair/objectives/vrex.h"

#include "pair/objectives/losses.h"

namespace pair::objectives {

torch::Tensor Vrex::value(const HeadView& view, data::Random& /*random*/) {
  require_environments("vrex", view.sizes, 2);
  return view.risks.var(/*unbiased=*/true);
}

}  // namespace pair::objectives
