#include <algorithm>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "pair/base/numbers.h"
#include "pair/base/options.h"
#include "pair/data/domainbed_mnist_spec.h"
#include "pair/data/domainbed_settings.h"
#include "pair/data/environment.h"
#include "pair/data/image_folder.h"
#include "pair/data/random.h"
#include "pair/data/registry.h"

// The user's own images in folders, ROOT/environment/class/file (see image_folder.h), read during training.
// PACS, VLCS, OfficeHome and TerraIncognita have this layout.

namespace pair::data {

struct ImagesOptions {
  std::string folder = {};  // ROOT. No default: data must not depend on the working directory
  // Test environments, numbered from 0 in the order of their names; as in DomainBedMnistSpec.
  std::vector<std::int64_t> test_envs = {0};
  double holdout = 0.2;          // held-out fraction of each training environment. (0, 1)
  std::int64_t image_size = 32;  // images are resized to image_size x image_size. 1 to 4096
  double flip = 0.5;             // probability that a training image is mirrored. 0 to 1
  std::int64_t workers = 2;      // threads that read images ahead of the step; 0: none. 0 to 256
  BrokenFiles broken = BrokenFiles::fail;

  bool operator==(const ImagesOptions&) const = default;
};

// Found by argument-dependent lookup.
void describe(base::Fields<ImagesOptions>& field) {
  using O = ImagesOptions;
  field.text("folder", &O::folder, "folders that hold ENVIRONMENT/CLASS/FILE", "folder of the images");
  field.wholes("test_envs", &O::test_envs, 0, 999, "environments used for testing, not for training");
  field.number("holdout", &O::holdout, {.low = 0, .high = 1, .open_low = true, .open_high = true},
               "held-out fraction of a training environment's images");
  field.whole("image_size", &O::image_size, std::int64_t{1}, 4096,
              "images are resized to this many rows and columns");
  field.number("flip", &O::flip, {.low = 0, .high = 1}, "probability that a training image is mirrored");
  field
      .whole("workers", &O::workers, std::int64_t{0}, 256,
             "threads that read images ahead; 0: none. Records do not depend on it")
      .decides = false;
  field.choice("broken", &O::broken, {{"fail", BrokenFiles::fail}, {"skip", BrokenFiles::skip}},
               "on a broken image: fail the run, or skip the image");
}

namespace {

std::vector<std::string> environments_of(const ImagesOptions& options) {
  if (options.folder.empty()) {
    throw std::invalid_argument(
        "folder: expected a folder that holds ENVIRONMENT/CLASS/FILE, got none; '--set folder=PATH' sets "
        "it");
  }
  return environments_in(options.folder);
}

void check_images(const ImagesOptions& options) {
  const std::vector<std::string> names = environments_of(options);
  if (names.size() < 2) {
    throw std::invalid_argument(options.folder +
                                ": expected ROOT/environment/class/file with at least 2 environments, got " +
                                std::to_string(names.size()));
  }
  check_test_envs(options.test_envs, static_cast<std::int64_t>(names.size()));
}

std::vector<std::string> notices_of(const ImageFolder& pictures) {
  std::vector<std::string> notices;
  const auto [unknown, misplaced] = pictures.skipped();
  if (unknown > 0) {
    notices.push_back(
        pictures.root().string() +
        ": skipped files whose names do not end in .jpg, .jpeg or .png: " + std::to_string(unknown));
  }
  if (misplaced > 0) {
    notices.push_back(
        pictures.root().string() +
        ": skipped entries that are not at ENVIRONMENT/CLASS/FILE: " + std::to_string(misplaced));
  }
  const std::vector<ImageFolder::Missing> missing = pictures.missing();
  if (!missing.empty()) {
    notices.push_back(pictures.root().string() + ": environments without an image of a class: " +
                      std::to_string(missing.size()) + ", for example '" + missing.front().environment +
                      "' without '" + missing.front().class_name + "'");
  }
  return notices;
}

// Moves a random fraction of an environment's samples from `in` to `out`. Test environments are split, too,
// as in DomainBed: its test-domain selection chooses on one part and reports the other.
void hold_out(Environment& in, Environment& out, double share, Random random) {
  const std::vector<std::size_t> all = std::move(in.samples);
  std::vector<std::int64_t> order = random.permutation(all.size());
  const auto held = static_cast<std::ptrdiff_t>(share * static_cast<double>(all.size()));
  std::sort(order.begin(), order.begin() + held);
  std::sort(order.begin() + held, order.end());
  in.samples.clear();
  for (std::size_t i = 0; i < order.size(); ++i) {
    (std::cmp_less(i, held) ? out : in).samples.push_back(all[static_cast<std::size_t>(order[i])]);
  }
}

EnvironmentSet make_images(const ImagesOptions& options, std::uint64_t seed) {
  const std::vector<std::string> names = environments_of(options);
  ImageFolderOptions listing{.held_out = options.holdout, .seed = seed};
  for (const std::int64_t number : options.test_envs) {
    listing.test_environments.push_back(names.at(static_cast<std::size_t>(number)));
  }
  const auto pictures = std::make_shared<const ImageFolder>(options.folder, std::move(listing));

  std::vector<Environment> in(pictures->environments().size());
  std::vector<Environment> out(in.size());
  for (std::size_t i = 0; i < pictures->size(); ++i) {
    const SampleInfo info = pictures->sample(i);
    const auto environment = static_cast<std::size_t>(info.environment);
    (info.split == Split::id_val ? out : in)[environment].samples.push_back(i);
    in[environment].test = info.split == Split::test;
  }
  EnvironmentSet set{.name = "images",
                     .loss = TaskLoss::cross_entropy,
                     .outputs = static_cast<std::int64_t>(pictures->classes().size()),
                     .train = {},
                     .held_out = {},
                     .source = pictures,
                     .loading = {.rows = options.image_size,
                                 .columns = options.image_size,
                                 .flip = options.flip,
                                 .seed = seed,
                                 .workers = static_cast<int>(options.workers),
                                 .broken = options.broken},
                     .notices = notices_of(*pictures)};
  set.classes = {pictures->classes().begin(), pictures->classes().end()};
  set.input = form_of(ImageInput{.rows = options.image_size, .columns = options.image_size});
  for (std::size_t e = 0; e < in.size(); ++e) {
    in[e].key = "env" + std::to_string(e) + "_in";
    out[e].key = "env" + std::to_string(e) + "_out";
    const bool test = in[e].test;
    if (test) {
      hold_out(in[e], out[e], options.holdout, Random(seed, "images/split/" + pictures->environments()[e]));
    }
    if (out[e].samples.empty()) {
      throw std::invalid_argument(
          "holdout: expected a share that holds out at least one image of '" + pictures->environments()[e] +
          "', which has " + std::to_string(in[e].samples.size()) + ", got " + base::shown(options.holdout));
    }
    (test ? set.held_out : set.train).push_back(std::move(in[e]));
    set.held_out.push_back(std::move(out[e]));
  }
  return set;
}

}  // namespace

std::vector<DatasetEntry> images_entries() {
  DatasetEntry entry{.name = "images",
                     .summary = "images in folders ENVIRONMENT/CLASS/FILE, read during training"};
  entry.options = base::Options::of(ImagesOptions{});
  entry.protocol = "domainbed";
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
    return make_images(options.as<ImagesOptions>(), seed);
  };
  return {entry};
}

}  // namespace pair::data
