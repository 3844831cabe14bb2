#include "pair/watch/bounded_stream.h"

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace pair::watch {

BoundedStream::BoundedStream(socket_t socket, const ServerOptions& options, const std::atomic<bool>& stopping)
    : socket_(socket),
      options_(options),
      stopping_(stopping),
      request_deadline_(Clock::now() + options.request_time) {}

bool BoundedStream::wait_for(short event, Clock::time_point deadline) const {
  constexpr std::chrono::milliseconds slice{100};
  while (!stopping_) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    if (left.count() < 0) {
      return false;
    }
    pollfd waiting{socket_, event, 0};
    const int count = ::poll(&waiting, 1, static_cast<int>(std::min(left, slice).count()));
    if (count > 0) {
      return (waiting.revents & event) != 0;
    }
    if (count < 0 && errno != EINTR) {
      return false;
    }
  }
  return false;
}

bool BoundedStream::is_readable() const {
  return taken_ < buffer_.size() || wait_for(POLLIN, request_deadline_);
}

bool BoundedStream::is_writable() const {
  pollfd waiting{socket_, POLLOUT | POLLRDHUP, 0};
  return ::poll(&waiting, 1, 0) >= 0 && (waiting.revents & (POLLRDHUP | POLLHUP | POLLERR)) == 0;
}

bool BoundedStream::fill() {
  std::array<char, 4096> block{};
  const std::size_t room = std::min(block.size(), options_.request_size - received_);
  if (room == 0 || !wait_for(POLLIN, request_deadline_)) {
    return false;
  }
  const ssize_t count = ::recv(socket_, block.data(), room, MSG_DONTWAIT);
  if (count <= 0) {
    return count < 0 && (errno == EINTR || errno == EAGAIN);
  }
  buffer_.append(block.data(), static_cast<std::size_t>(count));
  received_ += static_cast<std::size_t>(count);
  return true;
}

ssize_t BoundedStream::read(char* bytes, size_t count) {
  while (taken_ == buffer_.size()) {
    if (!fill()) {
      return -1;
    }
  }
  const std::size_t given = buffer_.copy(bytes, count, taken_);
  taken_ += given;
  return static_cast<ssize_t>(given);
}

ssize_t BoundedStream::write(const char* bytes, size_t count) {
  const Clock::time_point last = Clock::now() + options_.message_time;
  std::size_t sent = 0;
  while (sent < count) {
    if (!wait_for(POLLOUT, std::min(last, Clock::now() + options_.stall_time))) {
      return -1;
    }
    const ssize_t now = ::send(socket_, bytes + sent, count - sent, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (now < 0 && errno != EINTR && errno != EAGAIN) {
      return -1;
    }
    sent += static_cast<std::size_t>(std::max<ssize_t>(now, 0));
  }
  return static_cast<ssize_t>(count);
}

// Addresses are not used.
void BoundedStream::get_remote_ip_and_port(std::string& ip, int& port) const {
  ip.clear();
  port = 0;
}

void BoundedStream::get_local_ip_and_port(std::string& ip, int& port) const {
  ip.clear();
  port = 0;
}

void BoundedStream::finish() {
  constexpr std::chrono::milliseconds moment{200};
  constexpr int most_blocks = 16;
  std::array<char, 4096> block{};
  ::shutdown(socket_, SHUT_WR);
  const Clock::time_point deadline = Clock::now() + moment;
  for (int i = 0; i < most_blocks && wait_for(POLLIN, deadline); ++i) {
    if (::recv(socket_, block.data(), block.size(), MSG_DONTWAIT) <= 0) {
      return;
    }
  }
}

}  // namespace pair::watch
