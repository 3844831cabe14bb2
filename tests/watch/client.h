#pragma once

#include <chrono>
#include <string>
#include <string_view>

namespace pair::watch::test {

// A connection to 127.0.0.1 that sends what it is told to, right or wrong.
class Client {
 public:
  explicit Client(int port);
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  ~Client();

  // False where the other side has closed.
  bool send(std::string_view bytes) const;
  // What comes until the other side closes, or until `patience` is over.
  std::string receive(std::chrono::milliseconds patience = std::chrono::seconds(20));
  // What comes up to and including `end`; less where it does not come within `patience`.
  std::string receive_until(std::string_view end,
                            std::chrono::milliseconds patience = std::chrono::seconds(20));
  // Whether the other side closes within `patience`; what it sends is thrown away.
  bool is_closed_within(std::chrono::milliseconds patience);

 private:
  // False where nothing came before the deadline, or the other side has closed.
  bool take_more(std::chrono::steady_clock::time_point deadline);

  int socket_;
  bool closed_ = false;
  std::string buffer_;
};

// A request with a proper Host header, and the whole answer to it.
std::string get(int port, std::string_view path, std::string_view more_headers = "");
std::string ask(int port, std::string_view request);

// The status of an answer, or 0 where there is none; and what follows its headers.
int status_of(std::string_view answer);
std::string body_of(std::string_view answer);

// Asks for the events; next() is the data of the next one, empty where none comes within `patience`.
class Events {
 public:
  explicit Events(int port);
  std::string next(std::chrono::milliseconds patience = std::chrono::seconds(20));

 private:
  Client client_;
};

}  // namespace pair::watch::test
