#pragma once

// The losses that device/kernels.h has kernels for, in a file that nvcc reads too.

namespace pair::device {

enum class Loss { binary_cross_entropy, cross_entropy, squared_error };

}  // namespace pair::device
