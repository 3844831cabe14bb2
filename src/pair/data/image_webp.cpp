#include <webp/decode.h>
#include <webp/demux.h>

#include <memory>

#include "pair/data/image_formats.h"

namespace pair::data {

bool has_webp() {
  return true;
}

Image decode_webp(BytesView file, const ImageLimits& limits) {
  WebPBitstreamFeatures features{};
  if (WebPGetFeatures(file.data(), file.size(), &features) != VP8_STATUS_OK || features.width < 1 ||
      features.height < 1) {
    throw BrokenImage("WebP: the header is damaged or cut off");
  }
  check_image_size(static_cast<std::uint64_t>(features.height), static_cast<std::uint64_t>(features.width),
                   limits);
  BytesView frame = file;
  std::unique_ptr<WebPDemuxer, decltype(&WebPDemuxDelete)> demuxer(nullptr, &WebPDemuxDelete);
  if (features.has_animation != 0) {
    // The first frame, if it covers the image.
    const WebPData data{file.data(), file.size()};
    demuxer.reset(WebPDemux(&data));
    WebPIterator first{};
    if (demuxer == nullptr || WebPDemuxGetFrame(demuxer.get(), 1, &first) == 0) {
      throw BrokenImage("WebP: the animation is damaged or cut off");
    }
    frame = {first.fragment.bytes, first.fragment.size};
    const bool whole = first.width == features.width && first.height == features.height;
    WebPDemuxReleaseIterator(&first);
    if (!whole) {
      throw BrokenImage("WebP: expected an animation whose first image is whole, got a part of it");
    }
  }
  Image image{features.height, features.width, {}};
  const auto stride = static_cast<std::size_t>(image.columns * Image::channels);
  image.pixels.resize(static_cast<std::size_t>(image.rows) * stride);
  // Colours are not premultiplied in the file, so dropping transparency is all that is left to do.
  if (WebPDecodeRGBInto(frame.data(), frame.size(), image.pixels.data(), image.pixels.size(),
                        static_cast<int>(stride)) == nullptr) {
    throw BrokenImage("WebP: the image is damaged or cut off");
  }
  return image;
}

}  // namespace pair::data
