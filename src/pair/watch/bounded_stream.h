#pragma once

#include <httplib.h>

#include <atomic>
#include <chrono>

#include "pair/watch/server.h"

namespace pair::watch {

// A connection with bounded cost. cpp-httplib's time limit is per byte, so a client that sends a byte now and
// then would occupy a thread forever, and it does not limit the length of a line.
class BoundedStream : public httplib::Stream {
 public:
  // Setting `stopping` ends every wait.
  BoundedStream(socket_t socket, const ServerOptions& options, const std::atomic<bool>& stopping);

  [[nodiscard]] bool is_readable() const override;
  // Also false if the peer has closed the connection.
  [[nodiscard]] bool is_writable() const override;
  ssize_t read(char* bytes, size_t count) override;
  // Writes everything, or returns -1.
  ssize_t write(const char* bytes, size_t count) override;
  void get_remote_ip_and_port(std::string& ip, int& port) const override;
  void get_local_ip_and_port(std::string& ip, int& port) const override;
  [[nodiscard]] socket_t socket() const override { return socket_; }

  // Signals the end of the answer, then discards incoming data for a moment: closing immediately could
  // discard the answer before the client reads it.
  void finish();

 private:
  using Clock = std::chrono::steady_clock;
  // Whether the event occurred before the deadline.
  [[nodiscard]] bool wait_for(short event, Clock::time_point deadline) const;
  bool fill();

  socket_t socket_;
  const ServerOptions& options_;
  const std::atomic<bool>& stopping_;
  Clock::time_point request_deadline_;
  std::size_t received_ = 0;
  std::string buffer_;
  std::size_t taken_ = 0;  // bytes consumed from the buffer
};

}  // namespace pair::watch
