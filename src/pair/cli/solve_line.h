#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "pair/cli/solve_request.h"

// The JSON interface of the solvers, without I/O: turns a line of 'pair solve' into its reply.

namespace pair::cli {

enum class Outcome {
  solved,
  refused,  // the line is invalid
  failed    // the line is valid but the solver failed: a bug
};

struct Reply {
  Outcome outcome;
  std::string json;  // one line, without line end
};

// {"weights": [...], "phase": ..., "divergence": x, "objective": x, "status": ...}, or
// {"error": "...", "line": number}. "phase" is null for methods that have none. Doubles are written with
// the digits that read back as the same double.
Reply solve_line(std::string_view line, std::size_t number, const PreparedSolvers& solvers);
Reply solve_line(std::string_view line, std::size_t number);  // without options of the command line

// The reply to a line that is refused without reading it.
Reply refuse_line(std::string_view sentence, std::size_t number);

}  // namespace pair::cli
