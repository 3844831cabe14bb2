#include "pair/data/text.h"

#include <torch/types.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "pair/base/numbers.h"
#include "pair/base/tables.h"
#include "pair/bench/bench.h"
#include "pair/bench/python_child.h"
#include "pair/bench/spread.h"
#include "pair/bench/step_time.h"
#include "pair/bench/text_python.h"
#include "pair/bench/tokenizer_speed.h"
#include "pair/data/random.h"
#include "pair/models/registry.h"
#include "pair/paper/provenance.h"
#include "pair/train/precision.h"
#include "pair/train/threads.h"
#include "pair/train/trainer.h"

namespace pair::bench {
namespace {

struct TextArguments {
  std::string device = "cpu";
  std::int64_t environments = 5;
  std::int64_t batch = 16;
  std::int64_t tokens = 300;
  std::int64_t layers = 6;
  std::int64_t heads = 12;
  std::int64_t dim = 768;
  std::int64_t hidden = 3072;
  std::int64_t vocabulary = 30'522;
  int rounds = 10;
  int steps = 5;
  std::int64_t threads = 1;
  std::string python = "python3";
  std::vector<std::string> precisions = {};  // empty: all that the device has
  bool small = false;
  bool tokenizer_only = false;
  bool json = false;
};

std::shared_ptr<const data::EnvironmentSet> random_comments(const TextArguments& arguments) {
  auto set = std::make_shared<data::EnvironmentSet>();
  set->name = "comments";
  set->loss = data::TaskLoss::cross_entropy;
  set->outputs = 2;
  data::Random random(0, "comments");
  constexpr std::int64_t comments = 256;
  for (std::int64_t e = 0; e < arguments.environments; ++e) {
    data::Environment environment{
        .key = "env" + std::to_string(e) + "_in",
        .inputs = torch::full({comments, arguments.tokens}, data::no_token, torch::kInt),
        .labels = torch::empty({comments}, torch::kLong)};
    auto ids = environment.inputs.accessor<std::int32_t, 2>();
    auto labels = environment.labels.accessor<std::int64_t, 1>();
    for (std::int64_t i = 0; i < comments; ++i) {
      const std::int64_t shortest = arguments.tokens / 3;
      const auto size = shortest + static_cast<std::int64_t>(random.below(
                                       static_cast<std::uint64_t>(arguments.tokens - shortest + 1)));
      for (std::int64_t t = 0; t < size; ++t) {
        ids[i][t] =
            1 + static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(arguments.vocabulary - 1)));
      }
      labels[i] = static_cast<std::int64_t>(random.below(2));
    }
    set->train.push_back(std::move(environment));
  }
  return set;
}

train::Settings distilbert_settings(const TextArguments& arguments) {
  train::Settings settings;
  settings.model = "distilbert";
  settings.model_options =
      models::options_of("distilbert", {{"distilbert_layers", std::to_string(arguments.layers)},
                                        {"distilbert_heads", std::to_string(arguments.heads)},
                                        {"distilbert_dim", std::to_string(arguments.dim)},
                                        {"distilbert_hidden", std::to_string(arguments.hidden)},
                                        {"distilbert_vocabulary", std::to_string(arguments.vocabulary)}});
  settings.batch = arguments.batch;
  settings.steps = 1'000'000;
  settings.lr = 1e-5;
  settings.l2 = 0.0;
  settings.backtrack = false;
  return settings;
}

struct TextMethod {
  std::string name;
  train::Precision precision = train::Precision::fp32;
  train::Settings settings;
  std::optional<train::Trainer> trainer = {};
  std::vector<double> milliseconds = {};  // per step, one per round
};

std::vector<TextMethod> methods_of(const TextArguments& arguments) {
  train::Settings erm = distilbert_settings(arguments);
  erm.scheme = train::Scheme::linear;
  erm.objectives = {"erm"};
  erm.preference.clear();
  erm.pretrain = 0;
  train::Settings pair = distilbert_settings(arguments);
  pair.scheme = train::Scheme::pair;
  pair.objectives = {"erm", "irmv1", "vrex"};
  pair.preference = {1e-12, 1e-4, 1.0};
  pair.pretrain = 0;
  pair.balance_optimizer = train::Optimizer::adam;
  pair.balance_lr = 1e-5;
  pair.decay = train::Decay::none;
  train::Settings all = pair;
  all.gradients = train::GradientSource::all;
  std::vector<TextMethod> methods;
  using train::Precision;
  std::vector<Precision> precisions{Precision::fp32};
  if (arguments.device != "cpu") {
    precisions.insert(precisions.end(), {Precision::tf32, Precision::bf16});
  }
  for (const Precision precision : precisions) {
    const std::string name(to_string(precision));
    if (!arguments.precisions.empty() && std::ranges::count(arguments.precisions, name) == 0) {
      continue;
    }
    for (const auto& [method, settings] :
         {std::pair("ERM", erm), std::pair("PAIR-o, head", pair), std::pair("PAIR-o, all parameters", all)}) {
      methods.push_back({.name = method + (" " + name), .precision = precision, .settings = settings});
      methods.back().settings.precision = precision;
    }
  }
  for (TextMethod& method : methods) {
    train::settle(method.settings);
  }
  return methods;
}

double our_step(TextMethod& method, int steps, const torch::Device& device) {
  train::use_tf32(method.precision != train::Precision::fp32);
  return milliseconds_per_step(*method.trainer, steps, device);
}

struct Eager {
  std::unique_ptr<PythonChild> python;
  std::string torch;
  std::int64_t parameters = 0;
  std::string whose;  // "transformers" or "torch"
  std::vector<double> fp32 = {};
  std::vector<double> tf32 = {};
};

std::optional<Eager> start_eager(const TextArguments& arguments) {
  std::vector<std::string> numbers{arguments.device};
  for (const std::int64_t number :
       {arguments.threads, arguments.environments, arguments.batch, arguments.tokens, arguments.layers,
        arguments.heads, arguments.dim, arguments.hidden, arguments.vocabulary}) {
    numbers.push_back(std::to_string(number));
  }
  Eager eager;
  eager.python = PythonChild::start(arguments.python, text_python, numbers);
  if (!eager.python) {
    return std::nullopt;
  }
  std::istringstream(eager.python->greeting()) >> eager.torch >> eager.parameters >> eager.whose;
  return eager;
}

double eager_step(Eager& eager, const char* precision, int steps) {
  return 1e3 * eager.python->ask_number(std::string(precision) + " " + std::to_string(steps)) / steps;
}

struct TextComparison {
  TokenizerSpeed tokenizer;
  std::vector<TextMethod> methods;
  std::optional<Eager> eager;
};

TextComparison measured(const TextArguments& arguments, Context& context) {
  TextComparison comparison;
  try {
    comparison.tokenizer = tokenizer_speed(std::max(arguments.rounds, 3));
  } catch (const std::runtime_error& error) {
    if (arguments.tokenizer_only) {
      throw;
    }
    context.err << "pair: the tokenizer is not measured: " << error.what() << '\n' << std::flush;
  }
  if (arguments.tokenizer_only) {
    return comparison;
  }
  const torch::Device device(arguments.device);
  const bool cuda = device.is_cuda();
  comparison.eager = start_eager(arguments);
  if (!comparison.eager) {
    context.err << "pair: not compared: '" << arguments.python
                << " -c \"import torch\"' fails, or its torch has no such device (--python names another)\n"
                << std::flush;
  }
  train::use_threads(arguments.threads);
  const auto data = random_comments(arguments);
  comparison.methods = methods_of(arguments);
  for (TextMethod& method : comparison.methods) {
    train::use_tf32(method.precision != train::Precision::fp32);
    method.trainer.emplace(data, method.settings, 0, device);
  }
  // The first rounds record steps and fill caches.
  constexpr int warm_up = 2;
  for (int round = 0; round < arguments.rounds + warm_up; ++round) {
    context.err << "round " << round + 1 << " of " << arguments.rounds + warm_up << '\n' << std::flush;
    const bool counts = round >= warm_up;
    for (TextMethod& method : comparison.methods) {
      const double milliseconds = our_step(method, arguments.steps, device);
      if (counts) {
        method.milliseconds.push_back(milliseconds);
      }
    }
    if (comparison.eager) {
      const double fp32 = eager_step(*comparison.eager, "fp32", arguments.steps);
      const double tf32 = cuda ? eager_step(*comparison.eager, "tf32", arguments.steps) : 0.0;
      if (counts) {
        comparison.eager->fp32.push_back(fp32);
        if (cuda) {
          comparison.eager->tf32.push_back(tf32);
        }
      }
    }
  }
  return comparison;
}

double ratio_of(const std::vector<double>& ours, const std::vector<double>& others) {
  std::vector<double> ratios;  // per round: a slow moment of the machine affects both
  for (std::size_t i = 0; i < std::min(ours.size(), others.size()); ++i) {
    ratios.push_back(ours[i] / others[i]);
  }
  return median(ratios);
}

nlohmann::ordered_json json_of(const TextComparison& comparison, const TextArguments& arguments) {
  nlohmann::ordered_json result{{"benchmark", "text"}};
  result["made"] = paper::provenance(arguments.device);
  if (!comparison.tokenizer.tokens_per_second.empty()) {
    result["tokens_per_second"] = spread(comparison.tokenizer.tokens_per_second);
    result["megabytes_per_second"] = spread(comparison.tokenizer.megabytes_per_second);
  }
  if (arguments.tokenizer_only) {
    return result;
  }
  result["environments"] = arguments.environments;
  result["batch"] = arguments.batch;
  result["tokens"] = arguments.tokens;
  result["network"] = {{"layers", arguments.layers},
                       {"heads", arguments.heads},
                       {"dim", arguments.dim},
                       {"hidden", arguments.hidden},
                       {"vocabulary", arguments.vocabulary}};
  result["threads"] = arguments.threads;
  result["rounds"] = arguments.rounds;
  result["steps_per_round"] = arguments.steps;
  result["milliseconds"] = nlohmann::ordered_json::object();
  result["over_erm"] = nlohmann::ordered_json::object();
  result["over_eager"] = nlohmann::ordered_json::object();
  for (const TextMethod& method : comparison.methods) {
    result["milliseconds"][method.name] = spread(method.milliseconds);
    for (const TextMethod& erm : comparison.methods) {
      if (erm.name.starts_with("ERM") && erm.precision == method.precision && &erm != &method) {
        result["over_erm"][method.name] = ratio_of(method.milliseconds, erm.milliseconds);
      }
    }
    if (comparison.eager) {
      // bf16 with eager TF32: the fastest that eager mode does without changes to a training loop.
      const std::vector<double>& eager =
          method.precision != train::Precision::fp32 ? comparison.eager->tf32 : comparison.eager->fp32;
      result["over_eager"][method.name] = ratio_of(method.milliseconds, eager);
    }
  }
  if (comparison.eager) {
    result["eager"] = {{"network", comparison.eager->whose},
                       {"torch", comparison.eager->torch},
                       {"parameters", comparison.eager->parameters},
                       {"fp32_milliseconds", spread(comparison.eager->fp32)}};
    if (!comparison.eager->tf32.empty()) {
      result["eager"]["tf32_milliseconds"] = spread(comparison.eager->tf32);
    }
  } else {
    result["eager"] = nullptr;
  }
  return result;
}

void write_comparison(const nlohmann::ordered_json& result, const TextArguments& arguments,
                      std::ostream& out) {
  const auto median_of = [&result](const char* key) { return result.at(key).at("median").get<double>(); };
  if (result.contains("tokens_per_second")) {
    out << "Tokenizer, one thread: " << base::with_decimals(1e-6 * median_of("tokens_per_second"), 1)
        << " million tokens/s, " << base::with_decimals(median_of("megabytes_per_second"), 0) << " MB/s\n";
  }
  if (arguments.tokenizer_only) {
    return;
  }
  out << "\nA step of DistilBERT, " << arguments.environments << " environments x " << arguments.batch
      << " comments of " << arguments.tokens << " tokens, on " << arguments.device << "; medians of "
      << arguments.rounds << " rounds\n\n";
  base::Rows rows;
  for (const auto& [name, value] : result.at("milliseconds").items()) {
    const auto ratio = [&result, &name = name](const char* key, const char* words) {
      const auto& ratios = result.at(key);
      return ratios.contains(name) ? base::with_decimals(ratios.at(name).template get<double>(), 2) + words
                                   : "";
    };
    rows.push_back({name, base::with_decimals(value.at("median").get<double>(), 2) + " ms",
                    ratio("over_erm", " of ERM"), ratio("over_eager", " of eager ERM")});
  }
  out << base::aligned(rows, {.indent = "  ", .gap = 3, .left = 1});
  if (!result.at("eager").is_null()) {
    out << "\nEager: " << result.at("eager").at("network").get<std::string>() << ", PyTorch "
        << result.at("eager").at("torch").get<std::string>() << '\n';
  }
}

}  // namespace

void add_bench_text(CLI::App& bench, Context& context) {
  const auto arguments = std::make_shared<TextArguments>();
  CLI::App* command = bench.add_subcommand(
      "text", "The tokenizer's speed, and steps of DistilBERT compared with PyTorch's eager mode");
  command->add_option("--device", arguments->device, "cpu or cuda[:N]")->capture_default_str();
  const auto whole = [&](const char* option, std::int64_t& value, const char* help) {
    command->add_option(option, value, help)
        ->capture_default_str()
        ->check(CLI::Range(std::int64_t{1}, std::int64_t{1'000'000}));
  };
  whole("--environments", arguments->environments, "Environments per step");
  whole("--batch", arguments->batch, "Comments per environment and step");
  whole("--tokens", arguments->tokens, "Tokens per comment, at most 512");
  command->add_flag(
      "--small", arguments->small,
      "A network of 2 layers with 64 numbers per token, and 4 comments of 64 tokens per environment");
  command->add_flag("--tokenizer", arguments->tokenizer_only, "Only the tokenizer");
  command->add_option("--rounds", arguments->rounds, "Rounds; medians are reported")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  command->add_option("--steps", arguments->steps, "Steps of each method per round")
      ->capture_default_str()
      ->check(CLI::Range(1, 1000));
  whole("--threads", arguments->threads, "Threads per operation");
  command
      ->add_option("--precisions", arguments->precisions,
                   "Any of fp32, tf32, bf16 (default: all that the device has)")
      ->delimiter(',')
      ->check(CLI::IsMember({"fp32", "tf32", "bf16"}));
  command->add_option("--python", arguments->python, "The Python that has torch")->capture_default_str();
  command->add_flag("--json", arguments->json, "Write JSON");
  command->footer(
      "Comments are random, a third to all of the tokens long. Methods and Python take turns in every "
      "round.\n\n"
      "Example:\n"
      "  pair bench text --device cuda --json\n"
      "  pair bench text --small");
  command->callback([arguments, &context] {
    if (arguments->small) {
      arguments->batch = 4;
      arguments->tokens = 64;
      arguments->layers = 2;
      arguments->heads = 4;
      arguments->dim = 64;
      arguments->hidden = 256;
      arguments->vocabulary = 1000;
    }
    try {
      const nlohmann::ordered_json result = json_of(measured(*arguments, context), *arguments);
      if (arguments->json) {
        context.out << result.dump(2) << '\n';
      } else {
        write_comparison(result, *arguments, context.out);
      }
    } catch (const std::invalid_argument& error) {
      throw UsageError(error.what());
    }
  });
}

}  // namespace pair::bench
