#include "tests/select/fixtures.h"

#include <fstream>
#include <nlohmann/json.hpp>

namespace pair::select::testing {

void write(const std::filesystem::path& path, std::string_view text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << text;
}

Run make_run(std::string name, std::vector<int> test_envs, std::int64_t hparams_seed,
             const std::vector<Logged>& records) {
  Run run;
  run.name = std::move(name);
  run.dataset = "ColoredMNIST";
  run.algorithm = "IRM";
  run.test_envs = std::move(test_envs);
  run.hparams_seed = hparams_seed;
  for (const Logged& record : records) {
    std::vector<std::pair<std::string, double>> values = record.others;
    for (std::size_t i = 0; i < record.in.size(); ++i) {
      values.emplace_back("env" + std::to_string(i) + "_in_acc", record.in[i]);
    }
    for (std::size_t i = 0; i < record.out.size(); ++i) {
      values.emplace_back("env" + std::to_string(i) + "_out_acc", record.out[i]);
    }
    run.add(record.step, values);
  }
  return run;
}

std::string domainbed_line(std::string_view algorithm, int test_env, int hparams_seed, int step,
                           double accuracy) {
  nlohmann::json record{{"args",
                         {{"algorithm", algorithm},
                          {"dataset", "ColoredMNIST"},
                          {"test_envs", {test_env}},
                          {"trial_seed", 0},
                          {"hparams_seed", hparams_seed},
                          {"output_dir", "sweep"}}},
                        {"hparams", {{"lr", 0.001 * (hparams_seed + 1)}, {"batch_size", 64}}},
                        {"step", step},
                        {"loss", 0.5},
                        {"nll", 0.4},
                        {"penalty", 0.01 * (hparams_seed + 1)}};
  for (int i = 0; i < 3; ++i) {
    record["env" + std::to_string(i) + "_in_acc"] = accuracy;
    record["env" + std::to_string(i) + "_out_acc"] = accuracy - 0.01 * i;
  }
  return record.dump() + "\n";
}

}  // namespace pair::select::testing
