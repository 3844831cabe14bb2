#pragma once

#include "pair/moo/problem.h"

// The interface of every multi-objective method. registry.h finds one by its name.

namespace pair::moo {

// Weighs objectives. Pure: the same problem gives the same solution, independent of earlier problems.
class Solver {
 public:
  virtual ~Solver() = default;
  // Throws InvalidProblem for unusable input (see validate).
  [[nodiscard]] virtual Solution weigh(const Problem& problem) const = 0;
};

}  // namespace pair::moo
