#pragma once

#include <string_view>

namespace pair::watch {

// Whether a request with this Host header is meant for the server named `own`: the header has that name,
// localhost or an IP address, with or without a port. The page of another site (DNS rebinding) sends its own
// name.
bool accepts_host(std::string_view header, std::string_view own);

}  // namespace pair::watch
