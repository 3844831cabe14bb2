#include "pair/watch/host_header.h"

#include <arpa/inet.h>

#include <algorithm>
#include <string>

#include "pair/base/names.h"

namespace pair::watch {
namespace {

bool is_address(int family, const std::string& text) {
  unsigned char address[sizeof(in6_addr)];
  return ::inet_pton(family, text.c_str(), address) == 1;
}

bool is_port(std::string_view text) {
  return text.size() <= 5 &&
         std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

bool accepts_host(std::string_view header, std::string_view own) {
  if (header.find('\0') != std::string_view::npos) {
    return false;
  }
  if (header.starts_with('[')) {
    const std::size_t end = header.find(']');
    const std::string_view rest = end == std::string_view::npos ? "" : header.substr(end + 1);
    return end != std::string_view::npos &&
           (rest.empty() || (rest.front() == ':' && is_port(rest.substr(1)))) &&
           is_address(AF_INET6, std::string(header.substr(1, end - 1)));
  }
  const std::size_t colon = std::min(header.find(':'), header.size());
  if (colon < header.size() && !is_port(header.substr(colon + 1))) {
    return false;
  }
  const std::string name = base::lower_case(header.substr(0, colon));
  return !name.empty() && (name == "localhost" || name == base::lower_case(own) || is_address(AF_INET, name));
}

}  // namespace pair::watch
