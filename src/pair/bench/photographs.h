#pragma once

#include <cstdint>
#include <filesystem>

#include "pair/data/bytes.h"
#include "pair/data/image.h"

// Generated JPEG files for benchmarks, with the statistics of photographs: smooth shades, textures, edges and
// some noise, whose files are about as large as those of a camera at the same size.

namespace pair::bench {

// The same image for the same seed.
data::Image photograph(std::int64_t rows, std::int64_t columns, std::uint64_t seed);

// As a baseline JPEG with colours at half the resolution (4:2:0), as cameras write it. quality: 1 to 100.
data::Bytes to_jpeg(const data::Image& image, int quality = 90);

// folder/environment{i}/class{j}/{k}.jpg: `images` files per class and environment. Throws std::runtime_error
// if they cannot be written.
struct PhotographFolder {
  int environments = 4;
  int classes = 2;
  int images = 8;
  std::int64_t rows = 375;
  std::int64_t columns = 500;
};
void write_photographs(const std::filesystem::path& folder, const PhotographFolder& wanted);

}  // namespace pair::bench
