#pragma once

#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pair/cli/prepared_solvers.h"
#include "pair/moo/problem.h"

// Parses one line of 'pair solve'.

namespace pair::cli {

struct SolveRequest {
  std::vector<double> losses;
  std::vector<double> gram;  // row-major; empty if the number of losses is invalid
  std::vector<double> preference;
  std::vector<double> previous;               // empty if not given
  std::shared_ptr<const moo::Solver> solver;  // with the line's options

  [[nodiscard]] moo::Problem problem() const { return {losses, gram, preference, previous}; }
};

// An invalid line. The message names the field, what was expected and the value.
class BadLine : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// The maximum length of a number in characters; the exact digits of any double fit.
inline constexpr std::size_t longest_number = 2000;

// Checks the JSON: syntax, fields, types and shapes; moo::validate checks the numbers. A field may appear
// once. Unknown fields are ignored, so that lines may carry more, unless one looks like a misspelling of a
// missing field. Options of other solvers than the line's are ignored, too. Throws BadLine, and
// std::invalid_argument for an unknown solver.
SolveRequest read_request(std::string_view line, const PreparedSolvers& solvers);

}  // namespace pair::cli
