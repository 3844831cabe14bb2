// jpeglib.h needs <cstdio> before it.
// clang-format off
#include <cstdio>
#include <jpeglib.h>
// clang-format on

#include "pair/bench/photographs.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <numbers>
#include <stdexcept>
#include <string>
#include <vector>

#include "pair/data/random.h"

namespace pair::bench {
namespace {

struct Wave {
  double x = 0.0;
  double y = 0.0;
  double phase = 0.0;
  std::array<double, 3> height{};
};

// Amplitudes fall with the frequency, as in photographs.
std::vector<Wave> waves_of(data::Random& random) {
  std::vector<Wave> waves;
  for (int octave = 0; octave < 7; ++octave) {
    for (int i = 0; i < 3; ++i) {
      const double frequency = std::ldexp(1.0, octave) * (0.7 + 0.6 * random.uniform());
      const double angle = 2.0 * std::numbers::pi * random.uniform();
      Wave wave{frequency * std::cos(angle),
                frequency * std::sin(angle),
                2.0 * std::numbers::pi * random.uniform(),
                {}};
      const double grey = 22.0 * std::pow(frequency, -0.9) * random.normal();
      for (double& height : wave.height) {
        height = grey + 8.0 * std::pow(frequency, -0.9) * random.normal();
      }
      waves.push_back(wave);
    }
  }
  return waves;
}

// A disc with a colour of its own: an edge.
struct Disc {
  double x = 0.0;
  double y = 0.0;
  double radius = 0.0;
  std::array<double, 3> colour{};
};

}  // namespace

data::Image photograph(std::int64_t rows, std::int64_t columns, std::uint64_t seed) {
  data::Random random(seed, "photograph");
  const std::vector<Wave> waves = waves_of(random);
  std::vector<Disc> discs(6);
  for (Disc& disc : discs) {
    disc = {
        random.uniform(),
        random.uniform(),
        0.05 + 0.15 * random.uniform(),
        {80.0 * (random.uniform() - 0.5), 80.0 * (random.uniform() - 0.5), 80.0 * (random.uniform() - 0.5)}};
  }
  data::Image image{rows, columns, std::vector<std::uint8_t>(static_cast<std::size_t>(rows * columns * 3))};
  const auto size = static_cast<double>(std::max(rows, columns));
  std::size_t at = 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    for (std::int64_t column = 0; column < columns; ++column) {
      const double x = static_cast<double>(column) / size;
      const double y = static_cast<double>(row) / size;
      std::array<double, 3> colour{128.0, 124.0, 116.0};
      for (const Wave& wave : waves) {
        const double value = std::sin(2.0 * std::numbers::pi * (wave.x * x + wave.y * y) + wave.phase);
        for (std::size_t c = 0; c < 3; ++c) {
          colour[c] += wave.height[c] * value;
        }
      }
      for (const Disc& disc : discs) {
        if (std::hypot(x - disc.x, y - disc.y) < disc.radius) {
          for (std::size_t c = 0; c < 3; ++c) {
            colour[c] += disc.colour[c];
          }
        }
      }
      const double noise = 5.0 * random.normal();
      for (std::size_t c = 0; c < 3; ++c) {
        image.pixels[at++] = static_cast<std::uint8_t>(std::clamp(std::lround(colour[c] + noise), 0L, 255L));
      }
    }
  }
  return image;
}

data::Bytes to_jpeg(const data::Image& image, int quality) {
  jpeg_compress_struct library{};
  jpeg_error_mgr errors{};
  library.err =
      jpeg_std_error(&errors);  // ends the program on an error, of which there is none for such input
  jpeg_create_compress(&library);
  unsigned char* memory = nullptr;
  unsigned long size = 0;
  jpeg_mem_dest(&library, &memory, &size);
  library.image_width = static_cast<JDIMENSION>(image.columns);
  library.image_height = static_cast<JDIMENSION>(image.rows);
  library.input_components = 3;
  library.in_color_space = JCS_RGB;
  jpeg_set_defaults(&library);
  jpeg_set_quality(&library, quality, TRUE);
  jpeg_start_compress(&library, TRUE);
  std::vector<std::uint8_t> row(static_cast<std::size_t>(image.columns) * 3);
  for (std::int64_t y = 0; y < image.rows; ++y) {
    std::copy_n(image.pixels.begin() + y * image.columns * 3, row.size(), row.begin());
    JSAMPROW rows[1] = {row.data()};
    jpeg_write_scanlines(&library, rows, 1);
  }
  jpeg_finish_compress(&library);
  jpeg_destroy_compress(&library);
  const std::unique_ptr<unsigned char, decltype(&std::free)> owned(memory, &std::free);
  return {memory, memory + size};
}

void write_photographs(const std::filesystem::path& folder, const PhotographFolder& wanted) {
  std::uint64_t seed = 0;
  for (int e = 0; e < wanted.environments; ++e) {
    for (int c = 0; c < wanted.classes; ++c) {
      const std::filesystem::path into =
          folder / ("environment" + std::to_string(e)) / ("class" + std::to_string(c));
      std::filesystem::create_directories(into);
      for (int k = 0; k < wanted.images; ++k) {
        const data::Bytes jpeg = to_jpeg(photograph(wanted.rows, wanted.columns, seed++));
        std::ofstream file(into / (std::to_string(k) + ".jpg"), std::ios::binary);
        file.write(reinterpret_cast<const char*>(jpeg.data()), static_cast<std::streamsize>(jpeg.size()));
        if (!file.flush()) {
          throw std::runtime_error("cannot write " + into.string() + ": is the disk full?");
        }
      }
    }
  }
}

}  // namespace pair::bench
