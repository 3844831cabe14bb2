#include "module.h"

// pair._core: the parts of PAIR that need no torch. Arrays are NumPy's. std::invalid_argument becomes
// ValueError, std::runtime_error RuntimeError, both with their sentence.

PYBIND11_MODULE(_core, module) {
  module.doc() = "The compiled core of pair: solvers, Pareto tools, model selection, digits.";
  module.attr("__version__") = PAIR_VERSION;
  pair::python::bind_solve(module);
  pair::python::bind_pareto(module);
  pair::python::bind_select(module);
  pair::python::bind_data(module);
}
