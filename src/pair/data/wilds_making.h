#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "pair/data/bytes.h"
#include "pair/data/image.h"
#include "pair/data/image_writer.h"
#include "pair/data/npz.h"
#include "pair/data/random.h"
#include "pair/data/wilds_generate.h"

// Parts of the made-up datasets: WildsKind::generate is written with these (wilds_NAME.cpp).

namespace pair::data {

// Squares of random brightness. The label sets the brightness of the centre, the environment the tint of all,
// and the cue, which may be the label or another number, a stripe at the top. Few different bytes: files are
// small.
struct MadePicture {
  std::int64_t rows = 96;
  std::int64_t columns = 96;
  std::size_t label = 0;
  std::size_t labels = 2;
  std::size_t environment = 0;
  std::size_t cue = 0;
};

Image made_picture(const MadePicture& what, Random& random);

// A cue that agrees with the label in 9 of 10 cases, and with another one in test environments.
std::size_t made_cue(std::size_t label, std::size_t labels, bool test, Random& random);

std::string two_digits(std::uint64_t number);

// Writes a file, and makes its folder first. Throws std::runtime_error if it cannot be written.
void write_made(const std::filesystem::path& path, const Bytes& bytes);
void write_made(const std::filesystem::path& path, const std::string& text);

}  // namespace pair::data
