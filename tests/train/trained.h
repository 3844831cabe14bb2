#pragma once

#include "pair/train/trainer.h"

namespace pair::train::testing {

// Takes the rest of a trainer's steps, and evaluates after the last.
inline Evaluation after_all(Trainer& trainer) {
  while (!trainer.finished()) {
    trainer.advance();
  }
  return trainer.evaluate();
}

}  // namespace pair::train::testing
