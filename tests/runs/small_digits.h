#pragma once

#include <cstdint>
#include <filesystem>

namespace pair::runs::testing {

// Writes the four idx files of something like MNIST into a folder, which is made: `train` and `test` images
// of 8 x 8 whose label shows as a bright bar in one of ten places.
void write_small_digits(const std::filesystem::path& folder, std::uint32_t train = 90,
                        std::uint32_t test = 30);

}  // namespace pair::runs::testing
