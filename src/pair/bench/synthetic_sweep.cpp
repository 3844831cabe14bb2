#include "pair/bench/synthetic_sweep.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <ostream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "pair/bench/temporary_folder.h"
#include "pair/data/random.h"

namespace pair::bench {
namespace {

// Sorted by key, as DomainBed writes them.
using nlohmann::json;

struct Dataset {
  std::string_view name;
  int environments;
};

constexpr std::array datasets{Dataset{"ColoredMNIST", 3}, Dataset{"PACS", 4}, Dataset{"VLCS", 4},
                              Dataset{"TerraIncognita", 4}};
constexpr std::array<std::string_view, 5> algorithms{"ERM", "IRM", "GroupDRO", "DANN", "Fishr"};
constexpr int trials = 3;
constexpr int draws = 20;

struct Job {
  Dataset dataset;
  std::string_view algorithm;
  std::vector<int> test_envs;
  int trial_seed;
  int hparams_seed;
};

std::vector<std::vector<int>> test_environments(int environments) {
  std::vector<std::vector<int>> all;
  for (int i = 0; i < environments; ++i) {
    all.push_back({i});
    for (int j = i + 1; j < environments; ++j) {
      all.push_back({i, j});
    }
  }
  return all;
}

std::vector<Job> jobs(std::size_t count) {
  std::vector<Job> all;
  for (const Dataset& dataset : datasets) {
    for (const std::string_view algorithm : algorithms) {
      for (const std::vector<int>& test_envs : test_environments(dataset.environments)) {
        for (int trial = 0; trial < trials; ++trial) {
          for (int draw = 0; draw < draws; ++draw) {
            if (all.size() < count) {
              all.push_back({dataset, algorithm, test_envs, trial, draw});
            }
          }
        }
      }
    }
  }
  return all;
}

json args_of(const Job& job, const std::string& folder) {
  return {{"algorithm", job.algorithm},
          {"checkpoint_freq", nullptr},
          {"data_dir", "/data/domainbed"},
          {"dataset", job.dataset.name},
          {"holdout_fraction", 0.2},
          {"hparams", nullptr},
          {"hparams_seed", job.hparams_seed},
          {"output_dir", folder},
          {"save_model_every_checkpoint", false},
          {"seed", 1000 * job.trial_seed + job.hparams_seed},
          {"skip_model_save", true},
          {"steps", nullptr},
          {"task", "domain_generalization"},
          {"test_envs", job.test_envs},
          {"trial_seed", job.trial_seed},
          {"uda_holdout_fraction", 0}};
}

json hparams_of(const Job& job, data::Random& random) {
  json hparams{{"batch_size", 8 + static_cast<int>(random.below(500))},
               {"class_balanced", false},
               {"data_augmentation", true},
               {"lr", 1e-4 * random.uniform(0.3, 30)},
               {"nonlinear_classifier", false},
               {"resnet18", false},
               {"resnet_dropout", 0.1 * static_cast<double>(random.below(3))},
               {"weight_decay", 0.0}};
  if (job.algorithm != "ERM") {
    hparams["penalty_anneal_iters"] = static_cast<int>(random.below(5000));
    hparams["lambda"] = random.uniform(10, 10'000);
  }
  return hparams;
}

json record_of(const Job& job, std::size_t index, data::Random& random) {
  json record{{"epoch", 0.137 * static_cast<double>(index)},
              {"mem_gb", 0.13 + random.uniform()},
              {"step", 100 * index},
              {"step_time", random.uniform(0.005, 0.02)}};
  if (job.algorithm == "DANN") {
    record["disc_loss"] = random.uniform(0.5, 1.5);
    record["gen_loss"] = random.uniform(-1, 1);
  } else {
    record["loss"] = random.uniform(0.2, 1.0);
  }
  if (job.algorithm == "IRM" || job.algorithm == "Fishr") {
    record["nll"] = random.uniform(0.2, 0.8);
    record["penalty"] = random.uniform(1e-4, 1e-2);
  }
  for (int i = 0; i < job.dataset.environments; ++i) {
    record["env" + std::to_string(i) + "_in_acc"] = random.uniform(0.5, 1.0);
    record["env" + std::to_string(i) + "_out_acc"] = random.uniform(0.5, 1.0);
  }
  return record;
}

}  // namespace

std::uint64_t write_bench_sweep(const std::filesystem::path& folder, std::size_t runs, std::size_t records,
                                std::uint64_t seed) {
  data::Random random(seed, "bench select");
  std::uint64_t bytes = 0;
  std::size_t number = 0;
  for (const Job& job : jobs(runs)) {
    const std::string name = "run" + std::to_string(100'000 + number++);
    std::filesystem::create_directories(folder / name);
    const json args = args_of(job, "sweep/" + name);
    const json hparams = hparams_of(job, random);
    std::string text;
    for (std::size_t index = 0; index < records; ++index) {
      json record = record_of(job, index, random);
      record["args"] = args;
      record["hparams"] = hparams;
      text += record.dump() + "\n";
    }
    std::ofstream file(folder / name / "results.jsonl", std::ios::binary);
    file << text;
    std::ofstream(folder / name / "done") << "done";
    if (!file.flush()) {
      throw std::runtime_error("cannot write " + (folder / name / "results.jsonl").string());
    }
    bytes += text.size();
  }
  return bytes;
}

void add_bench_sweep_options(CLI::App& command, const std::shared_ptr<BenchSweepArguments>& arguments,
                             const std::string& repeats) {
  command.add_option("--runs", arguments->runs, "Runs in the synthetic sweep")
      ->check(CLI::Range(std::size_t{1}, most_bench_runs))
      ->capture_default_str();
  command.add_option("--records", arguments->records, "Records per run")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command.add_option("--repeats", arguments->repeats, repeats)
      ->check(CLI::Range(1, 100))
      ->capture_default_str();
  command.add_option("--seed", arguments->seed, "Seed of the sweep")->capture_default_str();
  command.add_flag("--json", arguments->json, "Write a JSON object");
}

void with_bench_sweep(const BenchSweepArguments& arguments, std::ostream& err,
                      const std::function<void(const std::filesystem::path&)>& work) {
  const TemporaryFolder folder;
  err << "writing " << arguments.runs << " runs to " << folder.path().string() << '\n' << std::flush;
  write_bench_sweep(folder.path(), arguments.runs, arguments.records, arguments.seed);
  work(folder.path());
}

}  // namespace pair::bench
