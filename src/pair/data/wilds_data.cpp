#include "pair/data/wilds_data.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pair/data/environment.h"
#include "pair/data/registry.h"
#include "pair/data/wilds_source.h"
#include "pair/data/wilds_training.h"

namespace pair::data {

// Found by argument-dependent lookup.
void describe(base::Fields<WildsDataOptions>& field) {
  using O = WildsDataOptions;
  describe_wilds(field);
  field.text("fold", &O::fold, "A, B, C, D, E or seed", "poverty: the countries; seed takes them in turn",
             [](const std::string& fold) {
               return fold == "seed" || (fold.size() == 1 && fold[0] >= 'A' && fold[0] <= 'E');
             });
  field.whole("image_size", &O::image_size, std::int64_t{1}, 4096,
              "images are resized to this many rows and columns");
  field
      .whole("workers", &O::workers, std::int64_t{0}, 256,
             "threads that read images ahead; 0: none. Records do not depend on it")
      .decides = false;
}

char fold_of(std::string_view fold, std::uint64_t seed) {
  return fold == "seed" ? static_cast<char>('A' + seed % 5) : fold.front();
}

std::string replicate_of(const WildsKind& kind, std::string_view fold, std::uint64_t seed) {
  return kind.replicates.front().starts_with("fold") ? std::string("fold:") + fold_of(fold, seed)
                                                     : "seed:" + std::to_string(seed);
}

WildsSettings with_common_settings(WildsSettings settings) {
  const WildsSettings common{{"penalty", "1"},     {"pretrain_penalty", "0"}, {"refresh", "false"},
                             {"annealed_lr", "0"}, {"gradients", "w"},        {"irmv1_unbiased", "true"},
                             {"decay", "none"},    {"backtrack", "false"},    {"irmv1_negative", "scale"},
                             {"epsilon", "1e-4"},  {"restart", "false"}};
  settings.insert(settings.end(), common.begin(), common.end());
  return settings;
}

void check_wilds_root(const WildsKind& kind, const std::string& data_root) {
  if (data_root.empty()) {
    throw std::invalid_argument(
        "data_root: expected the folder that holds '" + std::string(kind.name) + "_v" +
        std::string(kind.version) +
        "', got none; 'pair train --data-root DIR' sets it, and 'pair data describe " +
        std::string(kind.name) + " --data-root DIR' describes it");
  }
  (void)wilds_folder(kind, data_root);
}

std::vector<std::vector<std::size_t>> training_samples(const WildsSet& set, const WildsGroups& groups) {
  std::vector<std::vector<std::size_t>> environments;
  for (const std::vector<std::size_t>& group : groups.samples) {
    std::vector<std::size_t> samples;
    std::ranges::copy_if(group, std::back_inserter(samples),
                         [&](std::size_t sample) { return set.split[sample] == Split::train; });
    if (!samples.empty()) {
      environments.push_back(std::move(samples));
    }
  }
  return environments;
}

std::function<std::vector<std::pair<std::string, double>>(const Environment&, std::span<const double>)>
wilds_scores(const WildsKind& kind, std::shared_ptr<const WildsSet> files) {
  return [&kind, files = std::move(files)](const Environment& environment, std::span<const double> answers) {
    std::vector<std::pair<std::string, double>> scores;
    for (const auto& [name, value] : kind.evaluate(*files, environment.samples, answers)) {
      if (name.find(':') == std::string::npos) {
        scores.emplace_back(environment.key + "_" + name, value);
      }
    }
    return scores;
  };
}

namespace {

// Declarations for training: the paper's Appendix F.3 and, where it is silent, its published code, which
// follows Fish's. PovertyMap has the code's learning rate and schedule (the paper: 1e-4 without a schedule).
// Numbers of steps are the ERM steps, and about as many after them as the paper's epochs have on the real
// data.
struct WildsTraining {
  std::string_view name;
  std::int64_t image_size;
  bool standardised;  // each image by itself, with random turns; otherwise by ImageNet's mean and deviation
  WildsSettings settings;
};

const std::vector<WildsTraining>& wilds_trainings() {
  static const std::vector<WildsTraining> all{
      {"camelyon17", 224, false,
       with_common_settings({{"model", "densenet121"},
                             {"batch", "32"},
                             {"environments", "3"},
                             {"pretrain", "10000"},
                             {"steps", "13340"},
                             {"optimizer", "sgd"},
                             {"descent_momentum", "0.9"},
                             {"lr", "1e-4"},
                             {"l2", "0"},
                             {"balance_optimizer", "sgd"},
                             {"balance_lr", "1e-4"},
                             {"momentum", "0.9"},
                             {"preference", "1,1e12,1e12"},
                             {"irmv1_constant", "1"},
                             {"eval_every", "1670"},
                             {"checkpoint_every", "500"}})},
      {"fmow", 224, false,
       with_common_settings({{"model", "densenet121"},
                             {"batch", "32"},
                             {"environments", "5"},
                             {"pretrain", "24000"},
                             {"steps", "29800"},
                             {"lr", "1e-4"},
                             {"amsgrad", "true"},
                             {"l2", "0"},
                             {"balance_optimizer", "adam"},
                             {"balance_lr", "1e-4"},
                             {"preference", "1,1e12,1e12"},
                             {"irmv1_constant", "1"},
                             {"eval_every", "500"},
                             {"checkpoint_every", "500"}})},
      {"iwildcam", 448, false,
       with_common_settings({{"model", "resnet50"},
                             {"batch", "16"},
                             {"environments", "10"},
                             {"pretrain", "24000"},
                             {"steps", "31200"},
                             {"lr", "1e-4"},
                             {"amsgrad", "true"},
                             {"l2", "0"},
                             {"balance_optimizer", "adam"},
                             {"balance_lr", "1e-4"},
                             {"freeze_featurizer", "true"},
                             {"preference", "1,1e10,1e12"},
                             {"irmv1_constant", "0.01"},
                             {"eval_every", "1000"},
                             {"checkpoint_every", "500"}})},
      {"poverty", 224, false,
       with_common_settings({{"model", "resnet18"},
                             {"batch", "64"},
                             {"environments", "5"},
                             {"pretrain", "5000"},
                             {"steps", "11400"},
                             {"lr", "1e-3"},
                             {"amsgrad", "true"},
                             {"l2", "0"},
                             {"schedule", "step"},
                             {"schedule_every", "154"},
                             {"schedule_factor", "0.96"},
                             {"balance_optimizer", "adam"},
                             {"balance_lr", "1e-3"},
                             {"preference", "1,1e8,1e12"},
                             {"irmv1_constant", "0.01"},
                             {"eval_every", "154"},
                             {"checkpoint_every", "154"}})},
      {"rxrx1", 256, true,
       with_common_settings({{"model", "resnet50"},
                             {"batch", "72"},
                             {"environments", "10"},
                             {"pretrain", "15000"},
                             {"steps", "20300"},
                             {"lr", "1e-3"},
                             {"amsgrad", "true"},
                             {"l2", "5e-6"},  // half of torch's weight_decay
                             {"warmup", "5415"},
                             {"schedule", "cosine"},
                             {"balance_optimizer", "adam"},
                             {"balance_lr", "1e-3"},
                             {"freeze_featurizer", "true"},
                             {"preference", "1,1e8,1e12"},
                             {"irmv1_constant", "1"},
                             {"eval_every", "2000"},
                             {"checkpoint_every", "500"}})},
  };
  return all;
}

void check_images(const WildsKind& kind, const WildsDataOptions& options) {
  check_wilds_root(kind, options.data_root);
  const std::int64_t largest = 224;
  if (kind.name == "poverty" && largest % options.image_size != 0) {
    throw std::invalid_argument("image_size: expected a divisor of 224 for poverty, got " +
                                std::to_string(options.image_size));
  }
}

EnvironmentSet make_wilds(const WildsKind& kind, const WildsTraining& training,
                          const WildsDataOptions& options, std::uint64_t seed) {
  const auto files = std::make_shared<const WildsSet>(
      read_wilds(kind, options.data_root, {.fold = fold_of(options.fold, seed)}));
  const WildsGroups groups = kind.environments(*files, options.environments);
  EnvironmentSet set{.name = std::string(kind.name),
                     .loss = files->regression() ? TaskLoss::squared_error : TaskLoss::cross_entropy,
                     .outputs = files->regression() ? 1 : static_cast<std::int64_t>(files->classes.size()),
                     .train = {},
                     .held_out = {},
                     .source = std::make_shared<const WildsSource>(files, groups),
                     .loading = {.rows = options.image_size,
                                 .columns = options.image_size,
                                 .seed = seed,
                                 .workers = static_cast<int>(options.workers)}};
  for (std::vector<std::size_t>& samples : training_samples(*files, groups)) {
    set.train.push_back({.key = "env" + std::to_string(set.train.size()) + "_in",
                         .inputs = {},
                         .labels = {},
                         .samples = std::move(samples),
                         .scored = false});
  }
  for (const std::string& name : options.scored) {
    Environment environment;
    environment.key = name;
    environment.test = name == "test";
    environment.samples = files->samples_of(split_named("score_splits", name));
    if (!environment.samples.empty()) {
      set.held_out.push_back(std::move(environment));
    }
  }
  set.classes = files->classes;
  set.more_scores = wilds_scores(kind, files);
  if (files->regression()) {
    set.loading.numbers = poverty_channels;
    set.loading.regression = true;
    return set;
  }
  ImageInput input{.rows = options.image_size, .columns = options.image_size};
  if (training.standardised) {
    set.loading.flip = 0.5;
    set.loading.quarter_turns = true;
    input.standardise = true;
  } else {
    input.mean = {0.485, 0.456, 0.406};
    input.deviation = {0.229, 0.224, 0.225};
  }
  set.input = form_of(input);
  return set;
}

DatasetEntry wilds_entry(const WildsTraining& training) {
  const WildsKind& kind = wilds_named(training.name);
  WildsDataOptions defaults;
  defaults.image_size = training.image_size;
  DatasetEntry entry = wilds_declaration(kind, defaults, training.settings);
  if (kind.name == "poverty") {
    entry.metrics = {"pearson", "mse"};
  }
  entry.check = [&kind](const base::Options& options) { check_images(kind, options.as<WildsDataOptions>()); };
  entry.make = [&kind, &training](const base::Options& options, std::uint64_t seed) {
    return make_wilds(kind, training, options.as<WildsDataOptions>(), seed);
  };
  return entry;
}

}  // namespace

std::vector<DatasetEntry> wilds_entries() {
  std::vector<DatasetEntry> entries;
  for (const WildsTraining& training : wilds_trainings()) {
    entries.push_back(wilds_entry(training));
  }
  return entries;
}

}  // namespace pair::data
