#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "pair/data/image.h"

// The transforms of torchvision on Pillow images: the same bytes for the same parameters. Which parameters a
// training image gets is drawn here, too, from the distributions of torchvision's random transforms.

namespace pair::data {

// torchvision's functional.crop. Throws std::invalid_argument for a box that is empty or outside.
Image cropped(const Image& image, const CropBox& box);
// functional.resized_crop: resized(cropped(image, box), rows, columns), bilinear with antialiasing.
Image resized_crop(const Image& image, const CropBox& box, std::int64_t rows, std::int64_t columns);

// functional.adjust_brightness, adjust_contrast and adjust_saturation: mix the image with black, with its
// mean grey, with its own greys. factor 1: unchanged; 0: only that; 0 to 1e6.
void adjust_brightness(Image& image, double factor);
void adjust_contrast(Image& image, double factor);
void adjust_saturation(Image& image, double factor);
// functional.adjust_hue: turns the hue by a part of the circle, -0.5 to 0.5.
void adjust_hue(Image& image, double turn);
// functional.to_grayscale, with three equal channels.
void to_grey(Image& image);

// The augmentation of a training image, besides mirroring. The default only resizes.
struct Augmentation {
  // RandomResizedCrop: a random part of the image is resized. Its area is a share of the image's, uniform
  // from crop_area to 1, with an aspect ratio from 3/4 to 4/3. 1: the whole image. (0, 1]
  double crop_area = 1.0;
  // ColorJitter: factors are uniform within 1 +- these numbers, in a random order. 0 to 1
  double brightness = 0.0;
  double contrast = 0.0;
  double saturation = 0.0;
  double hue = 0.0;   // the turn is uniform within +- this. 0 to 0.5
  double grey = 0.0;  // RandomGrayscale: probability of a grey image. 0 to 1

  bool operator==(const Augmentation&) const = default;
};

// DomainBed's: RandomResizedCrop(scale 0.7 to 1), ColorJitter(0.3, 0.3, 0.3, 0.3), RandomGrayscale(0.1). It
// mirrors half of the images, too (LoaderOptions::flip).
inline constexpr Augmentation domainbed_augmentation{
    .crop_area = 0.7, .brightness = 0.3, .contrast = 0.3, .saturation = 0.3, .hue = 0.3, .grey = 0.1};

// The numbers that one image gets.
struct DrawnAugmentation {
  enum class Step : std::uint8_t { brightness, contrast, saturation, hue };
  CropBox crop;
  bool flip = false;
  std::array<Step, 4> order{Step::brightness, Step::contrast, Step::saturation, Step::hue};
  std::array<double, 4> factors{1.0, 1.0, 1.0, 0.0};  // of Step, by its number
  bool jitter = false;
  bool grey = false;
};

// uniform: numbers in [0, 1), one per call. Throws std::invalid_argument for numbers out of range.
DrawnAugmentation draw_augmentation(const Augmentation& augmentation, std::int64_t rows, std::int64_t columns,
                                    const std::function<double()>& uniform);

// Crop and resize, mirror, jitter, grey: DomainBed's order.
Image augmented(const Image& image, std::int64_t rows, std::int64_t columns, const DrawnAugmentation& drawn);
// The same for a part that is the crop.
Image augmented(const ImagePart& crop, std::int64_t rows, std::int64_t columns,
                const DrawnAugmentation& drawn);

}  // namespace pair::data
