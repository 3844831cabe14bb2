#include <limits>
#include <optional>
#include <stdexcept>

#include "pair/base/numbers.h"
#include "pair/train/rank_launch.h"

namespace pair::train {
namespace {

constexpr std::int64_t most_ranks = 65536;
constexpr std::int64_t largest_port = 65535;

std::string text_of(const Variables& variables, const char* name) {
  const char* const text = variables(name);
  return text == nullptr ? std::string() : text;
}

[[noreturn]] void refuse_variable(const std::string& name, const std::string& expected,
                                  const std::string& text) {
  throw std::invalid_argument(name + ": expected " + expected + ", got " +
                              (text.empty() ? "nothing" : "'" + text + "'"));
}

std::int64_t number_of(const Variables& variables, const char* name, std::int64_t low, std::int64_t high) {
  const std::string text = text_of(variables, name);
  const auto number = base::number_from<std::int64_t>(text);
  if (!number || *number < low || *number > high) {
    refuse_variable(name, "an integer from " + std::to_string(low) + " to " + std::to_string(high), text);
  }
  return *number;
}

std::int64_t number_or(const Variables& variables, const char* name, std::int64_t low, std::int64_t high,
                       std::int64_t otherwise) {
  return text_of(variables, name).empty() ? otherwise : number_of(variables, name, low, high);
}

RankPlace torchrun_place(const Variables& variables) {
  RankPlace place;
  place.ranks = number_of(variables, "WORLD_SIZE", 1, most_ranks);
  place.rank = number_of(variables, "RANK", 0, place.ranks - 1);
  if (place.ranks == 1) {
    return {};
  }
  place.local_rank = number_or(variables, "LOCAL_RANK", 0, place.ranks - 1, place.rank);
  place.address = text_of(variables, "MASTER_ADDR");
  if (place.address.empty()) {
    refuse_variable("MASTER_ADDR", "the host of rank 0, since WORLD_SIZE is " + std::to_string(place.ranks),
                    place.address);
  }
  place.port = number_of(variables, "MASTER_PORT", 1, largest_port);
  if (text_of(variables, "TORCHELASTIC_USE_AGENT_STORE") == "True") {
    place.hosts_store = false;
    // The prefix that torchrun's own workers use: each restart has keys of its own.
    place.prefix = "/worker/attempt_" + text_of(variables, "TORCHELASTIC_RESTART_COUNT");
  }
  return place;
}

// The number of tasks of srun's step. A batch script has SLURM_NTASKS, too, but is one process.
std::optional<std::int64_t> tasks_of_step(const Variables& variables) {
  if (!text_of(variables, "SLURM_STEP_NUM_TASKS").empty()) {
    return number_of(variables, "SLURM_STEP_NUM_TASKS", 1, most_ranks);
  }
  if (text_of(variables, "SLURM_STEP_ID").empty() || text_of(variables, "SLURM_NTASKS").empty()) {
    return std::nullopt;
  }
  return number_of(variables, "SLURM_NTASKS", 1, most_ranks);
}

RankPlace slurm_place(const Variables& variables, std::int64_t tasks) {
  RankPlace place;
  place.ranks = tasks;
  place.rank = number_of(variables, "SLURM_PROCID", 0, tasks - 1);
  place.local_rank = number_or(variables, "SLURM_LOCALID", 0, tasks - 1, 0);
  place.address = text_of(variables, "MASTER_ADDR");
  if (place.address.empty()) {
    std::string list = text_of(variables, "SLURM_STEP_NODELIST");
    list = list.empty() ? text_of(variables, "SLURM_NODELIST") : list;
    place.address = first_host(list);
    if (place.address.empty()) {
      refuse_variable("SLURM_NODELIST", "a list of hosts such as node[01-02]", list);
    }
  }
  // One port per job step, out of those that are free on most machines.
  constexpr std::int64_t first_port = 20000;
  constexpr std::int64_t ports = 40000;
  constexpr std::int64_t steps = 16;
  constexpr std::int64_t any = std::numeric_limits<std::int64_t>::max() / steps;
  const std::int64_t job = number_or(variables, "SLURM_JOB_ID", 0, any, 0);
  const std::int64_t step = number_or(variables, "SLURM_STEP_ID", 0, any, 0);
  place.port = number_or(variables, "MASTER_PORT", 1, largest_port,
                         first_port + (job % ports * steps + step % ports) % ports);
  return place;
}

}  // namespace

RankPlace rank_place(const Variables& variables) {
  if (!text_of(variables, "RANK").empty() || !text_of(variables, "WORLD_SIZE").empty()) {
    return torchrun_place(variables);
  }
  const std::optional<std::int64_t> tasks = tasks_of_step(variables);
  return tasks && *tasks > 1 ? slurm_place(variables, *tasks) : RankPlace{};
}

std::chrono::seconds rank_timeout(const Variables& variables) {
  constexpr std::int64_t longest = 1'000'000;
  constexpr std::int64_t usual = 600;
  return std::chrono::seconds(number_or(variables, "PAIR_RANK_TIMEOUT", 1, longest, usual));
}

std::string first_host(std::string_view list) {
  const std::size_t bracket = list.find('[');
  const std::size_t comma = list.find(',');
  if (bracket == std::string_view::npos || comma < bracket) {
    return std::string(list.substr(0, comma));
  }
  const std::size_t end = list.find_first_of(",-]", bracket);
  const std::size_t closing = list.find(']', bracket);
  if (end == std::string_view::npos || closing == std::string_view::npos) {
    return {};
  }
  const std::size_t after = list.find(',', closing);
  return std::string(list.substr(0, bracket)) + std::string(list.substr(bracket + 1, end - bracket - 1)) +
         std::string(list.substr(closing + 1, after == std::string_view::npos ? after : after - closing - 1));
}

}  // namespace pair::train
