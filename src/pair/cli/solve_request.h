#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pair/moo/problem.h"
#include "pair/moo/solver.h"

// Parses one line of 'pair solve'.

namespace pair::cli {

// Defaults for fields that a line does not have.
struct SolveDefaults {
  std::string solver = "epo";
  moo::SolverOptions options = {};
};

struct SolveRequest {
  std::vector<double> losses;
  std::vector<double> gram;  // row-major; empty if the number of losses is invalid
  std::vector<double> preference;
  std::vector<double> previous;  // empty if not given
  std::string solver;
  moo::SolverOptions options;

  [[nodiscard]] moo::Problem problem() const { return {losses, gram, preference, previous}; }
};

// An invalid line. The message names the field, what was expected and the value.
class BadLine : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// The maximum length of a number in characters; the exact digits of any double fit.
inline constexpr std::size_t longest_number = 2000;

// Checks syntax, fields, types and shapes; moo::validate checks the numbers. A field may occur once. Unknown
// fields are ignored, unless one looks like a typo of a missing field. Throws BadLine.
SolveRequest read_request(std::string_view line, const SolveDefaults& defaults = {});

}  // namespace pair::cli
