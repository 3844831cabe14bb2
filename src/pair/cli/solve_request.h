#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pair/moo/problem.h"
#include "pair/moo/solver.h"

// One line of 'pair solve', read: JSON in, numbers out.

namespace pair::cli {

// What holds for lines that do not say.
struct SolveDefaults {
  std::string solver = "epo";
  moo::SolverOptions options = {};
};

struct SolveRequest {
  std::vector<double> losses;
  std::vector<double> gram;  // row-major; empty where the number of losses is unusable
  std::vector<double> preference;
  std::vector<double> previous;  // empty where not given
  std::string solver;
  moo::SolverOptions options;

  [[nodiscard]] moo::Problem problem() const { return {losses, gram, preference, previous}; }
};

// A line that cannot be used. The message names the field, the value and what is accepted.
class BadLine : public std::invalid_argument {
 public:
  using std::invalid_argument::invalid_argument;
};

// The longest number accepted, in characters; the exact digits of any double fit.
inline constexpr std::size_t longest_number = 2000;

// Checks what JSON can be wrong in: syntax, fields, types and shapes. Whether the numbers make a problem is
// for moo::validate to say. A field is accepted once; fields that it does not know are ignored, so that
// lines may carry more, unless one looks like a slip for a field that is missing. Throws BadLine.
SolveRequest read_request(std::string_view line, const SolveDefaults& defaults = {});

}  // namespace pair::cli
