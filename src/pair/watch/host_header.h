#pragma once

#include <string_view>

namespace pair::watch {

// Whether a request with this Host header is meant for the server that was given the name `own`: the header
// has that name, localhost or any address, with or without a port. A foreign page that was led here by DNS
// has its own name there.
bool accepts_host(std::string_view header, std::string_view own);

}  // namespace pair::watch
