#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

// Small made-up datasets in exactly the layout of WILDS' releases, for trials and tests: file names, columns,
// image sizes and types are those of the real data, the content is not. Labels can be learnt from the inputs,
// most easily from a cue that turns in the test environments.

namespace pair::data {

struct WildsGeneration {
  std::uint64_t seed = 0;
  // Samples per environment and split, roughly. 1 to 1000. PovertyMap needs about 4,000 rows for its splits
  // in any case; their images are links to a few files.
  std::int64_t samples = 6;
};

// Writes ROOT/NAME_vVERSION; for civilcomments also ROOT/civilcomments_vocab.txt, a vocabulary of the words in
// the made-up comments, with ids below 128. Throws std::invalid_argument for an unknown name, an option out
// of range, or a folder that already exists; std::runtime_error if it cannot be written. The same options
// give the same bytes.
void generate_wilds(std::string_view name, const std::filesystem::path& root,
                    const WildsGeneration& options = {});

}  // namespace pair::data
