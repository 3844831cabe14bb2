#pragma once

#include "pair/cli/reference.h"

namespace pair::cli {

// The reference pages of the solvers: 'pair list solvers --markdown'.
Reference solvers_reference();

}  // namespace pair::cli
