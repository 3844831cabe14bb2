#include "pair/data/image_formats.h"

// Without libtiff.

namespace pair::data {

bool has_tiff() {
  return false;
}

Image decode_tiff(BytesView /*file*/, const ImageLimits& /*limits*/) {
  throw BrokenImage("TIFF is not read: pair was built without libtiff (Debian: libtiff-dev)");
}

}  // namespace pair::data
