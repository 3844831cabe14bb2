#pragma once

#include <string_view>

// OpenBLAS chooses its kernels when it is loaded, by the processor's model number. Versions before 0.3.22
// fall back to their oldest kernels ("Prescott", without AVX) on an unknown model, such as a virtual
// machine's or one that is newer than the library. A training step then takes three times as long.

namespace pair::cli {

// The kernels to request in place of `chosen`, OpenBLAS's own choice: "SkylakeX" or "Haswell" if the choice
// is "Prescott" and the processor has AVX-512 or AVX2 (which no Prescott has); empty if the choice is right.
[[nodiscard]] std::string_view better_kernels(std::string_view chosen);

// Sets OPENBLAS_CORETYPE for the programs that this one starts, if OpenBLAS is installed and its choice can
// be improved. A value set by the user is kept. Otherwise PAIR_CHOSE_CORETYPE is set, too, so that a job on
// another machine knows that it may choose again. Takes a few milliseconds.
void choose_blas_kernels();

// Sets ONEDNN_MAX_CPU_ISA for the programs that this one starts, unless the user has: oneDNN, which LibTorch
// uses for convolutions, may use AVX-512 with bfloat16, but not AMX. Version 2.6, Debian 12's, ends the
// program with an illegal instruction where a processor has AMX and a convolution is in bfloat16 (--precision
// bf16).
void choose_onednn_kernels();

}  // namespace pair::cli
