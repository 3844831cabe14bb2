#pragma once

#include <csignal>

namespace pair::cli {

// While it lives, SIGINT, SIGTERM and SIGUSR1, which schedulers send before a time limit, are recorded
// instead of ending the program; a second one of the same kind ends it. A signal that was ignored before, as
// by a shell for background jobs, stays ignored. Use one Interrupt at a time.
class Interrupt {
 public:
  Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;
  ~Interrupt();

  // The signal that was received, or 0.
  [[nodiscard]] int signal() const;

 private:
  struct sigaction interrupt_before_ {};
  struct sigaction terminate_before_ {};
  struct sigaction notice_before_ {};
};

}  // namespace pair::cli
