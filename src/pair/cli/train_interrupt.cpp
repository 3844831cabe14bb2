#include "pair/cli/train_interrupt.h"

#include <atomic>

namespace pair::cli {
namespace {

// Written by a signal handler and read by all threads that train, so neither a plain int nor a volatile one will do. A
// handler may use an atomic that needs no lock.
std::atomic<int> last_signal = 0;
static_assert(std::atomic<int>::is_always_lock_free);

void remember(int signal) {
  last_signal = signal;
}

void remember_from_now(int signal, struct sigaction& before) {
  sigaction(signal, nullptr, &before);
  if (before.sa_handler == SIG_IGN) {
    return;
  }
  struct sigaction action {};
  action.sa_handler = remember;
  action.sa_flags = static_cast<int>(SA_RESTART | SA_RESETHAND);
  sigaction(signal, &action, nullptr);
}

}  // namespace

Interrupt::Interrupt() {
  last_signal = 0;
  remember_from_now(SIGINT, interrupt_before_);
  remember_from_now(SIGTERM, terminate_before_);
  remember_from_now(SIGUSR1, notice_before_);
}

Interrupt::~Interrupt() {
  sigaction(SIGINT, &interrupt_before_, nullptr);
  sigaction(SIGTERM, &terminate_before_, nullptr);
  sigaction(SIGUSR1, &notice_before_, nullptr);
}

int Interrupt::signal() const {
  return last_signal;
}

}  // namespace pair::cli
