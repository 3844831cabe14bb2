#include "pair/objectives/worst_risk.h"

namespace pair::objectives {

torch::Tensor WorstRisk::value(const HeadView& view, data::Random& /*random*/) {
  return view.risks.max();
}

}  // namespace pair::objectives
