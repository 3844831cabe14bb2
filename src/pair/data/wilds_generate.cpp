#include "pair/data/wilds_generate.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <stdexcept>
#include <string>

#include "pair/base/numbers.h"
#include "pair/data/random.h"
#include "pair/data/wilds.h"
#include "pair/data/wilds_making.h"

namespace pair::data {
namespace {

namespace fs = std::filesystem;

void write_all(const fs::path& path, const char* bytes, std::size_t size) {
  fs::create_directories(path.parent_path());
  std::ofstream file(path, std::ios::binary);
  file.write(bytes, static_cast<std::streamsize>(size));
  if (!file.flush()) {
    throw std::runtime_error("cannot write " + path.string());
  }
}

}  // namespace

std::string two_digits(std::uint64_t number) {
  std::string text(number < 10 ? "0" : "");
  text += std::to_string(number);
  return text;
}

void write_made(const fs::path& path, const Bytes& bytes) {
  write_all(path, reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

void write_made(const fs::path& path, const std::string& text) {
  write_all(path, text.data(), text.size());
}

Image made_picture(const MadePicture& what, Random& random) {
  Image image{what.rows, what.columns, Bytes(static_cast<std::size_t>(what.rows * what.columns * 3))};
  constexpr std::int64_t squares = 8;
  std::array<std::array<double, squares>, squares> brightness{};
  for (auto& line : brightness) {
    for (double& square : line) {
      square = random.uniform(80, 140);
    }
  }
  const auto share = [&](std::size_t number) {
    return static_cast<double>(number % what.labels) /
           static_cast<double>(std::max<std::size_t>(what.labels - 1, 1));
  };
  const std::array<double, 3> tint{1.0, 0.7 + 0.1 * static_cast<double>(what.environment % 4),
                                   1.0 - 0.1 * static_cast<double>(what.environment % 5)};
  for (std::int64_t row = 0; row < what.rows; ++row) {
    const std::int64_t across = row * squares / what.rows;
    for (std::int64_t column = 0; column < what.columns; ++column) {
      const std::int64_t down = column * squares / what.columns;
      double value = brightness[static_cast<std::size_t>(across)][static_cast<std::size_t>(down)];
      if (across >= 3 && across <= 4 && down >= 3 && down <= 4) {
        value = 20 + 200 * share(what.label);
      }
      if (across == 0) {
        value = 20 + 200 * share(what.cue);
      }
      for (std::size_t channel = 0; channel < 3; ++channel) {
        image.pixels[static_cast<std::size_t>((row * what.columns + column) * 3) + channel] =
            static_cast<std::uint8_t>(value * tint[channel]);
      }
    }
  }
  return image;
}

std::size_t made_cue(std::size_t label, std::size_t labels, bool test, Random& random) {
  return random.bernoulli(test ? 0.1 : 0.9) ? label : (label + 1 + random.below(labels - 1)) % labels;
}

void generate_wilds(std::string_view name, const fs::path& root, const WildsGeneration& options) {
  const WildsKind& kind = wilds_named(name);
  base::require_integer("samples", options.samples, 1, 1000);
  const fs::path folder = root / (std::string(kind.name) + "_v" + std::string(kind.version));
  if (fs::exists(folder)) {
    throw std::invalid_argument(folder.string() +
                                ": expected a folder that does not exist yet, got one that does");
  }
  Random random(options.seed, "generated " + std::string(name));
  kind.generate(folder, options, random);
  write_made(folder / ("RELEASE_v" + std::string(kind.version) + ".txt"),
             "Synthetic data in the layout of WILDS' release; not the real dataset.\n");
}

}  // namespace pair::data
