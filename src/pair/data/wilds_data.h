#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "pair/base/options.h"
#include "pair/data/wilds.h"

// The datasets of WILDS for training, and what of it a trained model is measured by.

namespace pair::data {

// Images.
struct WildsDataOptions {
  std::string data_root = {};  // the folder that holds camelyon17_v1.0 and others. No default
  WildsEnvironments environments = WildsEnvironments::paper;
  std::string fold = "seed";                          // PovertyMap: A to E, or seed: the run's seed modulo 5
  std::int64_t image_size = 224;                      // rows and columns; images are resized to it
  std::vector<std::string> scored = {"val", "test"};  // splits that records have scores of
  std::int64_t workers = 4;                           // threads that read ahead

  bool operator==(const WildsDataOptions&) const = default;
};
void describe(base::Fields<WildsDataOptions>& field);

// Texts.
struct WildsTextOptions {
  std::string data_root = {};  // the folder that holds civilcomments_v1.0. No default
  WildsEnvironments environments = WildsEnvironments::paper;
  std::vector<std::string> scored = {"val", "test"};  // splits that records have scores of
  std::string vocab = {};                             // the tokenizer's vocab.txt (wordpiece.h). No default
  std::string vocab_sha256 = {};                      // where not empty, its SHA-256
  std::int64_t max_tokens = 300;  // tokens per text, [CLS] and [SEP] included. 2 to 65,536
  std::int64_t workers = 4;       // threads that divide texts into tokens

  bool operator==(const WildsTextOptions&) const = default;
};
void describe(base::Fields<WildsTextOptions>& field);

// The fold of a run with this seed. fold: A to E, or seed.
char fold_of(std::string_view fold, std::uint64_t seed);

// "seed:0", or "fold:A" for PovertyMap: as in the names of prediction files.
std::string replicate_of(const WildsKind& kind, std::string_view fold, std::uint64_t seed);

}  // namespace pair::data
