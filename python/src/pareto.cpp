#include "pair/moo/pareto.h"

#include <cstdint>

#include "arrays.h"
#include "module.h"

// Tools for points of a loss space.

namespace pair::python {
namespace {

Doubles points_of(py::handle values) {
  Doubles points = doubles_of("points", values);
  if (points.ndim() != 2) {
    throw py::value_error("points: expected one row per point, got shape " + shape_of(points));
  }
  return points;
}

Doubles square(py::handle values) {
  Doubles gram = doubles_of("gram", values);
  if (gram.ndim() != 2 || gram.shape(0) != gram.shape(1)) {
    throw py::value_error("gram: expected a square matrix, got shape " + shape_of(gram));
  }
  return gram;
}

std::size_t side(const Doubles& matrix, py::ssize_t axis) {
  return static_cast<std::size_t>(matrix.shape(axis));
}

}  // namespace

void bind_pareto(py::module_& module) {
  module.def("dominates", [](py::handle a, py::handle b) {
    const Doubles left = doubles_of("a", a);
    const Doubles right = doubles_of("b", b);
    if (left.ndim() != 1 || right.ndim() != 1 || left.size() != right.size()) {
      throw py::value_error("b: expected a point with as many values as a, got shapes " + shape_of(left) +
                            " and " + shape_of(right));
    }
    return moo::dominates(numbers_in(left), numbers_in(right));
  });
  module.def("non_dominated", [](py::handle values) {
    const Doubles points = points_of(values);
    const std::vector<std::size_t> chosen = moo::non_dominated(numbers_in(points), side(points, 1));
    return as_array(std::vector<std::int64_t>(chosen.begin(), chosen.end()));
  });
  module.def("hypervolume", [](py::handle values, py::handle reference) {
    const Doubles points = points_of(values);
    const Doubles corner = doubles_of("reference", reference);
    return moo::hypervolume(numbers_in(points), side(points, 1), numbers_in(corner));
  });
  module.def("pareto_stationarity", [](py::handle values) {
    const Doubles gram = square(values);
    return moo::pareto_stationarity(numbers_in(gram), side(gram, 0));
  });
  module.def("conflict_angle", [](py::handle values, std::size_t i, std::size_t j) {
    const Doubles gram = square(values);
    return moo::conflict_angle(numbers_in(gram), side(gram, 0), i, j);
  });
}

}  // namespace pair::python
