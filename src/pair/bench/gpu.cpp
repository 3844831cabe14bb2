#include <ATen/detail/CUDAHooksInterface.h>
#include <torch/cuda.h>
#include <torch/types.h>
#include <torch/utils.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/bench/bench.h"
#include "pair/bench/gpu_floor.h"
#include "pair/bench/pictures.h"
#include "pair/bench/spread.h"
#include "pair/bench/step_time.h"
#include "pair/bench/temporary_folder.h"
#include "pair/cli/recipe.h"
#include "pair/paper/provenance.h"
#include "pair/paper/table1.h"
#include "pair/runs/dataset_cache.h"
#include "pair/runs/run.h"
#include "pair/runs/run_spec.h"
#include "pair/sweep/many_runs.h"
#include "pair/train/precision.h"
#include "pair/train/trainer.h"

namespace pair::bench {
namespace {

namespace fs = std::filesystem;

struct GpuArguments {
  std::vector<std::string> parts;
  int rounds = 15;
  std::size_t jobs = 0;
  std::int64_t runs = 32;
  bool fp32 = false;
  bool json = false;
};

const std::vector<std::string> all_parts = {"agree",     "step",      "run",  "table",
                                            "domainbed", "minibatch", "many", "many-half"};

// Milliseconds per step, in blocks that end with a synchronisation of the device.
std::vector<double> step_milliseconds(train::Trainer& trainer, int rounds) {
  constexpr int steps = 20;
  std::vector<double> result;
  for (int round = -2; round < rounds; ++round) {
    const double milliseconds = milliseconds_per_step(trainer, steps, torch::kCUDA);
    if (round >= 0) {
      result.push_back(milliseconds);
    }
  }
  return result;
}

// A version number: 13000 is 13.0.
std::string dotted(long version, long of_major, long of_minor) {
  return std::to_string(version / of_major) + "." + std::to_string(version % of_major / of_minor);
}

class Bench {
 public:
  Bench(const GpuArguments& arguments, Context& context) : arguments_(arguments), context_(context) {
    train::use_tf32(!arguments.fp32);
    context_.err << "the GPU's rates\n" << std::flush;
    rates_ = measure_rates();
    result_["made"] = paper::provenance("cuda");
    result_["tf32"] = !arguments.fp32;
    result_["made"]["cuda"] = dotted(at::detail::getCUDAHooks().versionCUDART(), 1000, 10);
    result_["made"]["cudnn"] = dotted(at::detail::getCUDAHooks().versionCuDNN(), 10000, 100);
    result_["matrix_tflops"] = rates_.operations / 1e12;
    result_["matrix_tflops_in_16_bits"] = rates_.half_operations / 1e12;
    result_["copy_terabytes_a_second"] = rates_.bytes / 1e12;
  }

  nlohmann::ordered_json run() {
    const std::set<std::string> parts(arguments_.parts.begin(), arguments_.parts.end());
    const auto wanted = [&](const std::string& part) {
      return parts.empty() ? part != (arguments_.fp32 ? "many-half" : "many") : parts.contains(part);
    };
    if (wanted("agree")) {
      agreement();
    }
    if (wanted("step")) {
      colored_mnist_steps();
    }
    if (wanted("run")) {
      one_run();
    }
    if (wanted("table")) {
      table();
    }
    if (wanted("domainbed")) {
      domainbed_steps();
    }
    if (wanted("minibatch")) {
      minibatch_steps();
    }
    if (wanted("many")) {
      many(/*half=*/false);
    }
    if (wanted("many-half")) {
      many(/*half=*/true);
    }
    return result_;
  }

 private:
  void add(const std::string& name, const std::string& unit, const std::vector<double>& values,
           const Cost& cost, std::optional<double> required = {}, std::optional<double> stretch = {}) {
    const double floor = cost.milliseconds(rates_) / (unit == "s" ? 1e3 : 1.0);
    nlohmann::ordered_json figure = spread(values);
    figure["unit"] = unit;
    figure["floor"] = floor;
    if (required) {
      figure["required"] = *required;
    }
    if (stretch) {
      figure["stretch"] = *stretch;
    }
    result_["figures"][name] = figure;
    context_.err << name << ": " << base::with_decimals(median(values), 3) << ' ' << unit << ", floor "
                 << base::with_decimals(floor, 3) << ' ' << unit << std::endl;
  }

  [[nodiscard]] base::Assignments overrides() const {
    return {{"device", "cuda"}, {"tf32", arguments_.fp32 ? "false" : "true"}};
  }

  // The same 20 steps in fp32 on CPU and device: the largest relative difference of a loss, and the largest
  // difference of a weight.
  void agreement() {
    train::use_tf32(false);
    auto all = overrides();
    all.emplace_back("pretrain", "0");
    const runs::RunSpec spec = runs::resolve("cmnist", "pair", all);
    train::Trainer here(datasets_.get(spec.dataset, 0), spec.settings, 0);
    train::Trainer there(datasets_.get(spec.dataset, 0, "cuda"), spec.settings, 0, torch::kCUDA);
    std::vector<double> losses(spec.settings.objectives.size(), 0.0);
    double weights = 0.0;
    for (int step = 0; step < 20; ++step) {
      here.advance();
      there.advance();
      const train::Evaluation a = here.evaluate();
      const train::Evaluation b = there.evaluate();
      for (std::size_t k = 0; k < losses.size(); ++k) {
        losses[k] = std::max(losses[k], std::abs(b.losses[k] - a.losses[k]) / std::abs(a.losses[k]));
        weights = std::max(weights, std::abs(b.weights[k] - a.weights[k]));
      }
    }
    result_["agreement"] = {{"steps", 20}, {"weights", weights}};
    for (std::size_t k = 0; k < losses.size(); ++k) {
      result_["agreement"]["losses"][spec.settings.objectives[k]] = losses[k];
    }
    context_.err << "agreement " << result_["agreement"].dump() << '\n';
    train::use_tf32(!arguments_.fp32);
  }

  void colored_mnist_steps() {
    std::vector<std::vector<double>> times;
    for (const char* algorithm : {"pair", "erm"}) {
      auto all = overrides();
      all.emplace_back("pretrain", "0");
      const runs::RunSpec spec = runs::resolve("cmnist", algorithm, all);
      train::Trainer trainer(datasets_.get(spec.dataset, 0, "cuda"), spec.settings, 0, torch::kCUDA);
      times.push_back(step_milliseconds(trainer, arguments_.rounds));
    }
    constexpr double samples = 50'000;
    add("cmnist_pair_step", "ms", times[0], mlp_step(samples), 0.7, 0.35);
    add("cmnist_erm_step", "ms", times[1], mlp_step(samples));
    const double ratio = median(times[0]) / median(times[1]);
    result_["figures"]["pair_over_erm"] = {{"median", ratio}, {"required", 1.25}, {"stretch", 1.1}};
    context_.err << "pair over erm " << ratio << '\n';
  }

  void one_run() {
    const runs::RunSpec spec = runs::resolve("cmnist", "pair", overrides());
    std::vector<double> seconds;
    for (int round = 0; round < 4; ++round) {
      const fs::path folder = scratch_.path() / "run";
      fs::remove_all(folder);
      const double taken = seconds_on(torch::kCUDA, [&] { runs::run(spec, folder, datasets_); });
      if (round > 0) {
        seconds.push_back(taken);
      }
    }
    const auto steps = static_cast<double>(spec.settings.steps);
    add("cmnist_pair_run", "s", seconds, mlp_step(50'000) * steps + mlp_forward(80'000) * (steps / 5), 0.6,
        0.3);
  }

  void table() {
    const double seconds = table_seconds(!arguments_.fp32);
    constexpr double steps = 501.0 * 20;
    add("table1_pair_row", "s", {seconds}, mlp_step(50'000) * steps + mlp_forward(80'000) * (steps / 5), 8,
        3);
    if (!arguments_.fp32) {
      (void)table_seconds(false);  // for the accuracies
    }
    train::use_tf32(!arguments_.fp32);
  }

  // Table 1's row for PAIR-o; its accuracies are kept.
  double table_seconds(bool tf32) {
    const std::vector<std::string> methods = {"pair_w"};
    const std::vector<std::uint64_t> seeds = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
    const paper::Table row =
        paper::table1(methods, seeds, {{"device", "cuda"}, {"tf32", tf32 ? "true" : "false"}});
    fs::remove_all(scratch_.path() / "table");
    const std::vector<runs::RunSpec> specs = paper::specs_of(row);
    sweep::ManyRuns runs;
    const double seconds = seconds_on(
        torch::kCUDA, [&] { runs = sweep::run_all(specs, scratch_.path() / "table", arguments_.jobs); });
    for (const sweep::RunOutcome& outcome : runs.outcomes) {
      if (outcome.status != sweep::RunOutcome::Status::done) {
        throw std::runtime_error("a run of the table failed: " + outcome.error);
      }
    }
    const nlohmann::json found = paper::result_json(row, runs, seeds);
    for (const auto& cell : found.at("rows").at(0).at("cells")) {
      result_["pair_accuracy"][tf32 ? "tf32" : "fp32"][cell.at("dataset").get<std::string>()] = {
          {"mean", cell.at("mean")}, {"deviation", cell.at("deviation")}, {"values", cell.at("values")}};
    }
    context_.err << "accuracy in " << (tf32 ? "tf32 " : "fp32 ")
                 << result_["pair_accuracy"][tf32 ? "tf32" : "fp32"].dump() << '\n';
    return seconds;
  }

  // Results in 16 bits have separate names; with --fp32 there are none.
  [[nodiscard]] static std::string named(const std::string& name, bool half) {
    return half ? name + "_half" : name;
  }

  // For mnist_cnn.
  [[nodiscard]] base::Assignments overrides_with(bool half) const {
    base::Assignments all = overrides();
    all.emplace_back("half", half ? "true" : "false");
    return all;
  }

  void domainbed_steps() {
    for (const bool half : {false, true}) {
      for (const bool irm : {false, true}) {
        if (!half || !arguments_.fp32) {
          domainbed_step(irm, half);
        }
      }
    }
  }

  void domainbed_step(bool irm, bool half) {
    train::Settings settings =
        runs::resolve("ColoredMNIST", irm ? "irmv1" : "erm", overrides_with(half)).settings;
    settings.batch = 64;
    settings.pretrain = 0;
    train::Trainer trainer(pictures(), settings, 0, torch::kCUDA);
    const double samples = 64.0 * static_cast<double>(pictures()->train.size());
    add(named(irm ? "domainbed_irm_step" : "domainbed_erm_step", half), "ms",
        step_milliseconds(trainer, arguments_.rounds), cnn_step(samples, half), irm ? 0.7 : 0.6,
        irm ? 0.4 : 0.35);
  }

  // PAIR-o's balance steps on minibatches: with averages over steps and hold_at_noise, with averages, and
  // without; and ERM's steps.
  void minibatch_steps() {
    const auto measure = [&](const std::string& name, train::Settings settings,
                             const std::shared_ptr<const data::EnvironmentSet>& data, const Cost& cost) {
      settings.pretrain = 0;
      train::Trainer trainer(data, settings, 0, torch::kCUDA);
      const std::vector<double> times = step_milliseconds(trainer, arguments_.rounds);
      add(name, "ms", times, cost);
      return median(times);
    };
    const auto compare = [&](const std::string& name, const std::string& dataset,
                             const base::Assignments& changes,
                             const std::shared_ptr<const data::EnvironmentSet>& data, const Cost& cost) {
      base::Assignments all = overrides();
      all.insert(all.end(), changes.begin(), changes.end());
      train::Settings settings = runs::resolve(dataset, "pair", all).settings;
      settings.hold_at_noise = true;
      const double held = measure(name + "_held", settings, data, cost);
      settings.hold_at_noise = false;
      const double tracked = measure(name + "_tracked", settings, data, cost);
      settings.track = 1.0;
      const double plain = measure(name + "_plain", settings, data, cost);
      const double erm = measure(name + "_erm", runs::resolve(dataset, "erm", all).settings, data, cost);
      result_["figures"][name + "_tracked_over_plain"] = {{"median", tracked / plain}, {"required", 1.02}};
      result_["figures"][name + "_tracked_over_erm"] = {{"median", tracked / erm}};
      result_["figures"][name + "_held_over_tracked"] = {{"median", held / tracked}};
      context_.err << name << ": tracked over plain " << tracked / plain << ", over erm " << tracked / erm
                   << "; held over tracked " << held / tracked << '\n';
    };
    const runs::RunSpec digits = runs::resolve("cmnist", "pair", overrides());
    compare("cmnist_256", "cmnist", {{"batch", "256"}}, datasets_.get(digits.dataset, 0, "cuda"),
            mlp_step(512));
    const double samples = 64.0 * static_cast<double>(pictures()->train.size());
    compare("domainbed_pair", "ColoredMNIST", {{"batch", "64"}}, pictures(), cnn_step(samples, false));
    if (!arguments_.fp32) {
      compare("domainbed_pair_half", "ColoredMNIST", {{"batch", "64"}, {"half", "true"}}, pictures(),
              cnn_step(samples, true));
    }
  }

  void many(bool half) {
    constexpr std::int64_t steps = 5001;
    train::Settings settings = runs::resolve("ColoredMNIST", "erm", overrides_with(half)).settings;
    settings.batch = 64;
    settings.steps = steps;
    const std::shared_ptr<const data::EnvironmentSet> data = pictures();
    std::vector<std::exception_ptr> failures(static_cast<std::size_t>(arguments_.runs));
    const double seconds = seconds_on(torch::kCUDA, [&] {
      std::vector<std::jthread> threads;
      for (std::size_t seed = 0; seed < failures.size(); ++seed) {
        threads.emplace_back([&, seed] {
          try {
            train::Trainer trainer(data, settings, seed, torch::kCUDA);
            while (!trainer.finished()) {
              trainer.advance();
              if (trainer.step() % 100 == 1) {
                (void)trainer.evaluate();
              }
            }
          } catch (...) {
            failures[seed] = std::current_exception();
          }
        });
      }
    });
    for (const std::exception_ptr& failure : failures) {
      if (failure) {
        std::rethrow_exception(failure);
      }
    }
    const Cost scoring = cnn_forward(70'000) * 51.0;  // in 16 bits if TF32 is allowed
    const Cost run =
        cnn_step(128, half) * static_cast<double>(steps) + (arguments_.fp32 ? scoring : scoring.in_half());
    add(named("domainbed_" + std::to_string(arguments_.runs) + "_runs", half), "s", {seconds},
        run * static_cast<double>(arguments_.runs), 90, 45);
  }

  // All 70,000 images of DomainBed's ColoredMNIST: the training parts of two domains, and the rest.
  const std::shared_ptr<const data::EnvironmentSet>& pictures() {
    if (!pictures_) {
      constexpr std::int64_t domain = 23'333 * 8 / 10;
      pictures_ = std::make_shared<const data::EnvironmentSet>(
          data::on_device(*domainbed_pictures(2, domain, 70'000 - 2 * domain), torch::kCUDA));
    }
    return pictures_;
  }

  const GpuArguments& arguments_;
  Context& context_;
  TemporaryFolder scratch_;
  Rates rates_;
  runs::DatasetCache datasets_;
  std::shared_ptr<const data::EnvironmentSet> pictures_;
  nlohmann::ordered_json result_;
};

void bench_gpu(const GpuArguments& arguments, Context& context) {
  const auto& parts = arguments.parts;
  if (arguments.fp32 && std::find(parts.begin(), parts.end(), "many-half") != parts.end()) {
    throw UsageError("--parts: many-half runs in 16 bits; expected either it or --fp32, got both");
  }
  if (!torch::cuda::is_available()) {
    throw std::runtime_error("'pair bench gpu' needs a CUDA device; LibTorch finds none");
  }
  const nlohmann::ordered_json result = Bench(arguments, context).run();
  if (arguments.json) {
    context.out << result.dump(2) << '\n';
    return;
  }
  context.out << result["made"]["card"].get<std::string>() << ": "
              << static_cast<int>(result["matrix_tflops"].get<double>()) << " TFLOP/s in matrix products, "
              << result["copy_terabytes_a_second"].get<double>() << " TB/s in copies\n\n";
  base::Rows rows{{"", "measured", "floor", "required", "stretch", ""}};
  for (const auto& [name, figure] : result["figures"].items()) {
    const auto number = [&figure = figure](const char* key) {
      return figure.contains(key) ? base::with_digits(figure[key].template get<double>(), 4) : "-";
    };
    rows.push_back({name, number("median"), number("floor"), number("required"), number("stretch"),
                    figure.value("unit", "")});
  }
  context.out << base::aligned(rows, {.left = 1});
}

}  // namespace

void add_bench_gpu(CLI::App& bench, Context& context) {
  const auto arguments = std::make_shared<GpuArguments>();
  CLI::App* command = bench.add_subcommand("gpu", "Steps, single runs and concurrent runs on a CUDA device");
  command
      ->add_option("--parts", arguments->parts,
                   "Any of agree, step, run, table, domainbed, minibatch, many, many-half (default: all "
                   "except many, or "
                   "with --fp32 many-half)")
      ->delimiter(',')
      ->check(CLI::IsMember(all_parts));
  command
      ->add_option("--rounds", arguments->rounds,
                   "Blocks of 20 steps; the reported time per step is their median")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  cli::add_jobs_option(*command, arguments->jobs);
  command->add_option("--runs", arguments->runs, "Concurrent runs in 'many' and 'many-half'")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_flag("--fp32", arguments->fp32, "Matrix products in fp32 instead of TF32");
  command->add_flag("--json", arguments->json, "Write the results as JSON");
  command->footer(
      "Example:\n"
      "  pair bench gpu --json > gpu.json");
  command->callback([arguments, &context] { bench_gpu(*arguments, context); });
}

}  // namespace pair::bench
