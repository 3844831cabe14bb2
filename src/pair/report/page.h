#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace pair::report {

// The payload (payload.h) as one HTML file that needs nothing else: no network, no file beside it. Names in
// the payload are shown, never executed: they are data in the file, and its content security policy knows
// the hashes of the only scripts that may run.
//
// A live page also opens the event source "events" beside it. Every message is a payload, which the page
// shows in place of the one before; what the reader chose (metrics, filters, order, place) stays.
std::string page(const nlohmann::json& payload, bool live);

// Whether the build has the plotting library. Without it a page has the words and the tables, and says so.
bool have_plotly();

}  // namespace pair::report
