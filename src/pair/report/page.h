#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace pair::report {

// The payload (payload.h) as one self-contained HTML file: no network access, no other files. Names in the
// payload are shown, never executed: they are data, and the content security policy lists the hashes of the
// only scripts that may run.
//
// A live page also opens the event source "events" next to it. Each message is a payload that replaces the
// previous one; the reader's choices (metrics, filters, order, scroll position) are kept.
std::string page(const nlohmann::json& payload, bool live);

// Whether the build has the plotting library. Without it, a page has text and tables, and says that figures
// are missing.
bool have_plotly();

}  // namespace pair::report
