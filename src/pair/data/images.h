#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "pair/base/options.h"
#include "pair/data/environment.h"
#include "pair/data/shared_fields.h"

// Training data of images in files, for the dataset "images" and for those of DomainBed
// (domainbed_images.cpp).

namespace pair::data {

// The augmentation of training images.
enum class ImageAugmentation {
  none,      // mirrors some (ImagesOptions::flip)
  domainbed  // DomainBed's: a random part, colours, grey (transform.h), and mirrors
};

// The decoding of training images; scores always use the exact one.
enum class ImageDecoding {
  exact,
  fast  // only the needed part of a JPEG, at a lower resolution where that is enough (decode_part)
};

// (x - mean) / deviation per channel.
enum class ImageNormalisation {
  none,
  imagenet  // of ImageNet's training images: what torchvision's weights expect
};

struct ImagesOptions {
  std::string folder = {};  // ROOT. No default: data must not depend on the working directory
  // In place of the folder: a CSV file, and its SHA-256, so that a run is not continued on other data.
  std::string manifest = "none";
  std::string manifest_sha256 = "none";
  // Its columns (ImageManifestOptions).
  std::string label = "label";
  std::vector<std::string> environment = {"environment"};
  // Test environments, numbered from 0 in the order of their names; as in DomainBedMnistSpec.
  std::vector<std::int64_t> test_envs = {0};
  double holdout = 0.2;          // held-out fraction of each environment
  std::int64_t image_size = 32;  // images are resized to image_size x image_size
  double flip = 0.5;             // probability that a training image is mirrored
  std::int64_t workers = 2;      // threads that read images ahead of the step; 0: none
  BrokenFiles broken = BrokenFiles::fail;
  ImageAugmentation augment = ImageAugmentation::none;
  ImageNormalisation normalise = ImageNormalisation::none;
  ImageDecoding decode = ImageDecoding::fast;
  bool exif = true;             // turn images as their EXIF data says
  bool domainbed_split = true;  // hold out the images that DomainBed does (numpy_random.h)

  bool operator==(const ImagesOptions&) const = default;
};

// The choices of an option `decode`, and its summary.
inline std::vector<std::pair<std::string, ImageDecoding>> decoding_choices() {
  return {{"exact", ImageDecoding::exact}, {"fast", ImageDecoding::fast}};
}
inline constexpr const char* decoding_summary =
    "decoding of training images: exact, or fast: the needed part of a JPEG, at a lower resolution where "
    "that "
    "is enough";

// The options `workers` and `broken`, last of those of a dataset of images.
template <class O>
void describe_reading(base::Fields<O>& field) {
  describe_image_workers(field);
  field.choice("broken", &O::broken, {{"fail", BrokenFiles::fail}, {"skip", BrokenFiles::skip}},
               "on a broken image: fail the run, or skip the image");
}

// The environments' names, in order. Throws std::invalid_argument without a folder and a manifest,
// std::runtime_error if they cannot be read.
std::vector<std::string> environments_of(const ImagesOptions& options);

// Throws std::invalid_argument for test environments that do not exist, and other combinations that cannot be
// trained on.
void check_images(const ImagesOptions& options);

// The environments "env{i}_in" and "env{i}_out" of all images. With a column split, those that are not
// "train" are held out. Throws the errors of ImageFolder and ImageManifest.
EnvironmentSet make_images(const ImagesOptions& options, std::uint64_t seed, const std::string& name);

}  // namespace pair::data
