#include "pair/paper/studies.h"

namespace pair::paper {

std::vector<Study> studies() {
  return {fig_conflict(),   fig_sweep(),        fig_trajectory(),   fig_radar(),
          fig_preference(), fig_vrex_failure(), fig_perfect_init(), minibatches()};
}

}  // namespace pair::paper
