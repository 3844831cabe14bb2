#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include "pair/base/options.h"
#include "pair/data/domainbed_sets.h"
#include "pair/data/domainbed_settings.h"
#include "pair/data/images.h"
#include "pair/data/protocols.h"
#include "pair/data/registry.h"
#include "pair/data/shared_fields.h"
#include "pair/data/test_envs.h"

// DomainBed's datasets of pictures by name: its folders below a root, its transforms, its splits, its
// defaults for training.

namespace pair::data {

struct DomainBedImagesOptions {
  std::string data_root = {};  // DomainBed's --data_dir
  std::vector<std::int64_t> test_envs = {0};
  double holdout = 0.2;
  std::int64_t image_size = 224;  // DomainBed's; smaller for quick trials
  bool augment = true;            // DomainBed's data_augmentation
  ImageDecoding decode = ImageDecoding::fast;
  std::int64_t workers = 4;
  BrokenFiles broken = BrokenFiles::fail;

  bool operator==(const DomainBedImagesOptions&) const = default;
};

// Found by argument-dependent lookup.
void describe(base::Fields<DomainBedImagesOptions>& field) {
  using O = DomainBedImagesOptions;
  field
      .text("data_root", &O::data_root, "folders that hold those of DomainBed's datasets",
            "folder with DomainBed's datasets, in which PACS is the folder PACS")
      .names_folder();
  describe_test_envs(field, 5);
  describe_holdout(field, "held-out fraction of each environment's images");
  describe_image_size(field);
  field.flag("data_augmentation", &O::augment, "DomainBed's crops, mirrors, colours and greys in training");
  field.choice("decode", &O::decode, decoding_choices(), decoding_summary).unsaid = "exact";
  describe_reading(field);
}

namespace {

ImagesOptions images_of(const DomainBedSet& set, const DomainBedImagesOptions& options) {
  if (options.data_root.empty()) {
    throw std::invalid_argument("data_root: expected the folder that holds '" + std::string(set.folder) +
                                "', got none; 'pair train --data-root DIR' sets it, and 'pair data check " +
                                std::string(set.name) + " --data-root DIR' checks it");
  }
  ImagesOptions images;
  images.folder = (std::filesystem::path(options.data_root) / set.folder).string();
  images.test_envs = options.test_envs;
  images.holdout = options.holdout;
  images.image_size = options.image_size;
  images.flip = options.augment ? 0.5 : 0.0;
  images.augment = options.augment ? ImageAugmentation::domainbed : ImageAugmentation::none;
  images.normalise = ImageNormalisation::imagenet;
  images.exif = false;  // as torchvision's ImageFolder
  images.decode = options.decode;
  images.workers = options.workers;
  images.broken = options.broken;
  return images;
}

DatasetEntry entry_for(const DomainBedSet& set) {
  DatasetEntry entry{.name = std::string(set.name),
                     .summary = "DomainBed's " + std::string(set.name) + ": " + std::to_string(set.classes) +
                                " classes in " + std::to_string(set.environments.size()) +
                                " environments, read from --data-root"};
  entry.options = base::Options::of(DomainBedImagesOptions{});
  entry.protocol = domainbed_protocol.name;
  entry.variant = pictures_variant.name;
  entry.in_domainbed = true;
  const base::LogUniform rates{10, -5, -3.5};
  entry.drawn = {.lr = rates,
                 .paper_lr = rates,
                 .batch = base::LogUniform{2, 3, set.batch_exponent, true},
                 .weight_decay = base::LogUniform{10, -6, -2}};
  // DomainBed's defaults; its records follow its updates number 0, 300, ..., 5000.
  entry.settings = domainbed_settings(
      /*batch=*/32, set.record_every,
      {{"model", "resnet50"}, {"lr", "5e-5"}, {"lr_d", "5e-5"}, {"balance_lr", "5e-5"}});
  entry.metrics = {"accuracy", "worst_group", "macro_f1"};
  entry.environments = [&set](const base::Options& options) {
    // Known without the files: lists and sweeps need no data.
    const auto& chosen = options.as<DomainBedImagesOptions>();
    return chosen.data_root.empty()
               ? std::vector<std::string>(set.environments.begin(), set.environments.end())
               : environments_of(images_of(set, chosen));
  };
  entry.test_environments = [](const base::Options& options) {
    return options.as<DomainBedImagesOptions>().test_envs;
  };
  entry.check = [&set](const base::Options& options) {
    const auto& chosen = options.as<DomainBedImagesOptions>();
    const ImagesOptions images = images_of(set, chosen);
    if (const CheckedSet checked = check_domainbed_set(set, chosen.data_root); !checked.problems.empty()) {
      throw std::invalid_argument(checked.problems.front() + "; 'pair data check " + std::string(set.name) +
                                  " --data-root DIR' lists all problems");
    }
    check_images(images);
  };
  entry.make = [&set](const base::Options& options, std::uint64_t seed) {
    return make_images(images_of(set, options.as<DomainBedImagesOptions>()), seed, std::string(set.name));
  };
  return entry;
}

}  // namespace

std::vector<DatasetEntry> domainbed_images_entries() {
  std::vector<DatasetEntry> entries;
  for (const DomainBedSet& set : domainbed_sets()) {
    entries.push_back(entry_for(set));
  }
  return entries;
}

}  // namespace pair::data
