#include "pair/data/images.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pair/base/names.h"
#include "pair/base/numbers.h"
#include "pair/base/options.h"
#include "pair/data/column_lists.h"
#include "pair/data/domainbed_settings.h"
#include "pair/data/image_folder.h"
#include "pair/data/image_manifest.h"
#include "pair/data/numpy_random.h"
#include "pair/data/protocols.h"
#include "pair/data/random.h"
#include "pair/data/registry.h"
#include "pair/data/sha256.h"
#include "pair/data/shared_fields.h"
#include "pair/data/table.h"
#include "pair/data/test_envs.h"

// The user's own images: in folders, ROOT/environment/class/file (image_folder.h), or listed in a CSV file
// (image_manifest.h). They are read during training.

namespace pair::data {

namespace {

constexpr const char* none = "none";

bool has_manifest(const ImagesOptions& options) {
  return options.manifest != none;
}

ImageManifestOptions columns_of(const ImagesOptions& options) {
  return {.label = options.label, .environment = options.environment, .exif = options.exif};
}

}  // namespace

// Found by argument-dependent lookup.
void describe(base::Fields<ImagesOptions>& field) {
  using O = ImagesOptions;
  field.text("folder", &O::folder, "folders that hold ENVIRONMENT/CLASS/FILE", "folder of the images")
      .names_folder();
  field
      .text("manifest", &O::manifest, "none, or CSV files with a column path",
            "list of the images, in place of folder")
      .names_file("CSV file of images", "manifest_sha256")
      .unsaid = "none";
  field
      .text("manifest_sha256", &O::manifest_sha256, "none, or SHA-256 digests in hexadecimal",
            "digest of the manifest; 'pair train --data' sets it")
      .unsaid = "none";
  field.text("label", &O::label, "names of columns", "column of the manifest with the classes").unsaid =
      "label";
  add_columns(field, "environment", &O::environment,
              "columns of the manifest that name an image's environment")
      .unsaid = "environment";
  describe_test_envs(field, 999);
  describe_holdout(field, "held-out fraction of a training environment's images");
  describe_image_size(field);
  field.number("flip", &O::flip, {.low = 0, .high = 1}, "probability that a training image is mirrored");
  field
      .choice("augment", &O::augment,
              {{"none", ImageAugmentation::none}, {"domainbed", ImageAugmentation::domainbed}},
              "further changes of training images: none, or DomainBed's crops, colours and greys")
      .unsaid = "none";
  field
      .choice("normalise", &O::normalise,
              {{"none", ImageNormalisation::none}, {"imagenet", ImageNormalisation::imagenet}},
              "what the channels are normalised by; weights for ImageNet expect imagenet")
      .unsaid = "none";
  field.choice("decode", &O::decode, decoding_choices(), decoding_summary).unsaid = "exact";
  field.flag("exif", &O::exif, "rotate images according to their EXIF orientation").unsaid = "false";
  field
      .choice("draws", &O::domainbed_split, {{"domainbed", true}, {"pair", false}},
              "generator of the splits: DomainBed's, bit for bit, or that of earlier versions")
      .unsaid = "pair";
  describe_reading(field);
}

std::vector<std::string> environments_of(const ImagesOptions& options) {
  if (has_manifest(options)) {
    const ImageManifest manifest(options.manifest, columns_of(options));
    return {manifest.environments().begin(), manifest.environments().end()};
  }
  if (options.folder.empty()) {
    throw std::invalid_argument(
        "folder: expected a folder that holds ENVIRONMENT/CLASS/FILE, got none; '--set folder=PATH' sets "
        "it");
  }
  return environments_in(options.folder);
}

void check_images(const ImagesOptions& options) {
  if (has_manifest(options) && !options.folder.empty()) {
    throw std::invalid_argument("manifest: expected either a folder or a manifest of images, got both");
  }
  if (const ImagesOptions usual;
      !has_manifest(options) && (options.label != usual.label || options.environment != usual.environment)) {
    throw std::invalid_argument(
        "label and environment: expected a manifest of images with these columns, got a folder, whose "
        "subfolders name them");
  }
  if (has_manifest(options) && options.manifest_sha256 != none &&
      sha256_of_file(options.manifest) != options.manifest_sha256) {
    throw std::invalid_argument("manifest_sha256: expected " + options.manifest_sha256 +
                                ", got another for " + options.manifest + ": the file has changed");
  }
  const std::vector<std::string> names = environments_of(options);
  if (names.size() < 2) {
    throw std::invalid_argument(options.folder +
                                ": expected ROOT/environment/class/file with at least 2 environments, got " +
                                std::to_string(names.size()));
  }
  check_test_envs(options.test_envs, static_cast<std::int64_t>(names.size()));
}

namespace {

std::vector<std::string> notices_of(const ImageFolder& pictures) {
  std::vector<std::string> notices;
  const auto [unknown, misplaced] = pictures.skipped();
  if (unknown > 0) {
    notices.push_back(pictures.root().string() +
                      ": skipped files whose names do not end as those of images do (.jpg, .png, ...): " +
                      std::to_string(unknown));
  }
  if (misplaced > 0) {
    notices.push_back(
        pictures.root().string() + ": skipped entries that are not at ENVIRONMENT/CLASS/FILE: " +
        std::to_string(misplaced) + ", the first is '" + base::printable(pictures.first_misplaced()) + "'");
  }
  const std::vector<ImageFolder::Missing> missing = pictures.missing();
  if (!missing.empty()) {
    notices.push_back(pictures.root().string() + ": environments without an image of a class: " +
                      std::to_string(missing.size()) + ", for example '" + missing.front().environment +
                      "' without '" + missing.front().class_name + "'");
  }
  return notices;
}

// A line per fact, as for tables.
std::string description_of_images(const ImagesOptions& options, const Source& source) {
  std::vector<std::string> train;
  std::vector<std::string> test;
  const auto names = source.environments();
  for (std::size_t e = 0; e < names.size(); ++e) {
    const bool is_test =
        std::ranges::find(options.test_envs, static_cast<std::int64_t>(e)) != options.test_envs.end();
    (is_test ? test : train).push_back(names[e]);
  }
  const std::vector<std::string> classes(source.classes().begin(), source.classes().end());
  return base::printable(has_manifest(options) ? options.manifest : options.folder) + ": " +
         std::to_string(source.size()) + " images, " + std::to_string(classes.size()) + " classes, " +
         quoted_names(classes, 5) + "\nEnvironments: trained on " + quoted_names(train, 10) + "; tested on " +
         quoted_names(test, 10) + "\n";
}

// Moves a random fraction of an environment's samples from `in` to `out`. Test environments are split, too,
// as in DomainBed: its test-domain selection chooses on one part and reports the other.
void hold_out(Environment& in, Environment& out, const std::vector<std::int64_t>& order, double share) {
  const std::vector<std::size_t> all = std::move(in.samples);
  const auto held = static_cast<std::ptrdiff_t>(share * static_cast<double>(all.size()));
  std::vector<bool> is_out(all.size(), false);
  for (std::ptrdiff_t i = 0; i < held; ++i) {
    is_out[static_cast<std::size_t>(order[static_cast<std::size_t>(i)])] = true;
  }
  in.samples.clear();
  for (std::size_t i = 0; i < all.size(); ++i) {
    (is_out[i] ? out : in).samples.push_back(all[i]);
  }
}

// The order whose first samples are held out of an environment with `count` samples.
std::vector<std::int64_t> held_out_order(const ImagesOptions& options, std::uint64_t seed, std::size_t number,
                                         const std::string& name, bool test, std::size_t count) {
  if (options.domainbed_split) {
    const std::string arguments = "(" + std::to_string(seed) + ", " + std::to_string(number) + ")";
    return NumpyRandom(domainbed_seed(arguments)).permutation(count);
  }
  return Random(seed, (test ? "images/split/" : "held out of ") + name).permutation(count);
}

struct OpenedImages {
  std::shared_ptr<const Source> source;
  bool has_splits = false;
  std::vector<std::string> notices;
};

OpenedImages opened(const ImagesOptions& options) {
  if (has_manifest(options)) {
    auto manifest = std::make_shared<const ImageManifest>(options.manifest, columns_of(options));
    const bool has_splits = manifest->has_splits();
    return {std::move(manifest), has_splits, {}};
  }
  auto folder = std::make_shared<const ImageFolder>(options.folder, ImageFolderOptions{.exif = options.exif});
  std::vector<std::string> notices = notices_of(*folder);
  return {std::move(folder), false, std::move(notices)};
}

}  // namespace

EnvironmentSet make_images(const ImagesOptions& options, std::uint64_t seed, const std::string& name) {
  const OpenedImages images = opened(options);
  const Source& source = *images.source;
  const auto names = source.environments();
  std::vector<Environment> in(names.size());
  std::vector<Environment> out(in.size());
  for (const std::int64_t number : options.test_envs) {
    in.at(static_cast<std::size_t>(number)).test = true;
  }
  for (std::size_t i = 0; i < source.size(); ++i) {
    const SampleInfo info = source.sample(i);
    (info.split == Split::train ? in : out)[static_cast<std::size_t>(info.environment)].samples.push_back(i);
  }
  EnvironmentSet set{.name = name,
                     .loss = TaskLoss::cross_entropy,
                     .outputs = static_cast<std::int64_t>(source.classes().size()),
                     .train = {},
                     .held_out = {},
                     .source = images.source,
                     .loading = {.rows = options.image_size,
                                 .columns = options.image_size,
                                 .flip = options.flip,
                                 .seed = seed,
                                 .workers = static_cast<int>(options.workers),
                                 .broken = options.broken},
                     .notices = images.notices};
  if (options.augment == ImageAugmentation::domainbed) {
    set.loading.augment = domainbed_augmentation;
  }
  set.loading.fast_decode = options.decode == ImageDecoding::fast;
  set.classes = {source.classes().begin(), source.classes().end()};
  set.description = description_of_images(options, source);
  ImageInput input{.rows = options.image_size, .columns = options.image_size, .exif = options.exif};
  if (options.normalise == ImageNormalisation::imagenet) {
    input.mean = {0.485, 0.456, 0.406};
    input.deviation = {0.229, 0.224, 0.225};
  }
  set.input = form_of(input);
  for (std::size_t e = 0; e < in.size(); ++e) {
    in[e].key = "env" + std::to_string(e) + "_in";
    out[e].key = "env" + std::to_string(e) + "_out";
    const std::size_t count = in[e].samples.size();
    if (!images.has_splits) {
      hold_out(in[e], out[e], held_out_order(options, seed, e, names[e], in[e].test, count), options.holdout);
    }
    if (!images.has_splits && count < 2) {
      throw std::invalid_argument(
          "environment '" + base::printable(names[e]) +
          "': expected at least 2 images, got 1; merge it with another one or remove it");
    }
    if (out[e].samples.empty() || in[e].samples.empty()) {
      throw std::invalid_argument(
          images.has_splits
              ? "split: expected images of each environment in 'train' and in another split, got none of '" +
                    names[e] + "' in one of them"
              : "holdout: expected a share that holds out at least one image of '" + names[e] +
                    "', which has " + std::to_string(count) + ", got " + base::shown(options.holdout));
    }
    (in[e].test ? set.held_out : set.train).push_back(std::move(in[e]));
    set.held_out.push_back(std::move(out[e]));
  }
  return set;
}

std::vector<DatasetEntry> images_entries() {
  DatasetEntry entry{.name = "images",
                     .summary = "your own images, in folders ENVIRONMENT/CLASS/FILE or listed in a CSV file"};
  entry.options = base::Options::of(ImagesOptions{});
  entry.described = true;
  entry.protocol = domainbed_protocol.name;
  // Records every 300 steps as DomainBed on image folders, and a batch that suits a CPU.
  entry.settings = domainbed_settings(/*batch=*/8, /*eval_every=*/300);
  entry.metrics = {"accuracy", "worst_group", "macro_f1"};
  entry.environments = [](const base::Options& options) {
    return environments_of(options.as<ImagesOptions>());
  };
  entry.test_environments = [](const base::Options& options) {
    return options.as<ImagesOptions>().test_envs;
  };
  entry.check = [](const base::Options& options) { check_images(options.as<ImagesOptions>()); };
  entry.make = [](const base::Options& options, std::uint64_t seed) {
    return make_images(options.as<ImagesOptions>(), seed, "images");
  };
  return {entry};
}

}  // namespace pair::data
