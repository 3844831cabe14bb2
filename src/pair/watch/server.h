#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "pair/watch/feed.h"

// A web server for one feed. It opens no files.
//
//   GET /         the page
//   GET /events   server-sent events: the newest payload, then each new one; regular comments detect clients
//                 that have gone away
//
// Everything else is refused: other paths (404), other methods (405), a Host header with a name other than
// localhost or the server's own (403; otherwise a foreign page could read the feed by DNS rebinding), and
// requests for events from a foreign page (403).

namespace pair::watch {

struct ServerOptions {
  std::string host = "127.0.0.1";                 // an address or name of this machine
  int port = 0;                                   // 0: any free port
  std::size_t connections = 64;                   // at a time; further clients get 503
  std::size_t streams = 48;                       // connections to /events
  std::size_t request_size = 16U << 10U;          // bytes, including headers; longer requests get no answer
  std::chrono::milliseconds request_time{5'000};  // for the whole request; slower ones get no answer
  std::chrono::milliseconds stall_time{10'000};   // a client that reads nothing for this long is dropped
  std::chrono::milliseconds message_time{
      60'000};  // a client that takes longer for one message or page is dropped
  std::chrono::milliseconds heartbeat{5'000};  // between comments if there is no event
};

// False if PAIR was built without cpp-httplib.
bool has_server();

class Server {
 public:
  // Starts listening. `page` makes the page of a payload and is called from any thread. The feed must outlive
  // the server. Throws std::runtime_error if the address cannot be used, or if PAIR was built without
  // cpp-httplib.
  Server(const Feed& feed, std::function<std::string(const std::string& payload)> page,
         ServerOptions options = {});
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  // Closes all connections.
  ~Server();

  [[nodiscard]] int port() const;
  // For example "http://127.0.0.1:8080/".
  [[nodiscard]] std::string url() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace pair::watch
