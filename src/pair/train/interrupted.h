#pragma once

#include <exception>

namespace pair::train {

// That somebody asked to stop before a long piece of work was done. What it worked on is as it was.
class Interrupted : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "stopped before the work was done"; }
};

}  // namespace pair::train
