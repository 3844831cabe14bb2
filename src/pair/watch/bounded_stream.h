#pragma once

#include <httplib.h>

#include <atomic>
#include <chrono>

#include "pair/watch/server.h"

namespace pair::watch {

// A connection that costs no more than the options allow: cpp-httplib has a time limit a byte, so that who
// sends one now and then keeps a thread for ever, and none on how much comes before a line's end.
class BoundedStream : public httplib::Stream {
 public:
  // `stopping` ends every wait.
  BoundedStream(socket_t socket, const ServerOptions& options, const std::atomic<bool>& stopping);

  [[nodiscard]] bool is_readable() const override;
  // False also where the other side has gone.
  [[nodiscard]] bool is_writable() const override;
  ssize_t read(char* bytes, size_t count) override;
  // All or, with -1, not all.
  ssize_t write(const char* bytes, size_t count) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  [[nodiscard]] socket_t socket() const override { return socket_; }

  // Says that nothing more comes, and lets what the other side still sends go by for a moment: closing at
  // once would take the answer away from it.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  // Whether the event came before the deadline.
  [[nodiscard]] bool wait_for(short event, Clock::time_point deadline) const;
  bool fill();

  socket_t socket_;
  const ServerOptions& options_;
  const std::atomic<bool>& stopping_;
  Clock::time_point request_deadline_;
  std::size_t received_ = 0;
  std::string buffer_;
  std::size_t taken_ = 0;  // of the buffer
};

}  // namespace pair::watch
