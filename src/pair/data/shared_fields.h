#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include "pair/base/options.h"

// Options that several datasets have, with the same range in each.

namespace pair::data {

// Threads that read images or tokenize texts.
inline constexpr int most_workers = 256;

// O::workers. least: 0 if the calling thread can do the work.
template <class O>
void describe_workers(base::Fields<O>& field, std::int64_t least, std::string summary) {
  field.whole("workers", &O::workers, least, most_workers, std::move(summary)).decides = false;
}

// The same for datasets of images.
template <class O>
void describe_image_workers(base::Fields<O>& field) {
  describe_workers(field, 0, "threads that read images ahead; 0: none. Records do not depend on it");
}

// O::holdout: a part of each environment, but not all of it.
template <class O>
void describe_holdout(base::Fields<O>& field, std::string summary) {
  field.number("holdout", &O::holdout, {.low = 0, .high = 1, .open_low = true, .open_high = true},
               std::move(summary));
}

// O::image_size.
template <class O>
void describe_image_size(base::Fields<O>& field) {
  field.whole("image_size", &O::image_size, std::int64_t{1}, 4096,
              "images are resized to this many rows and columns");
}

}  // namespace pair::data
