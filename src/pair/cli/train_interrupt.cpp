#include "pair/cli/train_interrupt.h"

namespace pair::cli {
namespace {

// The only type that a signal handler may write to.
volatile std::sig_atomic_t last_signal = 0;

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
