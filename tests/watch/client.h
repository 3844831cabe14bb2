#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace pair::watch::test {

// A connection to 127.0.0.1 that sends any bytes, valid or not.
class Client {
 public:
  explicit Client(int port);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();

  // False if the peer has closed the connection.
  bool send(std::string_view bytes) const;
  // The bytes received until the peer closes the connection, or until `patience` is over.
  std::string receive(std::chrono::milliseconds patience = std::chrono::seconds(20));
  // The bytes up to and including `end`; fewer if it does not arrive within `patience`.
  std::string receive_until(std::string_view end,
                            std::chrono::milliseconds patience = std::chrono::seconds(20));
  // Whether the peer closes within `patience`; received bytes are discarded.
  bool is_closed_within(std::chrono::milliseconds patience);

 private:
  // False if nothing arrives before the deadline, or the peer has closed the connection.
  bool take_more(std::chrono::steady_clock::time_point deadline);

  int socket_;
  bool closed_ = false;
  std::string buffer_;
};

// Sends a request with a valid Host header and returns the whole answer.
std::string get(int port, std::string_view path, std::string_view more_headers = "");
std::string ask(int port, std::string_view request);

// The status of an answer, or 0 if there is none; and the part after its headers.
int status_of(std::string_view answer);
std::string body_of(std::string_view answer);

// Requests the events; next() is the data of the next one, empty if none arrives within `patience`.
class Events {
 public:
  explicit Events(int port);
  std::string next(std::chrono::milliseconds patience = std::chrono::seconds(20));

 private:
  Client client_;
};

}  // namespace pair::watch::test
