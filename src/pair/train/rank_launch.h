#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "pair/train/ranks.h"

// How processes become the ranks of one run: by the environment variables of torchrun or srun, or started by
// the program itself ('pair train --ranks', cli/train_ranks.h).

namespace pair::train {

// One process among those that train a run together.
struct RankPlace {
  std::int64_t rank = 0;
  std::int64_t ranks = 1;
  std::int64_t local_rank = 0;  // among those on this machine
  std::string address;          // of the machine of rank 0
  std::int64_t port = 0;        // of the store at that address, where ranks leave their own addresses
  bool hosts_store = true;      // whether rank 0 hosts the store; otherwise torchrun does
  std::string prefix;           // of this run's keys in the store
};

// The environment variables of a process by name; null for those that are not set.
using Variables = std::function<const char*(const char*)>;

// The place that the launcher gave this process. torchrun's variables are RANK, WORLD_SIZE, LOCAL_RANK,
// MASTER_ADDR and MASTER_PORT, and TORCHELASTIC_USE_AGENT_STORE and TORCHELASTIC_RESTART_COUNT if its agent
// hosts the store. srun's are SLURM_PROCID, SLURM_STEP_NUM_TASKS or SLURM_NTASKS, SLURM_LOCALID and
// SLURM_STEP_NODELIST or SLURM_NODELIST; the port is a function of SLURM_JOB_ID and SLURM_STEP_ID unless
// MASTER_PORT is set. torchrun's take precedence. A process without them, and a batch script of Slurm, is
// alone. Throws std::invalid_argument that names the variable, the expected values and its value.
RankPlace rank_place(const Variables& variables);

// The longest wait for a rank that does not answer, such as one whose machine has lost its network:
// PAIR_RANK_TIMEOUT seconds, 1 to 1e6, by default 600. (A process that ends closes its connections, which the
// others see at once.) Throws std::invalid_argument for other values.
std::chrono::seconds rank_timeout(const Variables& variables);

// The first host of a list of Slurm: "node03" of "node[03-05,07],other".
std::string first_host(std::string_view list);

// The store of ranks that the program itself starts: at a free port of this machine, for as long as the
// object lives.
class RankStore;
std::shared_ptr<RankStore> host_store();
std::int64_t port_of(const RankStore& store);

// Waits until all ranks are connected, at most `wait` seconds. store: the one that this process hosts
// already, if any. Throws RankLost if that takes longer, and std::runtime_error if this LibTorch has no means
// to connect processes.
Ranks connected(const RankPlace& place, const std::shared_ptr<RankStore>& store = nullptr,
                std::chrono::seconds wait = std::chrono::seconds(300));

}  // namespace pair::train
