#pragma once

#include <pybind11/pybind11.h>

// The parts of the module pair._core, one file each.

namespace pair::python {

void bind_solve(pybind11::module_& module);
void bind_pareto(pybind11::module_& module);
void bind_select(pybind11::module_& module);
void bind_data(pybind11::module_& module);

}  // namespace pair::python
