#pragma once

#include "pair/data/image.h"

namespace pair::data {

// A square image, turned counter-clockwise by 90 degrees `turns` times, as Pillow's rotate(90 * turns).
// turns: 0 to 3.
Image quarter_turned(const Image& image, int turns);

}  // namespace pair::data
