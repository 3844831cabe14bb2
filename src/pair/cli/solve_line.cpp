#include "pair/cli/solve_line.h"

#include <nlohmann/json.hpp>

namespace pair::cli {
namespace {

using nlohmann::ordered_json;

std::string written(const ordered_json& reply) {
  // An invalid line may have any bytes, and the message may quote them.
  return reply.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::string error_json(std::string_view sentence, std::size_t number) {
  return written({{"error", std::string(sentence)}, {"line", number}});
}

}  // namespace

Reply refuse_line(std::string_view sentence, std::size_t number) {
  return {Outcome::refused, error_json(sentence, number)};
}

Reply solve_line(std::string_view line, std::size_t number) {
  static const PreparedSolvers plain;
  return solve_line(line, number, plain);
}

Reply solve_line(std::string_view line, std::size_t number, const PreparedSolvers& solvers) {
  try {
    const SolveRequest request = read_request(line, solvers);
    const moo::Solution solution = request.solver->weigh(request.problem());
    ordered_json reply;
    reply["weights"] = solution.weights;
    reply["phase"] = nullptr;
    if (solution.phase) {
      reply["phase"] = to_string(*solution.phase);
    }
    reply["divergence"] = solution.divergence;
    reply["objective"] = solution.objective;
    reply["status"] = to_string(solution.status);
    return {Outcome::solved, written(reply)};
  } catch (const std::invalid_argument& error) {
    return refuse_line(error.what(), number);
  } catch (const std::runtime_error& error) {
    return {Outcome::failed, error_json(error.what(), number)};
  }
}

}  // namespace pair::cli
