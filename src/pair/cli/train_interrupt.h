#pragma once

#include <csignal>

namespace pair::cli {

// For its lifetime SIGINT and SIGTERM are remembered in place of ending the program; the second of a kind
// ends it after all. One that was ignored before, as a shell has it for what runs in the background, stays
// so. One Interrupt at a time.
class Interrupt {
 public:
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();

  // The signal that came, or 0.
  [[nodiscard]] int signal() const;

 private:
  struct sigaction interrupt_before_ {};
  struct sigaction terminate_before_ {};
};

}  // namespace pair::cli
