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
#include "pair/data/shared_fields.h"
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
  describe_image_size(field);
  describe_image_workers(field);
}

char fold_of(std::string_view fold, std::uint64_t seed) {
  return fold == "seed" ? static_cast<char>('A' + seed % 5) : fold.front();
}

std::string replicate_of(const WildsKind& kind, std::string_view fold, std::uint64_t seed) {
  return kind.replicates.front().starts_with("fold") ? std::string("fold:") + fold_of(fold, seed)
                                                     : "seed:" + std::to_string(seed);
}

base::Assignments with_common_settings(base::Assignments settings) {
  const base::Assignments common{{"penalty", "1"},     {"pretrain_penalty", "0"}, {"refresh", "false"},
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

void check_images(const WildsKind& kind, const WildsDataOptions& options) {
  check_wilds_root(kind, options.data_root);
  if (const std::int64_t whole = kind.training.size_divides; whole % options.image_size != 0) {
    throw std::invalid_argument("image_size: expected a divisor of " + std::to_string(whole) + " for " +
                                std::string(kind.name) + ", got " + std::to_string(options.image_size));
  }
}

EnvironmentSet make_wilds(const WildsKind& kind, const WildsDataOptions& options, std::uint64_t seed) {
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
  if (kind.training.standardised) {
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

DatasetEntry wilds_entry(const WildsKind& kind) {
  WildsDataOptions defaults;
  defaults.image_size = kind.training.image_size;
  DatasetEntry entry = wilds_declaration(kind, defaults);
  entry.check = [&kind](const base::Options& options) { check_images(kind, options.as<WildsDataOptions>()); };
  entry.make = [&kind](const base::Options& options, std::uint64_t seed) {
    return make_wilds(kind, options.as<WildsDataOptions>(), seed);
  };
  return entry;
}

}  // namespace

std::vector<DatasetEntry> wilds_entries() {
  std::vector<DatasetEntry> entries;
  for (const WildsKind& kind : wilds_kinds()) {
    if (!kind.training.texts) {
      entries.push_back(wilds_entry(kind));
    }
  }
  return entries;
}

}  // namespace pair::data
