#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "pair/base/options.h"
#include "pair/data/wilds.h"

// The datasets of WILDS for training, and what of it a trained model is measured by.

namespace pair::data {

struct WildsDataOptions {
  std::string data_root = {};  // the folder that holds camelyon17_v1.0 and others. No default
  WildsEnvironments environments = WildsEnvironments::paper;
  std::string fold = "seed";                          // PovertyMap: A to E, or seed: the run's seed modulo 5
  std::int64_t image_size = 224;                      // rows and columns; images are resized to it. 1 to 4096
  std::vector<std::string> scored = {"val", "test"};  // splits that records have scores of
  std::int64_t workers = 4;                           // threads that read ahead

  bool operator==(const WildsDataOptions&) const = default;
};
void describe(base::Fields<WildsDataOptions>& field);

// The fold that the options name for a run with this seed.
char fold_of(const WildsDataOptions& options, std::uint64_t seed);

// "seed:0", or "fold:A" for PovertyMap: as in the names of prediction files.
std::string replicate_of(const WildsKind& kind, const WildsDataOptions& options, std::uint64_t seed);

}  // namespace pair::data
