#pragma once

#include "pair/cli/reference.h"

namespace pair::cli {

Reference objectives_reference();
Reference algorithms_reference();

}  // namespace pair::cli
