#pragma once

#include <exception>

namespace pair::train {

// Thrown if a long piece of work was stopped before its end. The object it worked on is unchanged.
class Interrupted : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override { return "stopped before the work was done"; }
};

}  // namespace pair::train
