#include "pair/watch/server.h"

#include <gmock/gmock.h>

#include <memory>
#include <system_error>
#include <vector>

#include "tests/watch/client.h"

// Real sockets: viewers, and clients that misbehave.

namespace pair::watch::test::server_test {
namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;
using ::testing::ThrowsMessage;

class WatchServer : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_server()) {
      GTEST_SKIP() << "built without cpp-httplib";
    }
    feed.publish(R"({"runs":1})");
  }

  int serve(const ServerOptions& options = {}) {
    server = std::make_unique<Server>(
        feed, [](const std::string& payload) { return "<html>" + payload + "</html>"; }, options);
    return server->port();
  }

  void expect_alive() const {
    EXPECT_EQ(body_of(get(server->port(), "/")), "<html>" + *feed.newest().payload + "</html>");
  }

  Feed feed;
  std::unique_ptr<Server> server;
};

TEST_F(WatchServer, ShowsThePageOfTheNewestPayload) {
  const int port = serve();
  EXPECT_EQ(server->url(), "http://127.0.0.1:" + std::to_string(port) + "/");
  const std::string answer = get(port, "/");
  EXPECT_EQ(status_of(answer), 200);
  EXPECT_THAT(answer, HasSubstr("Content-Type: text/html; charset=utf-8\r\n"));
  EXPECT_THAT(answer, HasSubstr("Cache-Control: no-store\r\n"));
  EXPECT_THAT(answer, Not(HasSubstr("Access-Control")));
  EXPECT_EQ(body_of(answer), R"(<html>{"runs":1}</html>)");
  feed.publish(R"({"runs":2})");
  EXPECT_EQ(body_of(get(port, "/?a=b")), R"(<html>{"runs":2}</html>)");
}

TEST_F(WatchServer, SendsThePayloadAtOnceAndEachThatFollows) {
  Events events(serve());
  EXPECT_EQ(events.next(), R"({"runs":1})");
  for (int i = 2; i < 5; ++i) {
    const std::string payload = "{\"runs\":" + std::to_string(i) + "}";
    feed.publish(payload);
    EXPECT_EQ(events.next(2s), payload);
  }
  feed.publish(R"({"runs":4})");
  EXPECT_THAT(events.next(500ms), IsEmpty()) << "the same payload is not sent again";
}

TEST_F(WatchServer, SendsACommentWhereNothingHappens) {
  ServerOptions options;
  options.heartbeat = 200ms;
  Client client(serve(options));
  client.send("GET /events HTTP/1.1\r\nHost: localhost\r\nAccept-Encoding: gzip, br\r\n\r\n");
  const std::string head = client.receive_until("\r\n\r\n");
  EXPECT_THAT(head, HasSubstr("Content-Type: text/event-stream\r\n"));
  EXPECT_THAT(head, Not(HasSubstr("Content-Encoding")));
  EXPECT_THAT(client.receive_until(": nothing new\n\n", 5s), HasSubstr("data: "));
  EXPECT_THAT(client.receive_until(": nothing new\n\n", 5s), HasSubstr(": nothing new\n\n"));
}

TEST_F(WatchServer, HasNoOtherPath) {
  const int port = serve();
  for (const char* path :
       {"/../../../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/..%2f..%2fetc%2fpasswd", "//etc/passwd",
        "/events/../../etc/passwd", "/results.jsonl", "/run/results.jsonl", "/index.html", "/favicon.ico",
        "/events/", "/%00", R"(/\..\..\etc\passwd)", "file:///etc/passwd", "*"}) {
    const std::string answer = get(port, path);
    EXPECT_THAT(status_of(answer), AnyOf(404, 400, 0)) << path;
    EXPECT_THAT(answer, Not(HasSubstr("root:"))) << path;
  }
  expect_alive();
}

TEST_F(WatchServer, HasNoOtherMethod) {
  const int port = serve();
  for (const char* method :
       {"POST", "PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "TRACE", "CONNECT", "BREW", "get"}) {
    for (const char* path : {"/", "/events", "/x"}) {
      const std::string answer =
          ask(port, std::string(method) + " " + path +
                        " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbody");
      EXPECT_THAT(status_of(answer), AnyOf(405, 400)) << method << " " << path;
    }
  }
  expect_alive();
}

TEST_F(WatchServer, IsNotReachedByAForeignName) {
  const int port = serve();
  const auto with_host = [port](const std::string& headers) {
    return status_of(ask(port, "GET / HTTP/1.1\r\n" + headers + "\r\n"));
  };
  for (const char* host : {"evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "",
                           "127.0.0.1@evil", "evil.example:127.0.0.1"}) {
    EXPECT_EQ(with_host("Host: " + std::string(host) + "\r\n"), 403) << host;
  }
  EXPECT_EQ(with_host(""), 403);
  EXPECT_EQ(with_host("Host: localhost\r\nHost: evil.example\r\n"), 403);
  EXPECT_EQ(with_host("Host: localhost:8080\r\n"), 200);
}

TEST_F(WatchServer, HasNoEventsForAForeignPage) {
  const int port = serve();
  EXPECT_EQ(status_of(get(port, "/events", "Sec-Fetch-Site: cross-site\r\n")), 403);
  EXPECT_EQ(status_of(get(port, "/events", "Sec-Fetch-Site: same-site\r\n")), 403);
}

TEST_F(WatchServer, ReadsNoMoreThanARequest) {
  ServerOptions options;
  options.request_time = 1s;
  const int port = serve(options);
  const std::string start = "GET / HTTP/1.1\r\nHost: localhost\r\n";
  std::string many = start;
  for (int i = 0; i < 10'000; ++i) {
    many += "X-" + std::to_string(i) + ": 1\r\n";
  }
  const std::vector<std::string> attacks{std::string(1 << 20, 'A'),
                                         "GET /" + std::string(1 << 20, 'a') + " HTTP/1.1\r\n\r\n",
                                         start + "X: " + std::string(1 << 20, 'x') + "\r\n\r\n",
                                         start + "X: " + std::string(9000, 'x') + "\r\n\r\n",
                                         many + "\r\n",
                                         "\r\n\r\n\r\n",
                                         std::string(5000, '\0'),
                                         "GET / HTTP/9.9\r\n\r\n",
                                         "GET / HTTP/1.1\nHost localhost\n\n"};
  for (const std::string& attack : attacks) {
    EXPECT_THAT(status_of(ask(port, attack)), AnyOf(0, 400, 403, 404, 414)) << attack.substr(0, 40);
  }
  expect_alive();
}

TEST_F(WatchServer, AnswersOneRequestAConnection) {
  const std::string request = "GET / HTTP/1.1\r\nHost: localhost\r\nConnection: keep-alive\r\n\r\n";
  const std::string answer = ask(serve(), request + request);
  EXPECT_EQ(answer.find("HTTP/1.1 200"), 0U);
  EXPECT_EQ(answer.find("HTTP/1.1", 1), std::string::npos);
}

TEST_F(WatchServer, SendsAPageOnceHoweverManyRangesAreAskedFor) {
  const int port = serve();
  std::string ranges = "Range: bytes=0-";
  while (ranges.size() < 8000) {
    ranges += ",0-";
  }
  const std::string answer = get(port, "/", ranges + "\r\n");
  EXPECT_LE(answer.size(), 1000U);
  EXPECT_THAT(status_of(answer), AnyOf(200, 416, 400));
  expect_alive();
}

TEST_F(WatchServer, DropsClientsThatSendSlowly) {
  ServerOptions options;
  options.request_time = 400ms;
  Client client(serve(options));
  const Clock::time_point began = Clock::now();
  // Single bytes do not restart the clock.
  for (const char byte :
       std::string("GET / HTTP/1.1\r\nHost: localhost\r\nX: yyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyyy")) {
    if (!client.send({&byte, 1}) || client.is_closed_within(50ms)) {
      break;
    }
  }
  EXPECT_TRUE(client.is_closed_within(2s));
  EXPECT_GE(Clock::now() - began, 300ms);
  expect_alive();
}

TEST_F(WatchServer, DropsClientsThatDoNotRead) {
  ServerOptions options;
  options.stall_time = 300ms;
  options.connections = 2;
  feed.publish("\"" + std::string(32 << 20, 'x') + "\"");
  const int port = serve(options);
  const Client one(port);
  const Client other(port);
  for (const Client* client : {&one, &other}) {
    client->send("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  // Both occupy a worker, and lose it.
  const Clock::time_point deadline = Clock::now() + 10s;
  while (status_of(get(port, "/x")) != 404 && Clock::now() < deadline) {
  }
  EXPECT_LT(Clock::now(), deadline);
}

TEST_F(WatchServer, RefusesTooManyClients) {
  ServerOptions options;
  options.connections = 4;
  options.streams = 2;
  const int port = serve(options);
  {
    Events one(port);
    Events two(port);
    EXPECT_THAT(one.next(), Not(IsEmpty()));
    EXPECT_THAT(two.next(), Not(IsEmpty()));
    EXPECT_EQ(status_of(get(port, "/events")), 503) << "no third stream";
    expect_alive();
    std::vector<std::unique_ptr<Client>> crowd;
    bool refused = false;
    std::string answer;
    for (int i = 0; i < 6 && !refused; ++i) {
      crowd.push_back(std::make_unique<Client>(port));
      answer = crowd.back()->receive(500ms);
      refused = status_of(answer) == 503;
    }
    EXPECT_TRUE(refused) << "no fifth connection";
    const std::size_t body = answer.find("\r\n\r\n") + 4;
    EXPECT_THAT(answer, HasSubstr("Content-Length: " + std::to_string(answer.size() - body) + "\r\n"));
    EXPECT_THAT(one.next(100ms), IsEmpty());
  }
  // A client that has gone makes room as soon as the server notices.
  const Clock::time_point deadline = Clock::now() + 10s;
  while (Events(port).next().empty() && Clock::now() < deadline) {
  }
  EXPECT_LT(Clock::now(), deadline);
  expect_alive();
}

TEST_F(WatchServer, SurvivesAThousandConnections) {
  const int port = serve();
  {
    std::vector<std::unique_ptr<Client>> crowd;
    for (int i = 0; i < 300; ++i) {
      crowd.push_back(std::make_unique<Client>(port));
    }
  }
  for (int i = 0; i < 700; ++i) {
    const Client client(port);
    client.send("GET / HTTP/1.1\r\n");
  }
  const Clock::time_point deadline = Clock::now() + 10s;
  while (status_of(get(port, "/")) != 200 && Clock::now() < deadline) {
  }
  expect_alive();
}

TEST_F(WatchServer, EndsImmediatelyWithConnectedClients) {
  const int port = serve();
  Events events(port);
  EXPECT_THAT(events.next(), Not(IsEmpty()));
  const Client silent(port);
  const Clock::time_point began = Clock::now();
  server.reset();
  EXPECT_LT(Clock::now() - began, 2s);
  EXPECT_THROW(Client{port}, std::system_error);
}

TEST_F(WatchServer, HasItsPortToItself) {
  ServerOptions options;
  options.port = serve();
  EXPECT_THAT(
      [&] {
        Server(
            feed, [](const std::string& payload) { return payload; }, options);
      },
      ThrowsMessage<std::runtime_error>(StartsWith("cannot listen at 127.0.0.1, port ")));
  options.port = 0;
  options.host = "192.0.2.1";
  EXPECT_THAT(
      [&] {
        Server(
            feed, [](const std::string& payload) { return payload; }, options);
      },
      ThrowsMessage<std::runtime_error>(StartsWith("cannot listen at 192.0.2.1, port 0: ")));
}

}  // namespace
}  // namespace pair::watch::test::server_test
