#include "pair/data/images.h"

#include <torch/cuda.h>
#include <torch/types.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <random>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/bench/bench.h"
#include "pair/bench/child.h"
#include "pair/bench/images_python.h"
#include "pair/bench/measure.h"
#include "pair/bench/photographs.h"
#include "pair/bench/spread.h"
#include "pair/bench/temporary_folder.h"
#include "pair/data/bytes.h"
#include "pair/data/image.h"
#include "pair/data/image_folder.h"
#include "pair/data/loader.h"
#include "pair/data/transform.h"
#include "pair/paper/provenance.h"
#include "pair/runs/run_spec.h"
#include "pair/train/precision.h"
#include "pair/train/threads.h"
#include "pair/train/trainer.h"

namespace pair::bench {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct ImagesArguments {
  std::vector<std::string> parts;
  std::string device = "cpu";
  std::string model;       // empty: resnet50 on a CUDA device, resnet18 on the CPU
  std::int64_t batch = 0;  // 0: 32 on a CUDA device, 4 on the CPU
  std::int64_t side = 0;   // 0: 224 on a CUDA device, 96 on the CPU
  std::int64_t threads = 1;
  int workers = -1;  // -1: the cores
  int rounds = 5;
  int steps = 0;  // 0: 10 on a CUDA device, 2 on the CPU
  std::string python = {};
  bool json = false;
};

constexpr int environments = 3;
const std::vector<std::string> image_parts = {"decode", "step", "loader"};
// Measured only if they are named: they write many files.
const std::vector<std::string> large_parts = {"memory", "list"};

bool on_cuda(const ImagesArguments& arguments) {
  return arguments.device != "cpu";
}

void fill_defaults(ImagesArguments& arguments) {
  const bool cuda = on_cuda(arguments);
  arguments.model = !arguments.model.empty() ? arguments.model : cuda ? "resnet50" : "resnet18";
  arguments.batch = arguments.batch > 0 ? arguments.batch : cuda ? 32 : 4;
  arguments.side = arguments.side > 0 ? arguments.side : cuda ? 224 : 96;
  arguments.steps = arguments.steps > 0 ? arguments.steps : cuda ? 10 : 2;
  arguments.parts = !arguments.parts.empty() ? arguments.parts : image_parts;
  if (arguments.workers < 0) {
    arguments.workers = static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
  }
}

std::vector<train::Precision> precisions_of(const ImagesArguments& arguments) {
  using train::Precision;
  return on_cuda(arguments) ? std::vector{Precision::fp32, Precision::tf32, Precision::bf16}
                            : std::vector{Precision::fp32, Precision::bf16};
}

// A Python process that answers with numbers; null if it lacks a package.
class Python {
 public:
  static std::unique_ptr<Python> start(const std::string& given, std::string_view script,
                                       const std::vector<std::string>& arguments = {}) {
    const std::vector<std::string> pythons =
        given.empty() ? std::vector<std::string>{"python3", "/usr/bin/python3"} : std::vector{given};
    for (const std::string& name : pythons) {
      std::vector<std::string> command{name, "-c", std::string(script)};
      command.insert(command.end(), arguments.begin(), arguments.end());
      auto child = std::make_unique<Child>(command);
      if (std::optional<std::string> greeting = child->read_line()) {
        return std::unique_ptr<Python>(new Python(std::move(child), std::move(*greeting), name));
      }
    }
    return nullptr;
  }

  [[nodiscard]] double ask(const std::string& line) {
    const std::optional<std::string> answer = child_->ask(line);
    if (!answer) {
      throw std::runtime_error("the Python process of the comparison ended early, at '" + line.substr(0, 60) +
                               "'");
    }
    return std::stod(*answer);
  }
  [[nodiscard]] const std::string& versions() const { return versions_; }
  [[nodiscard]] const std::string& name() const { return name_; }

 private:
  Python(std::unique_ptr<Child> child, std::string versions, std::string name)
      : child_(std::move(child)), versions_(std::move(versions)), name_(std::move(name)) {}

  std::unique_ptr<Child> child_;
  std::string versions_;
  std::string name_;
};

// Work that takes about as long for Python: decoding and augmenting files, as training does.
class Decoding {
 public:
  explicit Decoding(bool fast) : fast_(fast) {}

  double seconds_per_image(const std::vector<fs::path>& files, int rounds) {
    const double began = cpu_seconds();
    for (int round = 0; round < rounds; ++round) {
      for (const fs::path& file : files) {
        augment(data::read_bytes(file));
      }
    }
    return (cpu_seconds() - began) / (rounds * static_cast<double>(files.size()));
  }

 private:
  static constexpr std::int64_t target = 224;

  data::DrawnAugmentation drawn(std::int64_t rows, std::int64_t columns) {
    const auto uniform = [this] { return std::uniform_real_distribution<double>(0.0, 1.0)(random_); };
    data::DrawnAugmentation result =
        data::draw_augmentation(data::domainbed_augmentation, rows, columns, uniform);
    result.flip = uniform() < 0.5;
    return result;
  }

  void augment(const data::Bytes& file) {
    if (!fast_) {
      const data::Image image = data::decode_image(file);
      last_ = data::augmented(image, target, target, drawn(image.rows, image.columns));
      return;
    }
    data::DrawnAugmentation chosen;
    const data::ImagePart part = data::decode_part(file, [&](std::int64_t rows, std::int64_t columns) {
      chosen = drawn(rows, columns);
      return data::WantedPart{chosen.crop, target, target};
    });
    last_ = data::augmented(part, target, target, chosen);
  }

  bool fast_;
  std::mt19937_64 random_{0};
  data::Image last_;
};

class ImagesBench {
 public:
  ImagesBench(ImagesArguments arguments, Context& context)
      : arguments_(std::move(arguments)), context_(context) {
    fill_defaults(arguments_);
    train::use_threads(arguments_.threads);
  }

  ordered_json run() {
    result_["benchmark"] = "images";
    result_["made"] = paper::provenance(arguments_.device);
    result_["cpu"] = cpu_model();
    result_["threads"] = arguments_.threads;
    result_["rounds"] = arguments_.rounds;
    if (wanted("list")) {
      list();  // first: it reports by how much the peak of the memory grows
    }
    if (wanted("decode")) {
      decode();
    }
    if (wanted("step") || wanted("loader")) {
      steps();
    }
    if (wanted("loader")) {
      loader();
    }
    if (wanted("memory")) {
      memory();
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool wanted(const std::string& part) const {
    return std::ranges::find(arguments_.parts, part) != arguments_.parts.end();
  }

  void say(const std::string& what) { context_.err << what << '\n' << std::flush; }

  void decode() {
    struct Size {
      std::int64_t rows;
      std::int64_t columns;
    };
    const std::unique_ptr<Python> python = Python::start(arguments_.python, transforms_python);
    if (!python) {
      result_["decode_python_missing"] =
          "not measured: no Python with torchvision and Pillow (Debian: python3-torchvision, "
          "python3-pil)";
      say("python: " + result_["decode_python_missing"].get<std::string>());
    } else {
      result_["decode_python"] = {{"torchvision_and_pillow", python->versions()}, {"python", python->name()}};
    }
    result_["decode"] = ordered_json::array();
    for (const Size size : {Size{227, 227}, Size{375, 500}, Size{768, 1024}}) {
      const TemporaryFolder folder;
      write_photographs(
          folder.path(),
          {.environments = 1, .classes = 1, .images = 8, .rows = size.rows, .columns = size.columns});
      std::vector<fs::path> files;
      std::string line = "2";
      for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
        if (entry.is_regular_file()) {
          files.push_back(entry.path());
          line += " " + entry.path().string();
        }
      }
      Decoding fast(true);
      Decoding exact(false);
      std::map<std::string, std::vector<double>> seconds;
      for (int round = 0; round <= arguments_.rounds; ++round) {
        say("decode " + std::to_string(size.columns) + " x " + std::to_string(size.rows) + ", round " +
            std::to_string(round));
        const double ours = fast.seconds_per_image(files, 2);
        const double ours_exact = exact.seconds_per_image(files, 2);
        const double theirs = python ? python->ask(line) : 0.0;
        if (round > 0) {  // the first warms up
          seconds["fast"].push_back(ours);
          seconds["exact"].push_back(ours_exact);
          seconds["python"].push_back(theirs);
        }
      }
      ordered_json row{
          {"columns", size.columns},
          {"rows", size.rows},
          {"bytes", fs::file_size(files.front())},
          {"images_per_second_and_core",
           {{"fast", 1.0 / median(seconds["fast"])}, {"exact", 1.0 / median(seconds["exact"])}}}};
      if (python) {
        row["images_per_second_and_core"]["python"] = 1.0 / median(seconds["python"]);
        row["fast_over_python"] = median(seconds["python"]) / median(seconds["fast"]);
        row["exact_over_python"] = median(seconds["python"]) / median(seconds["exact"]);
      }
      result_["decode"].push_back(row);
    }
  }

  [[nodiscard]] train::Settings settings_of(const std::string& algorithm, train::Precision precision) const {
    std::vector<runs::Override> overrides{
        {"model", arguments_.model}, {"batch", std::to_string(arguments_.batch)}, {"steps", "1000000"}};
    if (algorithm == "pair") {
      overrides.emplace_back("pretrain", "0");
    }
    train::Settings settings = runs::resolve("images", algorithm, overrides).settings;
    settings.precision = precision;
    return settings;
  }

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

  void wait() const {
    if (on_cuda(arguments_)) {
      torch::cuda::synchronize();
    }
  }

  double milliseconds(train::Trainer& trainer, train::Precision precision) const {
    train::use_tf32(precision != train::Precision::fp32);
    wait();
    const auto began = std::chrono::steady_clock::now();
    for (int i = 0; i < arguments_.steps; ++i) {
      trainer.advance();
    }
    wait();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - began).count() /
           arguments_.steps;
  }

  static constexpr int warm_up = 2;  // rounds: the first steps choose algorithms and are recorded

  void steps() {
    const std::shared_ptr<const data::EnvironmentSet> set = resident();
    std::unique_ptr<Python> python;
    if (wanted("step")) {
      python = Python::start(
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
        if (algorithm == std::string("erm") || wanted("step")) {
          kinds.push_back({std::string(algorithm) + " " + std::string(to_string(precision)), precision,
                           std::make_unique<train::Trainer>(set, settings_of(algorithm, precision), 0,
                                                            torch::Device(arguments_.device))});
        }
      }
    }
    std::vector<std::string> asked = {"default contiguous", "fp32 contiguous", "bf16 contiguous",
                                      "bf16 channels_last"};
    if (on_cuda(arguments_)) {
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
        const double seconds = python->ask(form + " " + std::to_string(arguments_.steps));
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
    if (!wanted("step")) {
      return;
    }
    for (const train::Precision precision : precisions_of(arguments_)) {
      const std::string name(to_string(precision));
      step["pair_over_erm"][name] = erm_ms_["pair " + name] / erm_ms_["erm " + name];
    }
    if (python) {
      step["python"] = {{"torch_and_parameters", python->versions()}, {"python", python->name()}};
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
      train::Trainer trainer(set, settings_of("erm", precision), 0, torch::Device(arguments_.device));
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

  // A few steps on 100,000 images, which are hard links to a few files.
  void memory() {
    constexpr int folders = 40;  // 4 environments of 10 classes
    constexpr int links = 2500;
    const TemporaryFolder folder;
    say("writing " + std::to_string(folders * links) + " links to " + folder.path().string());
    const data::Bytes jpeg = to_jpeg(photograph(96, 128, 1));
    for (int i = 0; i < folders; ++i) {
      const fs::path into = folder.path() / "images" / ("environment" + std::to_string(i / 10)) /
                            ("class" + std::to_string(i % 10));
      fs::create_directories(into);
      // One file per folder, because file systems limit the links to a file.
      const fs::path original = into / "original.jpg";
      std::ofstream file(original, std::ios::binary);
      file.write(reinterpret_cast<const char*>(jpeg.data()), static_cast<std::streamsize>(jpeg.size()));
      file.close();
      for (int k = 1; k < links; ++k) {
        fs::create_hard_link(original, into / (std::to_string(k) + ".jpg"));
      }
    }
    data::ImagesOptions options;
    options.folder = (folder.path() / "images").string();
    options.image_size = 64;
    options.augment = data::ImageAugmentation::domainbed;
    options.workers = arguments_.workers;
    const auto began = std::chrono::steady_clock::now();
    const auto set = std::make_shared<const data::EnvironmentSet>(data::make_images(options, 0, "images"));
    const double listed = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    arguments_.model = "resnet18";
    arguments_.batch = 8;
    train::Trainer trainer(set, settings_of("pair", train::Precision::fp32), 0,
                           torch::Device(arguments_.device));
    for (int i = 0; i < 5; ++i) {
      trainer.advance();
    }
    result_["memory"] = {{"images", folders * links},
                         {"seconds_to_list", listed},
                         {"model", arguments_.model},
                         {"steps", 5},
                         {"peak_mb", peak_megabytes()}};
  }

  // Listing a million empty files, which are not opened.
  void list() {
    constexpr int folders = 40;  // 4 environments of 10 classes
    constexpr int files = 25'000;
    const TemporaryFolder folder;
    say("writing " + std::to_string(folders * files) + " files to " + folder.path().string());
    for (int i = 0; i < folders; ++i) {
      const fs::path into =
          folder.path() / ("environment" + std::to_string(i / 10)) / ("class" + std::to_string(i % 10));
      fs::create_directories(into);
      for (int k = 0; k < files; ++k) {
        std::ofstream(into / (std::to_string(k) + ".jpg"));
      }
    }
    const double before = peak_megabytes();
    const auto began = std::chrono::steady_clock::now();
    const data::ImageFolder pictures(folder.path());
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    result_["list"] = {
        {"files", pictures.size()}, {"seconds", seconds}, {"megabytes", peak_megabytes() - before}};
  }

  double loader_alone(const data::EnvironmentSet& set) {
    std::vector<std::vector<std::size_t>> samples;
    for (const data::Environment& environment : set.train) {
      samples.push_back(environment.samples);
    }
    data::Loader loader =
        data::Loader::training(set.source, data::Sampler(samples, {.batch = arguments_.batch}), set.loading);
    (void)loader.next();
    const auto began = std::chrono::steady_clock::now();
    std::int64_t images = 0;
    for (int i = 0; i < 2 * arguments_.steps; ++i) {
      images += loader.next()->inputs.size(0);
    }
    return static_cast<double>(images) /
           std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  }

  ImagesArguments arguments_;
  Context& context_;
  ordered_json result_;
  std::map<std::string, double> erm_ms_;  // medians, by algorithm and precision
};

void write_images_text(const ordered_json& result, std::ostream& out) {
  if (result.contains("decode")) {
    out << "Decoding and augmenting JPEGs to 224 x 224, images per second and core\n\n";
    base::Rows rows{{"pixels", "fast", "exact", "python", "fast / python"}};
    for (const auto& row : result["decode"]) {
      const auto& rates = row["images_per_second_and_core"];
      rows.push_back(
          {row["columns"].dump() + " x " + row["rows"].dump(), base::with_decimals(rates["fast"], 0),
           base::with_decimals(rates["exact"], 0),
           rates.contains("python") ? base::with_decimals(rates["python"], 0) : "-",
           row.contains("fast_over_python") ? base::with_decimals(row["fast_over_python"], 2) : "-"});
    }
    out << base::aligned(rows, {.indent = "  ", .gap = 3, .left = 1}) << '\n';
  }
  if (result.contains("step")) {
    const auto& step = result["step"];
    out << "One step of " << step["model"].get<std::string>() << " on " << step["device"].get<std::string>()
        << ", " << step["environments"] << " x " << step["images_per_environment"] << " images of "
        << step["side"] << " px, ms\n\n";
    base::Rows rows;
    for (const auto& [name, times] : step["milliseconds"].items()) {
      rows.push_back({name, base::with_decimals(times["median"], 2)});
    }
    if (step.contains("python")) {
      for (const auto& [name, times] : step["python"]["milliseconds"].items()) {
        rows.push_back({"python " + name, base::with_decimals(times["median"], 2)});
      }
    }
    out << base::aligned(rows, {.indent = "  ", .left = 1});
    if (step.contains("python")) {
      for (const auto& [name, ratio] : step["erm_over_python_default"].items()) {
        out << "\n  erm " << name << ": " << base::with_decimals(ratio, 2)
            << " of Python's step as torch ships, "
            << base::with_decimals(step["erm_over_python_same_precision"][name], 2) << " of its step in "
            << name;
      }
      out << '\n';
    } else {
      out << "  python: " << step["python_missing"].get<std::string>() << '\n';
    }
    for (const auto& [name, ratio] : step["pair_over_erm"].items()) {
      out << "  pair over erm in " << name << ": " << base::with_decimals(ratio, 3) << '\n';
    }
    out << '\n';
  }
  if (result.contains("loader")) {
    const auto& loading = result["loader"];
    out << "Steps on images from files, " << loading["workers"] << " workers, "
        << base::with_decimals(loading["images_per_second"], 0) << " images per second without steps\n\n";
    for (const auto& [name, times] : loading["milliseconds"].items()) {
      out << "  " << name << ": " << base::with_decimals(times["median"], 2) << " ms, busy "
          << base::with_decimals(100.0 * loading["busy"][name].get<double>(), 1) << "%\n";
    }
  }
  if (result.contains("list")) {
    const auto& list = result["list"];
    out << "Listing a folder of " << list["files"] << " files: " << base::with_decimals(list["seconds"], 2)
        << " s, " << base::with_decimals(list["megabytes"], 0) << " MB\n";
  }
  if (result.contains("memory")) {
    const auto& memory = result["memory"];
    out << "Training on " << memory["images"] << " images: listed in "
        << base::with_decimals(memory["seconds_to_list"], 2) << " s, peak memory "
        << base::with_decimals(memory["peak_mb"], 0) << " MB\n";
  }
  for (const char* const part : {"step", "loader"}) {
    if (result.contains(part) && result[part].contains("notices")) {
      for (const auto& notice : result[part]["notices"]) {
        out << "  " << notice.get<std::string>() << '\n';
      }
    }
  }
}

}  // namespace

void add_bench_images(CLI::App& bench, Context& context) {
  const auto arguments = std::make_shared<ImagesArguments>();
  CLI::App* command = bench.add_subcommand(
      "images", "Decoding, augmenting and training steps on images, against torchvision and PyTorch");
  std::vector<std::string> all_image_parts = image_parts;
  all_image_parts.insert(all_image_parts.end(), large_parts.begin(), large_parts.end());
  command
      ->add_option("--parts", arguments->parts,
                   "Any of " + base::joined(all_image_parts) + " (default: all but the last two)")
      ->delimiter(',')
      ->check(CLI::IsMember(all_image_parts));
  command->add_option("--device", arguments->device, "cpu, cuda or cuda:N")->capture_default_str();
  command
      ->add_option("--model", arguments->model,
                   "resnet18, resnet50 or densenet121 (default: resnet18; on cuda resnet50)")
      ->check(CLI::IsMember({"resnet18", "resnet50", "densenet121"}));
  command->add_option("--batch", arguments->batch, "Images per environment (default: 4; on cuda 32)")
      ->check(CLI::Range(1, 4096));
  command->add_option("--size", arguments->side, "Side of the images (default: 96; on cuda 224)")
      ->check(CLI::Range(32, 1024));
  command->add_option("--threads", arguments->threads, "Threads per operation on the CPU")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->add_option("--workers", arguments->workers, "Threads that read images (default: the cores)")
      ->check(CLI::Range(0, 256));
  command->add_option("--rounds", arguments->rounds, "Rounds, alternating between all; medians are reported")
      ->check(CLI::Range(1, 10'000))
      ->capture_default_str();
  command->add_option("--steps", arguments->steps, "Steps per round (default: 2; on cuda 10)")
      ->check(CLI::Range(1, 10'000));
  command->add_option("--python", arguments->python,
                      "The Python to compare with (default: python3, then /usr/bin/python3)");
  command->add_flag("--json", arguments->json, "Write the results as JSON");
  command->footer(
      "Decoding is measured in CPU time of one thread, steps in wall time.\n\n"
      "Example:\n"
      "  pair bench images --parts decode\n"
      "  pair bench images --device cuda --json\n"
      "  pair bench images --parts memory,list");
  command->callback([arguments, &context] {
    if (arguments->device != "cpu" && !torch::cuda::is_available()) {
      throw UsageError("--device: expected cpu, since no CUDA device can be used, got '" + arguments->device +
                       "'");
    }
    const ordered_json result = ImagesBench(*arguments, context).run();
    if (arguments->json) {
      context.out << result.dump(2) << '\n';
    } else {
      write_images_text(result, context.out);
    }
  });
}

}  // namespace pair::bench
