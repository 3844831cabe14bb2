#include "pair/watch/server.h"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "pair/base/reason.h"
#include "pair/watch/bounded_stream.h"
#include "pair/watch/host_header.h"
#include "pair/watch/workers.h"

namespace pair::watch {
namespace {

std::string busy() {
  const std::string body = "Too many viewers\n";
  return "HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\nContent-Type: "
         "text/plain\r\nContent-Length: " +
         std::to_string(body.size()) + "\r\n\r\n" + body;
}

// Occupies one of a limited number of slots while it lives.
class Place {
 public:
  explicit Place(std::atomic<std::size_t>& taken) : taken_(taken), number_(++taken) {}
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;
  ~Place() { --taken_; }
  [[nodiscard]] std::size_t number() const { return number_; }

 private:
  std::atomic<std::size_t>& taken_;
  std::size_t number_;
};

// httplib's default would let another process use the same port.
void only_reuse_address(socket_t socket) {
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
}

void refuse(httplib::Response& response, int status, const std::string& why) {
  response.status = status;
  response.set_content(why + "\n", "text/plain");
}

}  // namespace

bool has_server() {
  return true;
}

class Server::Implementation : private httplib::Server {
 public:
  Implementation(const Feed& feed, std::function<std::string(const std::string&)> page, ServerOptions options)
      : feed_(feed), page_(std::move(page)), options_(std::move(options)) {
    set_socket_options(only_reuse_address);
    set_default_headers({{"Cache-Control", "no-store"},
                         {"Content-Security-Policy", "frame-ancestors 'none'"},
                         {"Cross-Origin-Resource-Policy", "same-origin"},
                         {"Referrer-Policy", "no-referrer"},
                         {"X-Content-Type-Options", "nosniff"}});
    new_task_queue = [this] { return new Workers(options_.connections); };
    // Runs before any body is read, and avoids httplib's regular expressions for paths.
    set_pre_routing_handler([this](const httplib::Request& request, httplib::Response& response) {
      answer(request, response);
      return HandlerResponse::Handled;
    });
    errno = 0;
    port_ = options_.port == 0                           ? bind_to_any_port(options_.host)
            : bind_to_port(options_.host, options_.port) ? options_.port
                                                         : -1;
    if (port_ < 0) {
      throw std::runtime_error("cannot listen at " + options_.host + ", port " +
                               std::to_string(options_.port) + ": " +
                               (errno != 0 ? base::reason(errno) : "this machine has no such address"));
    }
    // httplib's backlog of five fills up before the accepting thread wakes up, and clients that find it full
    // retry only a second later.
    ::listen(svr_sock_, SOMAXCONN);
    accepting_ = std::thread([this] {
      accepting_id_ = std::this_thread::get_id();
      listen_after_bind();
    });
    while (!is_running()) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  Implementation(const Implementation&) = delete;
  Implementation& operator=(const Implementation&) = delete;
  ~Implementation() override {
    stopping_ = true;
    stop();
    accepting_.join();
  }

  [[nodiscard]] int port() const { return port_; }
  [[nodiscard]] const std::string& host() const { return options_.host; }

 private:
  bool process_and_close_socket(socket_t socket) override {
    BoundedStream stream(socket, options_, stopping_);
    bool answered = false;
    if (std::this_thread::get_id() == accepting_id_) {
      // Best effort: refused clients are not waited for.
      const std::string answer = busy();
      ::send(socket, answer.data(), answer.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
      ::shutdown(socket, SHUT_WR);
    } else {
      bool closed = false;
      // Ignores ranges: a request with many ranges would repeat the page many times.
      answered = process_request(stream, /*close_connection=*/true, closed,
                                 [](httplib::Request& request) { request.ranges.clear(); });
      stream.finish();
    }
    ::close(socket);
    return answered;
  }

  void answer(const httplib::Request& request, httplib::Response& response) {
    const bool one_host = request.get_header_value_count("Host") == 1;
    if (!one_host || !accepts_host(request.get_header_value("Host"), options_.host)) {
      return refuse(response, 403, "Host: expected this server's address or localhost");
    }
    if (request.method != "GET") {
      response.set_header("Allow", "GET");
      return refuse(response, 405, "Method: expected GET");
    }
    if (request.path == "/") {
      return answer_page(response);
    }
    if (request.path == "/events") {
      return answer_events(request, response);
    }
    refuse(response, 404, "Path: expected / or /events");
  }

  void answer_page(httplib::Response& response) {
    const std::shared_ptr<const std::string> page = newest_page();
    response.set_content_provider(page->size(), "text/html; charset=utf-8",
                                  [page](size_t offset, size_t length, httplib::DataSink& sink) {
                                    constexpr std::size_t block = 1U << 20U;
                                    return sink.write(page->data() + offset, std::min(length, block));
                                  });
  }

  // Made once and shared by all clients.
  std::shared_ptr<const std::string> newest_page() {
    const std::scoped_lock lock(page_mutex_);
    const Feed::Message message = feed_.newest();
    if (!page_text_ || page_version_ != message.version) {
      page_text_.reset();
      page_text_ = std::make_shared<const std::string>(page_(message.payload ? *message.payload : "null"));
      page_version_ = message.version;
    }
    return page_text_;
  }

  void answer_events(const httplib::Request& request, httplib::Response& response) {
    const std::string site = request.get_header_value("Sec-Fetch-Site");
    if (!site.empty() && site != "same-origin" && site != "none") {
      return refuse(response, 403, "Events are only sent to this server's own page");
    }
    const auto place = std::make_shared<const Place>(streams_);
    if (place->number() > options_.streams) {
      return refuse(response, 503, "Too many viewers");
    }
    response.set_chunked_content_provider(
        "text/event-stream", [this, place, seen = std::uint64_t{0}](size_t, httplib::DataSink& sink) mutable {
          return send_next(seen, sink);
        });
  }

  // Sends the next event, or a comment if there is none. Returning false ends the stream.
  bool send_next(std::uint64_t& seen, httplib::DataSink& sink) {
    constexpr std::chrono::milliseconds slice{200};
    for (std::chrono::milliseconds waited{0}; waited < options_.heartbeat; waited += slice) {
      if (stopping_ || !sink.is_writable()) {
        return false;
      }
      if (const Feed::Message message = feed_.newest(seen, slice); message.version > seen) {
        seen = message.version;
        const std::string& payload = *message.payload;
        return write(sink, "data: ") && sink.write(payload.data(), payload.size()) && write(sink, "\n\n");
      }
    }
    return write(sink, ": nothing new\n\n");
  }

  static bool write(httplib::DataSink& sink, std::string_view text) {
    return sink.write(text.data(), text.size());
  }

  const Feed& feed_;
  const std::function<std::string(const std::string&)> page_;
  const ServerOptions options_;
  std::atomic<bool> stopping_ = false;
  std::atomic<std::size_t> streams_ = 0;
  std::mutex page_mutex_;
  std::shared_ptr<const std::string> page_text_;
  std::uint64_t page_version_ = 0;
  int port_ = -1;
  std::thread accepting_;
  std::thread::id accepting_id_;  // written before the workers start
};

Server::Server(const Feed& feed, std::function<std::string(const std::string& payload)> page,
               ServerOptions options)
    : implementation_(std::make_unique<Implementation>(feed, std::move(page), std::move(options))) {}

Server::~Server() = default;

int Server::port() const {
  return implementation_->port();
}

std::string Server::url() const {
  const std::string& host = implementation_->host();
  const bool brackets = host.find(':') != std::string::npos;
  return "http://" + (brackets ? "[" + host + "]" : host) + ":" + std::to_string(port()) + "/";
}

}  // namespace pair::watch
