#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "pair/data/bytes.h"

// Arrays of numpy.savez and numpy.savez_compressed: ZIP archives of .npy files, stored or deflated.

namespace pair::data {

struct NumpyArray {
  std::vector<std::int64_t> shape;
  std::vector<float> values;  // row-major
};

// The array `member` of an archive, of 32-bit or 64-bit floating-point numbers in C order. `name` is used in
// error messages. Throws std::runtime_error if the archive is damaged, has no such array, or the array is of
// another type, in Fortran order, or of another size than its shape says.
NumpyArray read_npz(BytesView archive, std::string_view member, std::string_view name);

// An archive with one array of 32-bit numbers, deflated, as numpy.savez_compressed writes it.
Bytes npz_bytes(std::string_view member, const NumpyArray& array);

}  // namespace pair::data
