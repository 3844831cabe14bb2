#include <torch/types.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "pair/bench/image_bench.h"
#include "pair/bench/images_python.h"
#include "pair/bench/measure.h"
#include "pair/bench/photographs.h"
#include "pair/bench/python_child.h"
#include "pair/bench/spread.h"
#include "pair/bench/step_time.h"
#include "pair/bench/temporary_folder.h"
#include "pair/data/images.h"
#include "pair/data/loader.h"
#include "pair/train/trainer.h"

namespace pair::bench {
namespace {

using nlohmann::ordered_json;

constexpr int environments = 3;

class ImageSteps {
 public:
  ImageSteps(const ImagesArguments& arguments, Context& context, ordered_json& result)
      : arguments_(arguments), device_(arguments.device), context_(context), result_(result) {}

  void steps() {
    const std::shared_ptr<const data::EnvironmentSet> set = resident();
    std::unique_ptr<PythonChild> python;
    if (wants(arguments_, "step")) {
      python = PythonChild::start(
          arguments_.python, network_python,
          {arguments_.device, std::to_string(arguments_.threads), arguments_.model,
           std::to_string(environments), std::to_string(arguments_.batch), std::to_string(arguments_.side)});
    }
    struct Kind {
      std::string name;
      train::Precision precision;
      std::unique_ptr<train::Trainer> trainer;
      std::vector<double> milliseconds = {};
    };
    std::vector<Kind> kinds;
    for (const train::Precision precision : precisions_of(arguments_)) {
      for (const char* const algorithm : {"erm", "pair"}) {
        if (algorithm == std::string("erm") || wants(arguments_, "step")) {
          kinds.push_back({std::string(algorithm) + " " + std::string(to_string(precision)), precision,
                           std::make_unique<train::Trainer>(
                               set, image_settings(arguments_, algorithm, precision), 0, device_)});
        }
      }
    }
    std::vector<std::string> asked = {"default contiguous", "fp32 contiguous", "bf16 contiguous",
                                      "bf16 channels_last"};
    if (device_.is_cuda()) {
      asked.insert(asked.end(), {"tf32 contiguous", "tf32 channels_last"});
    }
    std::map<std::string, std::vector<double>> theirs;
    for (int round = 0; round < arguments_.rounds + warm_up; ++round) {
      say("steps, round " + std::to_string(round + 1) + " of " + std::to_string(arguments_.rounds + warm_up));
      for (Kind& kind : kinds) {
        const double time = milliseconds(*kind.trainer, kind.precision);
        if (round >= warm_up) {
          kind.milliseconds.push_back(time);
        }
      }
      for (const std::string& form : python ? asked : std::vector<std::string>{}) {
        const double seconds = python->ask_number(form + " " + std::to_string(arguments_.steps));
        if (round >= warm_up) {
          theirs[form].push_back(1e3 * seconds / arguments_.steps);
        }
      }
    }
    ordered_json step{{"device", arguments_.device},
                      {"model", arguments_.model},
                      {"environments", environments},
                      {"images_per_environment", arguments_.batch},
                      {"side", arguments_.side},
                      {"steps_per_round", arguments_.steps},
                      {"milliseconds", ordered_json::object()}};
    for (Kind& kind : kinds) {
      step["milliseconds"][kind.name] = spread(kind.milliseconds);
      erm_ms_[kind.name] = median(kind.milliseconds);
      for (const std::string& notice : kind.trainer->take_notices()) {
        step["notices"].push_back(kind.name + ": " + notice);
      }
    }
    if (!wants(arguments_, "step")) {
      return;
    }
    for (const train::Precision precision : precisions_of(arguments_)) {
      const std::string name(to_string(precision));
      step["pair_over_erm"][name] = erm_ms_["pair " + name] / erm_ms_["erm " + name];
    }
    if (python) {
      step["python"] = {{"torch_and_parameters", python->greeting()}, {"python", python->python()}};
      for (const auto& [form, times] : theirs) {
        step["python"]["milliseconds"][form] = spread(times);
      }
      const double eager = median(theirs["default contiguous"]);
      for (const train::Precision precision : precisions_of(arguments_)) {
        const std::string name(to_string(precision));
        step["erm_over_python_default"][name] = erm_ms_["erm " + name] / eager;
        step["erm_over_python_same_precision"][name] =
            erm_ms_["erm " + name] / median(theirs[name + " contiguous"]);
      }
    } else {
      step["python_missing"] = "not measured: no Python with torch (Debian: python3-torch)";
    }
    result_["step"] = step;
  }

  // Steps whose images are read from files, next to the same steps on images in memory.
  void loader() {
    const TemporaryFolder folder;
    say("writing photographs to " + folder.path().string());
    write_photographs(folder.path(), {.environments = environments + 1, .classes = 7, .images = 4});
    data::ImagesOptions options;
    options.folder = folder.path().string();
    options.test_envs = {environments};
    options.image_size = arguments_.side;
    options.workers = arguments_.workers;
    options.augment = data::ImageAugmentation::domainbed;
    options.normalise = data::ImageNormalisation::imagenet;
    const auto set = std::make_shared<const data::EnvironmentSet>(data::make_images(options, 0, "images"));
    ordered_json loading{{"workers", arguments_.workers}, {"file", "500 x 375"}};
    loading["images_per_second"] = loader_alone(*set);
    for (const train::Precision precision : precisions_of(arguments_)) {
      const std::string name(to_string(precision));
      train::Trainer trainer(set, image_settings(arguments_, "erm", precision), 0, device_);
      std::vector<double> times;
      for (int round = 0; round < arguments_.rounds + warm_up; ++round) {
        say("streamed steps, " + name + ", round " + std::to_string(round + 1));
        const double time = milliseconds(trainer, precision);
        if (round >= warm_up) {
          times.push_back(time);
        }
      }
      loading["milliseconds"][name] = spread(times);
      loading["busy"][name] = std::min(1.0, erm_ms_["erm " + name] / median(times));
      for (const std::string& notice : trainer.take_notices()) {
        loading["notices"].push_back(notice);
      }
    }
    result_["loader"] = loading;
  }

 private:
  static constexpr int warm_up = 2;  // rounds: the first steps choose algorithms and are recorded

  void say(const std::string& what) { context_.err << what << '\n' << std::flush; }

  // Images in memory, so that only the step is measured.
  [[nodiscard]] std::shared_ptr<const data::EnvironmentSet> resident() const {
    auto set = std::make_shared<data::EnvironmentSet>();
    set->name = "images";
    set->loss = data::TaskLoss::cross_entropy;
    set->outputs = 7;
    for (int e = 0; e < environments; ++e) {
      data::Environment environment;
      environment.key = "env" + std::to_string(e) + "_in";
      environment.inputs =
          torch::randint(0, 256, {2 * arguments_.batch, 3, arguments_.side, arguments_.side}, torch::kByte);
      environment.labels = torch::randint(0, 7, {2 * arguments_.batch}, torch::kLong);
      set->train.push_back(std::move(environment));
    }
    return set;
  }

  double milliseconds(train::Trainer& trainer, train::Precision precision) const {
    train::use_tf32(precision != train::Precision::fp32);
    return milliseconds_per_step(trainer, arguments_.steps, device_);
  }

  double loader_alone(const data::EnvironmentSet& set) {
    std::vector<std::vector<std::size_t>> samples;
    for (const data::Environment& environment : set.train) {
      samples.push_back(environment.samples);
    }
    data::Loader loader =
        data::Loader::training(set.source, data::Sampler(samples, {.batch = arguments_.batch}), set.loading);
    (void)loader.next();
    std::int64_t images = 0;
    const double seconds = seconds_of([&] {
      for (int i = 0; i < 2 * arguments_.steps; ++i) {
        images += loader.next()->inputs.size(0);
      }
    });
    return static_cast<double>(images) / seconds;
  }

  const ImagesArguments& arguments_;
  torch::Device device_;
  Context& context_;
  ordered_json& result_;
  std::map<std::string, double> erm_ms_;  // medians, by algorithm and precision
};

}  // namespace

void bench_image_steps(const ImagesArguments& arguments, Context& context, ordered_json& result) {
  ImageSteps bench(arguments, context, result);
  bench.steps();
  if (wants(arguments, "loader")) {
    bench.loader();
  }
}

}  // namespace pair::bench
