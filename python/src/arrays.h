#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// NumPy arrays as arguments and results.

namespace pair::python {

namespace py = pybind11;

// C-contiguous doubles.
using Doubles = py::array_t<double, py::array::c_style | py::array::forcecast>;

// The argument itself if it is such an array, otherwise a converted copy. Throws py::type_error for values
// that are not real numbers and py::value_error for rows of different lengths; both name the argument.
Doubles doubles_of(std::string_view name, py::handle values);

// "[3, 4]".
std::string shape_of(const py::array& array);

inline std::span<const double> numbers_in(const Doubles& array) {
  return {array.data(), static_cast<std::size_t>(array.size())};
}

// An array that owns the vector's memory: no copy.
template <class T>
py::array_t<T> as_array(std::vector<T> values) {
  auto* const owned = new std::vector<T>(std::move(values));
  const py::capsule owner(owned, [](void* vector) { delete static_cast<std::vector<T>*>(vector); });
  return py::array_t<T>(static_cast<py::ssize_t>(owned->size()), owned->data(), owner);
}

}  // namespace pair::python
