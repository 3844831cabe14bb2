#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "pair/train/ranks.h"

namespace pair::cli {

// The processes that train the runs of one 'pair train' together: those that torchrun or srun started, or
// that this one starts for --ranks, as rank 0, with its own arguments.
class TrainRanks {
 public:
  // count: the value of --ranks; 0 if it is not given. arguments: this program's. Returns when all ranks are
  // connected. Throws std::invalid_argument for invalid environment variables, and if both --ranks and a
  // launcher start ranks; RankLost if ranks cannot be connected.
  TrainRanks(std::int64_t count, std::span<const char* const> arguments);
  TrainRanks(const TrainRanks&) = delete;
  TrainRanks& operator=(const TrainRanks&) = delete;
  // Ends the processes that it started and that have not ended by themselves.
  ~TrainRanks();

  [[nodiscard]] const train::Ranks& ranks() const { return ranks_; }

  // Disconnects and waits for the processes that this one started, some seconds at most. Returns a sentence
  // for each that a signal ended. All other copies of ranks() must be gone, or the others wait for them.
  std::vector<std::string> end();

 private:
  void start(std::int64_t count, std::span<const char* const> arguments);

  train::Ranks ranks_;
  std::vector<pid_t> started_;  // ranks 1, 2, ...; 0 once waited for
};

}  // namespace pair::cli
