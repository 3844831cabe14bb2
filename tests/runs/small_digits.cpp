#include "tests/runs/small_digits.h"

#include <string>
#include <vector>

#include "pair/data/random.h"
#include "tests/runs/fixtures.h"

namespace pair::runs::testing {
namespace {

constexpr std::uint32_t side = 8;

std::string big_endian(const std::vector<std::uint32_t>& numbers) {
  std::string bytes;
  for (const std::uint32_t number : numbers) {
    for (int shift = 24; shift >= 0; shift -= 8) {
      bytes.push_back(static_cast<char>(number >> shift & 0xffU));
    }
  }
  return bytes;
}

void write_split(const std::filesystem::path& folder, const std::string& name, std::uint32_t count) {
  data::Random random(1, name);
  std::string images = big_endian({0x803, count, side, side});
  std::string labels = big_endian({0x801, count});
  for (std::uint32_t i = 0; i < count; ++i) {
    const auto label = static_cast<std::uint32_t>(random.below(10));
    labels.push_back(static_cast<char>(label));
    for (std::uint32_t pixel = 0; pixel < side * side; ++pixel) {
      const bool bright = pixel / 6 == label;
      images.push_back(static_cast<char>((bright ? 200 : 0) + random.below(50)));
    }
  }
  write(folder / (name + "-images-idx3-ubyte"), images);
  write(folder / (name + "-labels-idx1-ubyte"), labels);
}

}  // namespace

void write_small_digits(const std::filesystem::path& folder, std::uint32_t train, std::uint32_t test) {
  std::filesystem::create_directories(folder);
  write_split(folder, "train", train);
  write_split(folder, "t10k", test);
}

}  // namespace pair::runs::testing
