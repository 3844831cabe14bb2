#include "arrays.h"

namespace pair::python {

Doubles doubles_of(std::string_view name, py::handle values) {
  if (py::isinstance<Doubles>(values)) {
    return py::reinterpret_borrow<Doubles>(values);
  }
  const std::string start = std::string(name) + ": expected numbers, got ";
  const std::string type = py::str(py::type::of(values).attr("__name__"));
  py::array array;
  try {
    array = py::module_::import("numpy").attr("asarray")(values);
  } catch (const py::error_already_set& error) {
    const std::string message = start + type + " (" + std::string(py::str(error.value())) + ")";
    if (error.matches(PyExc_ValueError)) {
      throw py::value_error(message);
    }
    throw py::type_error(message);
  }
  if (std::string_view("biuf").find(array.dtype().kind()) == std::string_view::npos) {
    throw py::type_error(start + type + " of " + std::string(py::str(array.dtype())));
  }
  return Doubles::ensure(array);
}

std::string shape_of(const py::array& array) {
  std::string text;
  for (py::ssize_t i = 0; i < array.ndim(); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(array.shape(i));
  }
  return "[" + text + "]";
}

}  // namespace pair::python
