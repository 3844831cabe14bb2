#include "pair/data/image_formats.h"

// Without libwebp.

namespace pair::data {

bool has_webp() {
  return false;
}

Image decode_webp(BytesView /*file*/, const ImageLimits& /*limits*/) {
  throw BrokenImage("WebP is not read: pair was built without libwebp (Debian: libwebp-dev)");
}

}  // namespace pair::data
