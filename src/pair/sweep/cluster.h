#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

// Sweeps on Slurm and other schedulers.
//
// The scheduler runs workers. A worker is 'pair sweep launch --out FOLDER' on the sweep's folder, which all
// of them share: it trains runs that nobody else trains, continues those of workers that died, and ends when
// nothing is left (many_runs.h). The scheduler therefore knows nothing of the runs, and a worker may be
// killed at any time.

namespace pair::sweep {

// The command of every worker. The paths are absolute: a scheduler may start it in another folder.
struct Worker {
  std::filesystem::path folder;      // of the sweep
  std::vector<std::string> command;  // one word per argument; the first is the program
};

// Options of sbatch. Empty text and 0: the cluster's default.
struct SlurmOptions {
  std::size_t workers = 1;  // tasks of the job array, at least 1
  std::string partition;
  std::size_t gpus = 0;       // per worker
  std::size_t cpus = 0;       // per worker
  std::string time;           // limit per worker, in sbatch's formats: "2:00:00", "90"
  std::int64_t notice = 120;  // seconds before the limit at which a worker saves its runs and is queued again
  std::vector<std::string> sbatch;  // further options, such as "--account=biology"
  std::vector<std::string> setup;   // shell commands before the worker, such as "module load cuda"
};

// A word as the shell reads it back: 'it'\''s'. Unchanged if it has no special character.
std::string shell_quoted(std::string_view word);

// The command as one line for a shell.
std::string shell_line(const std::vector<std::string>& command);

// The batch script: one job array with a worker per task. Slurm sends SIGUSR1 before the time limit; the
// worker then saves and exits with status 138, and the script queues its task again. Starts are a second
// apart. Output is in FOLDER/slurm/JOB_TASK.log. Throws std::invalid_argument if an option has a line break.
std::string slurm_script(const SlurmOptions& options, const Worker& worker);

// Writes FOLDER/slurm/workers.sh, submits it and appends the job's number to FOLDER/slurm/jobs. Returns the
// number. Throws std::runtime_error with sbatch's own message if it refuses.
std::string submit_to_slurm(const SlurmOptions& options, const Worker& worker);

// The numbers of the jobs that were submitted for the sweep, in order; empty if there are none.
std::vector<std::string> slurm_jobs(const std::filesystem::path& folder);

struct SlurmState {
  std::string job;
  std::map<std::string, std::size_t> tasks;  // number by state, in lower case: "pending", "running"
  std::string reason;                        // why tasks are pending: "Resources"
};

// The tasks of these jobs that are in Slurm's queue. Jobs without any are over and left out. Throws
// std::runtime_error if squeue cannot be executed or fails.
std::vector<SlurmState> slurm_states(const std::vector<std::string>& jobs);

// Cancels jobs. Their workers receive SIGTERM and save. Throws std::runtime_error with scancel's message if
// it fails.
void cancel_on_slurm(const std::vector<std::string>& jobs);

// The user's command for worker number n: {} becomes the worker's command as one quoted word, {n} its number.
// Throws std::invalid_argument if the command has no {}.
std::string worker_line(std::string_view command, std::size_t n, const Worker& worker);

// Submits `workers` workers with a command of the user, such as "qsub -cwd -b y {}". Returns what each
// printed. Throws as worker_line, and std::runtime_error with the command's output if it fails.
std::vector<std::string> submit_by_command(std::string_view command, std::size_t workers,
                                           const Worker& worker);

}  // namespace pair::sweep
