#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "pair/cli/solve_request.h"

// The JSON front of the solvers, without I/O: a line of 'pair solve' in, its reply out.

namespace pair::cli {

enum class Outcome {
  solved,
  refused,  // the line cannot be used
  failed    // the line is good but the solver broke: a bug
};

struct Reply {
  Outcome outcome;
  std::string json;  // one line, without its end
};

// {"weights": [...], "phase": ..., "divergence": x, "objective": x, "status": ...}, or
// {"error": "...", "line": number}. "phase" is null for methods that have none. Doubles are written with
// the digits that read back as the same double.
Reply solve_line(std::string_view line, std::size_t number, const PreparedSolvers& solvers);
Reply solve_line(std::string_view line, std::size_t number);  // without options of the command line

// The reply to a line that is refused unread.
Reply refuse_line(std::string_view sentence, std::size_t number);

}  // namespace pair::cli
