#include <array>
#include <cstdio>

#include "pair/moo/epo.h"

int main() {
  const std::array losses{1.0, 2.0}, gram{1.0, 0.0, 0.0, 1.0}, preference{1.0, 1.0};
  const pair::moo::Solution solution = pair::moo::Epo().weigh({losses, gram, preference});
  std::printf("%g %g\n", solution.weights[0], solution.weights[1]);  // 0 1
}
