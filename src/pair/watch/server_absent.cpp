// Built in place of server.cpp where there is no cpp-httplib.

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
      "there is nothing to watch with: pair was built without cpp-httplib 0.11 (Debian 12: "
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
