#pragma once

#include <vector>

namespace pair::bench {

// Of WordPiece on one thread, on random texts.
struct TokenizerSpeed {
  std::vector<double> tokens_per_second;  // one per round
  std::vector<double> megabytes_per_second;
};

TokenizerSpeed tokenizer_speed(int rounds);

}  // namespace pair::bench
