#include <cstddef>
#include <cstdint>
#include <string_view>

#include "pair/data/image.h"
#include "tests/fuzz/require.h"

// Any bytes are an image whose pixels fit its size, or BrokenImage with a one-line reason.

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using pair::fuzz::require;
  namespace pd = pair::data;
  constexpr std::int64_t most = 1 << 16;  // small, for many tries per second
  pd::Image image;
  try {
    image = pd::decode_image({data, size}, {most});
  } catch (const pd::BrokenImage& error) {
    const std::string_view sentence = error.what();
    require(!sentence.empty() && sentence.size() < 300, "a reason is short");
    require(sentence.find('\n') == std::string_view::npos, "a reason is one line");
    return 0;
  }
  require(image.rows > 0 && image.columns > 0 && image.rows * image.columns <= most,
          "pictures keep the limit");
  require(image.pixels.size() == static_cast<std::size_t>(image.rows * image.columns * 3),
          "pixels fit the size");
  // The middle, at a size that lets a JPEG be decoded at a fraction of its own.
  try {
    const pd::ImagePart part = pd::decode_part({data, size}, [](std::int64_t rows, std::int64_t columns) {
      return pd::WantedPart{{rows / 4, columns / 4, (rows + 1) / 2, (columns + 1) / 2}, 5, 3};
    });
    require(pd::resized(part, 5, 3).pixels.size() == 45, "a resized part has its size");
  } catch (const pd::BrokenImage&) {
    // Its damage may show at another scale only.
  }
  const pd::Image small = pd::resized(image, 5, 3);
  require(small.pixels.size() == 45, "a resized image has its size");
  pd::flip_horizontally(image);
  return 0;
}
