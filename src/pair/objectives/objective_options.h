#pragma once

#include <cstdint>

namespace pair::objectives {

// Every knob of every objective, with its default; an objective reads those its entry names.
struct ObjectiveOptions {
  // irmv1: estimate from two halves of each batch, unbiased but perhaps negative, and what is done then.
  // keep leaves a negative estimate as it is, which PAIR-o's solver cannot weigh: for the linear scheme
  // alone.
  enum class Negative { shift, scale, keep };
  bool irmv1_unbiased = false;
  Negative irmv1_negative = Negative::scale;
  double irmv1_constant = 1e-2;    // C of the paper's Appendix D.4: added (shift) or multiplied (scale). > 0
  double fishr_ema = 0.95;         // weight of the past in the moving average of variances. [0, 1)
  bool fishr_mean = false;         // a mean over the head's parameters, as DomainBed has it, not their sum
  std::int64_t clove_batch = 512;  // samples an environment in the kernel sum. >= 2
  double clove_width = 0.4;        // width of the Laplacian kernel. > 0
  double groupdro_rate = 1e-2;     // eta, step of the group weights. > 0
};

}  // namespace pair::objectives
