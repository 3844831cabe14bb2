// Replaces server.cpp in builds without cpp-httplib.

#include <stdexcept>

#include "pair/watch/server.h"

namespace pair::watch {

class Server::Implementation {};

bool has_server() {
  return false;
}

Server::Server(const Feed& /*feed*/, std::function<std::string(const std::string& payload)> /*page*/,
               ServerOptions /*options*/) {
  throw std::runtime_error(
      "watching is not available: pair was built without cpp-httplib 0.11 (Debian 12: "
      "libcpp-httplib-dev)");
}

Server::~Server() = default;

int Server::port() const {
  return 0;
}

std::string Server::url() const {
  return "";
}

}  // namespace pair::watch
