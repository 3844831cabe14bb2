#include "tests/watch/client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <system_error>
#include <utility>

namespace pair::watch::test {

using Clock = std::chrono::steady_clock;

Client::Client(int port) : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    throw std::system_error(errno, std::generic_category(), "connect");
  }
}

Client::~Client() {
  ::close(socket_);
}

bool Client::send(std::string_view bytes) const {
  while (!bytes.empty()) {
    const ssize_t count = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count <= 0) {
      return false;
    }
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

bool Client::take_more(Clock::time_point deadline) {
  const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
  pollfd waiting{socket_, POLLIN, 0};
  if (closed_ || left.count() < 0 || ::poll(&waiting, 1, static_cast<int>(left.count())) <= 0) {
    return false;
  }
  std::array<char, 65536> block{};
  const ssize_t count = ::recv(socket_, block.data(), block.size(), 0);
  closed_ = count <= 0;
  buffer_.append(block.data(), static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
  return !closed_;
}

std::string Client::receive(std::chrono::milliseconds patience) {
  const Clock::time_point deadline = Clock::now() + patience;
  while (take_more(deadline)) {
  }
  return std::exchange(buffer_, {});
}

std::string Client::receive_until(std::string_view end, std::chrono::milliseconds patience) {
  const Clock::time_point deadline = Clock::now() + patience;
  std::size_t found = 0;
  while ((found = buffer_.find(end)) == std::string::npos) {
    if (!take_more(deadline)) {
      return std::exchange(buffer_, {});
    }
  }
  std::string text = buffer_.substr(0, found + end.size());
  buffer_.erase(0, found + end.size());
  return text;
}

bool Client::is_closed_within(std::chrono::milliseconds patience) {
  (void)receive(patience);
  return closed_;
}

std::string ask(int port, std::string_view request) {
  Client client(port);
  client.send(request);
  return client.receive();
}

std::string get(int port, std::string_view path, std::string_view more_headers) {
  return ask(port, "GET " + std::string(path) + " HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port) +
                       "\r\n" + std::string(more_headers) + "\r\n");
}

int status_of(std::string_view answer) {
  constexpr std::string_view protocol = "HTTP/1.1 ";
  int status = 0;
  if (answer.starts_with(protocol)) {
    std::from_chars(answer.data() + protocol.size(), answer.data() + answer.size(), status);
  }
  return status;
}

std::string body_of(std::string_view answer) {
  constexpr std::string_view blank = "\r\n\r\n";
  const std::size_t end = answer.find(blank);
  return end == std::string_view::npos ? "" : std::string(answer.substr(end + blank.size()));
}

Events::Events(int port) : client_(port) {
  client_.send("GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n");
  (void)client_.receive_until("\r\n\r\n");
}

std::string Events::next(std::chrono::milliseconds patience) {
  const Clock::time_point deadline = Clock::now() + patience;
  for (std::string data; Clock::now() < deadline;) {
    // A chunk: its size in hexadecimal digits, its bytes, a line's end.
    const auto left = [deadline] {
      return std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now());
    };
    const std::string size = client_.receive_until("\r\n", left());
    std::size_t count = 0;
    std::from_chars(size.data(), size.data() + size.size(), count, 16);
    std::string chunk;
    while (count > 0 && chunk.size() < count + 2 && Clock::now() < deadline) {
      const std::string part = client_.receive_until("\r\n", left());
      if (part.empty()) {
        return "";
      }
      chunk += part;
    }
    if (chunk.size() < 2) {
      return "";
    }
    data += chunk.substr(0, chunk.size() - 2);
    if (!data.ends_with("\n\n")) {
      continue;
    }
    if (data.starts_with("data: ")) {
      return data.substr(6, data.size() - 8);
    }
    data.clear();
  }
  return "";
}

}  // namespace pair::watch::test
