#include "pair/cli/train_ranks.h"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <utility>

#include "pair/base/process.h"
#include "pair/train/rank_launch.h"

namespace pair::cli {
namespace {

using namespace std::chrono_literals;

// In the environment of the ranks that this program starts: the process id of rank 0.
constexpr auto started_by = "PAIR_STARTED_BY";
constexpr auto time_to_connect = 60s;
constexpr auto time_to_end = 15s;

// This process's variables with some set.
std::vector<std::string> environment_with(const std::vector<std::pair<std::string, std::string>>& set) {
  std::vector<std::string> all;
  for (char** variable = environ; *variable != nullptr; ++variable) {
    const std::string_view text = *variable;
    bool kept = true;
    for (const auto& [name, value] : set) {
      kept = kept && !text.starts_with(name + "=");
    }
    if (kept) {
      all.emplace_back(text);
    }
  }
  for (const auto& [name, value] : set) {
    all.push_back(name + "=" + value);
  }
  return all;
}

// A rank must not outlive rank 0, which is its parent.
void end_with_parent(const char* parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (std::to_string(::getppid()) != parent) {
    throw std::runtime_error("rank 0 has ended");
  }
}

}  // namespace

TrainRanks::TrainRanks(std::int64_t count, std::span<const char* const> arguments) {
  const char* const parent = std::getenv(started_by);
  if (parent != nullptr) {
    end_with_parent(parent);
  }
  const train::RankPlace place = train::rank_place([](const char* name) { return std::getenv(name); });
  if (count > 0 && place.ranks > 1 && parent == nullptr) {
    throw std::invalid_argument("--ranks: expected none with torchrun or srun, which have started " +
                                std::to_string(place.ranks) + " processes, got " + std::to_string(count));
  }
  if (place.ranks > 1) {
    ranks_ = train::connected(place, nullptr, parent != nullptr ? time_to_connect : 300s);
  } else if (count > 1) {
    try {
      start(count, arguments);
    } catch (const train::RankLost& lost) {
      std::string message = lost.what();
      for (const std::string& sentence : end()) {
        message += "; " + sentence;
      }
      throw train::RankLost(message);
    }
  }
}

void TrainRanks::start(std::int64_t count, std::span<const char* const> arguments) {
  const std::shared_ptr<train::RankStore> store = train::host_store();
  train::RankPlace place;
  place.ranks = count;
  place.address = "127.0.0.1";
  place.port = train::port_of(*store);
  base::Command command;
  command.words = {arguments.begin(), arguments.end()};
  command.program = "/proc/self/exe";
  for (std::int64_t rank = 1; rank < count; ++rank) {
    command.variables = environment_with({{"RANK", std::to_string(rank)},
                                          {"LOCAL_RANK", std::to_string(rank)},
                                          {"WORLD_SIZE", std::to_string(count)},
                                          {"MASTER_ADDR", place.address},
                                          {"MASTER_PORT", std::to_string(place.port)},
                                          {started_by, std::to_string(::getpid())}});
    try {
      started_.push_back(base::start(command));
    } catch (const std::runtime_error& error) {
      throw std::runtime_error("rank " + std::to_string(rank) + ": " + error.what());
    }
  }
  ranks_ = train::connected(place, store, time_to_connect);
}

std::vector<std::string> TrainRanks::end() {
  ranks_ = {};
  std::vector<std::string> sentences;
  const auto limit = std::chrono::steady_clock::now() + time_to_end;
  for (std::size_t i = 0; i < started_.size(); ++i) {
    int status = 0;
    pid_t ended = 0;
    while (started_[i] != 0 && (ended = ::waitpid(started_[i], &status, WNOHANG)) == 0 &&
           std::chrono::steady_clock::now() < limit) {
      std::this_thread::sleep_for(10ms);
    }
    if (started_[i] == 0 || ended == 0) {
      continue;
    }
    started_[i] = 0;
    if (ended > 0 && WIFSIGNALED(status)) {
      sentences.push_back("rank " + std::to_string(i + 1) + " was ended by signal " +
                          std::to_string(WTERMSIG(status)) + " (" + ::strsignal(WTERMSIG(status)) + ")");
    }
  }
  return sentences;
}

TrainRanks::~TrainRanks() {
  ranks_ = {};
  for (const pid_t process : started_) {
    if (process != 0) {
      ::kill(process, SIGKILL);
      ::waitpid(process, nullptr, 0);
    }
  }
}

}  // namespace pair::cli
