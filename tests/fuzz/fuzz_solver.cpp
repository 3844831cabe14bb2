#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "pair/moo/epo.h"
#include "pair/moo/registry.h"
#include "tests/fuzz/require.h"

// Bytes become a problem and a method. For any numbers, the method refuses with InvalidProblem or
// returns weights with the properties stated in its header.
//
// The input: byte 0 the method, byte 1 the number of objectives, byte 2 how the rest is read (see Numbers,
// and whether a Gram matrix or gradients follow), then epsilon, losses, preference, Gram matrix or
// gradients, and the previous weights. Bytes that are missing count as zero.

namespace pair::moo {
namespace {

using pair::fuzz::require;

class Numbers {
 public:
  Numbers(std::span<const std::uint8_t> bytes, bool raw) : bytes_(bytes), raw_(raw) {}

  // Raw: the eight bytes of a double. Else two bytes: 15 steps of fraction, sign and 128 binary exponents
  // eight apart, which reach every magnitude; mutations of them stay numbers that mean something.
  double next(bool may_be_negative) {
    if (raw_) {
      std::array<std::uint8_t, 8> value{};
      std::generate(value.begin(), value.end(), [this] { return byte(); });
      double result = 0.0;
      std::memcpy(&result, value.data(), sizeof result);
      return result;
    }
    const std::uint8_t fraction = byte();
    const std::uint8_t exponent = byte();
    if (exponent == 0xff) {
      constexpr std::array special{0.0,
                                   -0.0,
                                   1.0,
                                   std::numeric_limits<double>::min(),
                                   std::numeric_limits<double>::denorm_min(),
                                   std::numeric_limits<double>::max(),
                                   std::numeric_limits<double>::infinity(),
                                   std::numeric_limits<double>::quiet_NaN()};
      return special[fraction % special.size()];
    }
    const int steps = 1 + fraction % 16;
    const int power = (fraction / 16 % 8) + ((exponent % 128) - 64) * ((fraction & 0x80) != 0 ? 1 : 8);
    const double magnitude = std::ldexp(static_cast<double>(steps), power);
    return may_be_negative && exponent >= 128 ? -magnitude : magnitude;
  }

  std::vector<double> several(std::size_t count, bool may_be_negative) {
    std::vector<double> result(count);
    std::generate(result.begin(), result.end(), [&] { return next(may_be_negative); });
    return result;
  }

  std::uint8_t byte() {
    if (bytes_.empty()) {
      return 0;
    }
    const std::uint8_t first = bytes_.front();
    bytes_ = bytes_.subspan(1);
    return first;
  }

 private:
  std::span<const std::uint8_t> bytes_;
  bool raw_;
};

void check_weights(const Solution& solution, std::size_t m, bool may_be_negative, const std::string& method) {
  require(solution.weights.size() == m, method + ": one weight per objective");
  double sum = 0.0;
  for (const double weight : solution.weights) {
    require(std::isfinite(weight), method + ": weights are finite");
    require(may_be_negative || weight >= 0.0, method + ": weights are not negative");
    sum += std::abs(weight);
  }
  require(std::abs(sum - 1.0) <= 1e-12, method + ": weights sum to 1");
  require(std::isfinite(solution.divergence) && solution.divergence >= 0.0, method + ": divergence");
  require(std::isfinite(solution.objective), method + ": the objective is finite");
}

// Constraints kept within 1e-9 of their row's norm, and no vertex of the simplex that keeps them all is
// better.
void check_epo(const Problem& problem, double epsilon, const Solution& solution) {
  if (solution.status == Status::infeasible) {
    return;
  }
  const std::size_t m = problem.size();
  const EpoProgram program = epo_program(problem, epsilon);
  require(solution.phase == program.phase, "epo: phase");
  std::vector<bool> feasible(m, true);
  for (std::size_t i = 0; i < program.bounds.size(); ++i) {
    const std::span row(program.rows.data() + i * m, m);
    double norm = 0.0;
    long double value = 0.0;
    for (std::size_t j = 0; j < m; ++j) {
      norm = std::hypot(norm, row[j]);
      value += static_cast<long double>(row[j]) * solution.weights[j];
      feasible[j] = feasible[j] && row[j] >= program.bounds[i];
    }
    require(value >= program.bounds[i] - 1e-9L * norm, "epo: a constraint is broken");
  }
  double largest = 0.0;
  for (const DoubleDouble coefficient : program.objective) {
    largest = std::max(largest, std::abs(coefficient.hi));
  }
  for (std::size_t j = 0; j < m; ++j) {
    require(!feasible[j] || solution.objective >= program.objective[j].value() - 1e-12 * largest,
            "epo: a vertex is better");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::span<const std::uint8_t> bytes(data, size);
  if (bytes.size() < 3) {
    return 0;
  }
  const SolverEntry& entry = solvers()[bytes[0] % solvers().size()];
  const std::size_t m = bytes[1] % 12;
  const std::uint8_t how = bytes[2];
  const bool signed_everywhere = (how & 2) != 0;
  Numbers numbers(bytes.subspan(3), (how & 1) != 0);

  const double epsilon = (how & 4) != 0 ? std::abs(numbers.next(false)) : EpoOptions{}.epsilon;
  if (!epsilon_range.holds(epsilon)) {
    return 0;
  }
  pair::base::Options options = entry.options;
  if (const pair::base::Field* const field = options.find("epsilon")) {
    options.set_value(*field, epsilon);
  }
  const std::vector<double> losses = numbers.several(m, signed_everywhere);
  const std::vector<double> preference = numbers.several(m, signed_everywhere);
  std::vector<double> gram;
  try {
    if ((how & 8) != 0) {
      gram = numbers.several(m * m, true);
      for (std::size_t i = 0; i < m && (how & 16) != 0; ++i) {
        for (std::size_t j = 0; j < i; ++j) {
          gram[i * m + j] = gram[j * m + i];
        }
      }
    } else {
      const std::size_t n = 1 + numbers.byte() % 12;
      gram = gram_of(numbers.several(m * n, true), m);
    }
  } catch (const InvalidProblem&) {
    return 0;
  }
  std::vector<double> previous;
  if ((how & 32) != 0) {
    previous = numbers.several(m, signed_everywhere);
    if ((how & 64) != 0) {
      double sum = 0.0;
      for (const double weight : previous) {
        sum += weight;
      }
      for (double& weight : previous) {
        weight /= sum;
      }
    }
  }

  const Problem problem{losses, gram, preference, previous};
  const std::string& method = entry.name;
  Solution solution;
  try {
    solution = make_solver(entry.name, options)->weigh(problem);
  } catch (const InvalidProblem& refusal) {
    require(std::strlen(refusal.what()) > 10, method + ": a refusal is a sentence");
    return 0;
  } catch (const std::exception& failure) {
    require(false, method + ": " + failure.what());
  }
  check_weights(solution, m, method == "pmtl", method);
  if (method == "epo") {
    check_epo(problem, epsilon, solution);
  }
  return 0;
}

}  // namespace pair::moo
