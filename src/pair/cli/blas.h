#pragma once

#include <string_view>

// OpenBLAS chooses its kernels when it is loaded, by the processor's model number. Versions before 0.3.22
// fall back to their oldest kernels ("Prescott", without AVX) on a model that they do not know, such as a
// virtual machine's or one that is newer than the library. A training step then takes three times as long.

namespace pair::cli {

// The kernels to ask for in place of `chosen`, OpenBLAS's own choice: "SkylakeX" or "Haswell" where the
// choice is "Prescott" and the processor has AVX-512 or AVX2 (no Prescott has); empty where the choice is
// right.
[[nodiscard]] std::string_view better_kernels(std::string_view chosen);

// Sets OPENBLAS_CORETYPE for the programs that this one starts, where OpenBLAS is installed and its choice
// can be improved. A value that the user has set stays. Takes a few milliseconds.
void choose_blas_kernels();

}  // namespace pair::cli
