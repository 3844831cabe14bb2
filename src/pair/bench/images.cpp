#include <torch/cuda.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "pair/base/assignment.h"
#include "pair/base/tables.h"
#include "pair/bench/bench.h"
#include "pair/bench/image_bench.h"
#include "pair/paper/provenance.h"
#include "pair/runs/run_spec.h"
#include "pair/train/threads.h"

namespace pair::bench {
namespace {

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

nlohmann::ordered_json bench_images(ImagesArguments arguments, Context& context) {
  fill_defaults(arguments);
  train::use_threads(arguments.threads);
  nlohmann::ordered_json result;
  result["benchmark"] = "images";
  result["made"] = paper::provenance(arguments.device);
  result["cpu"] = cpu_model();
  result["threads"] = arguments.threads;
  result["rounds"] = arguments.rounds;
  if (wants(arguments, "list")) {
    bench_listing(context, result);  // first: it reports by how much the peak of the memory grows
  }
  if (wants(arguments, "decode")) {
    bench_decoding(arguments, context, result);
  }
  if (wants(arguments, "step") || wants(arguments, "loader")) {
    bench_image_steps(arguments, context, result);
  }
  if (wants(arguments, "memory")) {
    bench_image_memory(arguments, context, result);
  }
  return result;
}

}  // namespace

bool wants(const ImagesArguments& arguments, std::string_view part) {
  return std::ranges::find(arguments.parts, part) != arguments.parts.end();
}

std::vector<train::Precision> precisions_of(const ImagesArguments& arguments) {
  using train::Precision;
  return on_cuda(arguments) ? std::vector{Precision::fp32, Precision::tf32, Precision::bf16}
                            : std::vector{Precision::fp32, Precision::bf16};
}

train::Settings image_settings(const ImagesArguments& arguments, const std::string& algorithm,
                               train::Precision precision) {
  base::Assignments overrides{
      {"model", arguments.model}, {"batch", std::to_string(arguments.batch)}, {"steps", "1000000"}};
  if (algorithm == "pair") {
    overrides.emplace_back("pretrain", "0");
  }
  train::Settings settings = runs::resolve("images", algorithm, overrides).settings;
  settings.precision = precision;
  return settings;
}

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
    const nlohmann::ordered_json result = bench_images(*arguments, context);
    if (arguments->json) {
      context.out << result.dump(2) << '\n';
    } else {
      write_images_text(result, context.out);
    }
  });
}

}  // namespace pair::bench
