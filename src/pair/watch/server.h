#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <string>

#include "pair/watch/feed.h"

// A web server that shows a feed and nothing else: it opens no file.
//
//   GET /         the page
//   GET /events   server-sent events: the newest payload at once, and each that follows; a comment now and
//   then,
//                 so that a reader that is gone is noticed
//
// Everything else is refused: other paths (404), other methods (405), a Host header that is a name other than
// localhost or the one that the server was given (403, since with DNS rebinding a foreign page could read
// us), and events for a foreign page (403).

namespace pair::watch {

struct ServerOptions {
  std::string host = "127.0.0.1";                  // an address of this machine, or a name that it has
  int port = 0;                                    // 0: any that is free
  std::size_t connections = 64;                    // at a time; who comes then is answered 503
  std::size_t streams = 48;                        // of those, at /events
  std::size_t request_size = 16U << 10U;           // bytes, headers included; a longer one gets no answer
  std::chrono::milliseconds request_time{5'000};   // for the whole request; a slower one gets no answer
  std::chrono::milliseconds stall_time{10'000};    // without a byte taken, after which a reader is dropped
  std::chrono::milliseconds message_time{60'000};  // for one message or page, likewise
  std::chrono::milliseconds heartbeat{5'000};      // between comments where nothing happens
};

// False where PAIR was built without cpp-httplib.
bool has_server();

class Server {
 public:
  // Listens from now on. `page` makes the page of a payload, from any thread. The feed must outlive the
  // server. Throws std::runtime_error where the address cannot be used, or where PAIR was built without
  // cpp-httplib.
  Server(const Feed& feed, std::function<std::string(const std::string& payload)> page,
         ServerOptions options = {});
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  // Ends every connection.
  ~Server();

  [[nodiscard]] int port() const;
  // "http://127.0.0.1:8080/".
  [[nodiscard]] std::string url() const;

 private:
  class Implementation;
  std::unique_ptr<Implementation> implementation_;
};

}  // namespace pair::watch
