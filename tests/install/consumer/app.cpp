#include <cstdio>
#include <vector>

#include "pair/moo/epo.h"

int main() {
  const std::vector<double> losses{1, 2}, gram{1, 0, 0, 1}, preference{1, 1};
  const pair::moo::Solution solution = pair::moo::Epo().weigh({losses, gram, preference});
  std::printf("%g %g\n", solution.weights[0], solution.weights[1]);  // 0 1
}
