#include "pair/sweep/cluster.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <sstream>
#include <stdexcept>

#include "pair/base/files.h"
#include "pair/base/names.h"
#include "pair/base/options.h"
#include "pair/base/process.h"
#include "pair/base/tables.h"

namespace pair::sweep {
namespace {

namespace fs = std::filesystem;

fs::path slurm_folder(const fs::path& folder) {
  return folder / "slurm";
}

fs::path jobs_file(const fs::path& folder) {
  return slurm_folder(folder) / "jobs";
}

// A program's output as text for an error message.
std::string failure(const std::string& program, const base::Finished& finished) {
  const std::string_view output = base::trimmed(finished.output);
  std::string sentence = program;
  sentence += output.empty() ? " failed with exit status " + std::to_string(finished.status)
                             : " failed: " + base::printable(output);
  return sentence;
}

base::Finished run_scheduler(const std::vector<std::string>& command) {
  const std::string& program = command.front();
  if (program.find('/') == std::string::npos && !base::is_installed(program)) {
    throw std::runtime_error(program +
                             " was not found; expected a machine from which jobs can be submitted to Slurm");
  }
  return base::run_program(command, "/");
}

void check_one_line(std::string_view option, std::string_view value) {
  if (value.find_first_of("\r\n") != std::string_view::npos) {
    throw std::invalid_argument(std::string(option) + ": expected one line, got a line break");
  }
}

// "pair-" and the folder's name, as far as it is plain.
std::string job_name(const fs::path& folder) {
  std::string name = "pair-";
  for (const char letter : folder.filename().string()) {
    const bool plain =
        std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '-' || letter == '_';
    name += plain ? letter : '_';
  }
  return name;
}

}  // namespace

std::string shell_quoted(std::string_view word) {
  const auto plain = [](char letter) {
    return std::isalnum(static_cast<unsigned char>(letter)) != 0 ||
           std::string_view("_-./=:,+@%").find(letter) != std::string_view::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) {
    return std::string(word);
  }
  std::string quoted = "'";
  for (const char letter : word) {
    if (letter == '\'') {
      quoted += "'\\''";
    } else {
      quoted += letter;
    }
  }
  return quoted + "'";
}

std::string shell_line(const std::vector<std::string>& command) {
  return base::joined(command, " ", [](const std::string& word) { return shell_quoted(word); });
}

std::string slurm_script(const SlurmOptions& options, const Worker& worker) {
  check_one_line("--partition", options.partition);
  check_one_line("--time", options.time);
  check_one_line("--out", worker.folder.string());
  std::ostringstream script;
  const auto option = [&script](std::string_view text) { script << "#SBATCH " << text << '\n'; };
  script << "#!/bin/bash\n";
  option("--job-name=" + job_name(worker.folder));
  option("--array=0-" + std::to_string(options.workers - 1));
  // Slurm reads quotes in these lines as a shell does.
  option("--output=" + shell_quoted((slurm_folder(worker.folder) / "%A_%a.log").string()));
  option("--open-mode=append");
  option("--ntasks=1");
  option("--requeue");
  option("--signal=B:USR1@" + std::to_string(options.notice));
  if (!options.partition.empty()) {
    option("--partition=" + shell_quoted(options.partition));
  }
  if (options.gpus > 0) {
    option("--gres=gpu:" + std::to_string(options.gpus));
  }
  if (options.cpus > 0) {
    option("--cpus-per-task=" + std::to_string(options.cpus));
  }
  if (!options.time.empty()) {
    option("--time=" + shell_quoted(options.time));
  }
  for (const std::string& further : options.sbatch) {
    check_one_line("--sbatch", further);
    option(further);
  }
  script << "\n# Written by 'pair sweep launch --launcher slurm'. Every task is a worker on the sweep's "
            "folder.\n"
            "# The kernels of OpenBLAS depend on the node's processor, unless the user has chosen them.\n"
            "[ -z \"${PAIR_CHOSE_CORETYPE:-}\" ] || unset OPENBLAS_CORETYPE PAIR_CHOSE_CORETYPE\n";
  for (const std::string& command : options.setup) {
    script << command << '\n';
  }
  script << "# Workers that start in the same second would read the same files.\n"
            "sleep \"$((SLURM_ARRAY_TASK_ID % 60))\"\n"
         << shell_line(worker.command) << " &\n"
         << R"(worker=$!
trap 'kill -USR1 "$worker"' USR1
trap 'kill -TERM "$worker"' TERM
wait "$worker"
status=$?
# A trapped signal ends wait before the worker has saved.
while kill -0 "$worker" 2>/dev/null; do
  wait "$worker"
  status=$?
done
# 138: SIGUSR1, which Slurm sends before the time limit. The task is queued again and continues.
if [ "$status" -eq 138 ]; then
  scontrol requeue "${SLURM_ARRAY_JOB_ID}_${SLURM_ARRAY_TASK_ID}"
fi
exit "$status"
)";
  return script.str();
}

std::string submit_to_slurm(const SlurmOptions& options, const Worker& worker) {
  const std::string script = slurm_script(options, worker);
  const fs::path folder = slurm_folder(worker.folder);
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw std::runtime_error("cannot create the folder " + folder.string() + ": " + error.message());
  }
  const fs::path file = folder / "workers.sh";
  base::replace_file(file, script);
  const base::Finished finished = run_scheduler({"sbatch", "--parsable", file.string()});
  if (finished.status != 0) {
    throw std::runtime_error(failure("sbatch", finished));
  }
  // "17" or "17;cluster", possibly after lines of a site's own.
  const std::string_view output = base::trimmed(finished.output);
  const std::string_view last = output.substr(output.rfind('\n') + 1);
  std::string job(last.substr(0, last.find(';')));
  if (job.empty() ||
      !std::all_of(job.begin(), job.end(), [](unsigned char c) { return std::isdigit(c) != 0; })) {
    throw std::runtime_error("sbatch: expected the number of a job, got '" + base::printable(output) + "'");
  }
  std::string jobs;
  if (base::is_there(jobs_file(worker.folder))) {
    jobs = base::read_file(jobs_file(worker.folder));
  }
  base::replace_file(jobs_file(worker.folder), jobs + job + "\n");
  return job;
}

std::vector<std::string> slurm_jobs(const std::filesystem::path& folder) {
  if (!base::is_there(jobs_file(folder))) {
    return {};
  }
  std::istringstream lines(base::read_file(jobs_file(folder)));
  std::vector<std::string> jobs;
  for (std::string line; std::getline(lines, line);) {
    if (!line.empty()) {
      jobs.push_back(line);
    }
  }
  return jobs;
}

std::vector<SlurmState> slurm_states(const std::vector<std::string>& jobs) {
  if (jobs.empty()) {
    return {};
  }
  // One call for all jobs, since each is a question to the controller; one line per task, with its array's
  // job.
  const base::Finished finished = run_scheduler(
      {"squeue", "--noheader", "--array", "--format=%F|%T|%r", "--jobs=" + base::joined(jobs, ",")});
  if (finished.status != 0) {
    // Slurm forgets jobs a few minutes after their end. It says so only if it knows none of them.
    if (finished.output.find("Invalid job id") != std::string::npos) {
      return {};
    }
    throw std::runtime_error(failure("squeue", finished));
  }
  std::map<std::string, SlurmState> by_job;
  std::istringstream lines(finished.output);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t bar = line.find('|');
    const std::size_t second = line.find('|', bar + 1);
    if (bar == std::string::npos || second == std::string::npos) {
      continue;
    }
    SlurmState& state = by_job[std::string(base::trimmed(std::string_view(line).substr(0, bar)))];
    const std::string name = base::lower_case(std::string_view(line).substr(bar + 1, second - bar - 1));
    if (name == "pending" && state.reason.empty()) {
      state.reason = base::trimmed(std::string_view(line).substr(second + 1));
    }
    ++state.tasks[name];
  }
  std::vector<SlurmState> states;
  for (const std::string& job : jobs) {
    if (const auto found = by_job.find(job); found != by_job.end()) {
      states.push_back(std::move(found->second));
      states.back().job = job;
      by_job.erase(found);
    }
  }
  return states;
}

void cancel_on_slurm(const std::vector<std::string>& jobs) {
  std::vector<std::string> command = {"scancel"};
  command.insert(command.end(), jobs.begin(), jobs.end());
  const base::Finished finished = run_scheduler(command);
  if (finished.status != 0) {
    throw std::runtime_error(failure("scancel", finished));
  }
}

std::string worker_line(std::string_view command, std::size_t n, const Worker& worker) {
  if (command.find("{}") == std::string_view::npos) {
    throw std::invalid_argument("--command: expected a command with {} in place of the worker, got '" +
                                std::string(command) + "'");
  }
  const auto replaced = [](std::string text, std::string_view mark, const std::string& by) {
    for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + by.size())) {
      text.replace(at, mark.size(), by);
    }
    return text;
  };
  return replaced(replaced(std::string(command), "{n}", std::to_string(n)), "{}",
                  shell_quoted(shell_line(worker.command)));
}

std::vector<std::string> submit_by_command(std::string_view command, std::size_t workers,
                                           const Worker& worker) {
  std::vector<std::string> outputs;
  for (std::size_t n = 0; n < workers; ++n) {
    const base::Finished finished =
        base::run_program({"/bin/sh", "-c", worker_line(command, n, worker)}, worker.folder);
    if (finished.status != 0) {
      throw std::runtime_error(failure("--command", finished));
    }
    outputs.emplace_back(base::trimmed(finished.output));
  }
  return outputs;
}

}  // namespace pair::sweep
