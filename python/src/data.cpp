#include <cstdint>

#include "arrays.h"
#include "module.h"
#include "pair/data/digits.h"
#include "pair/data/random.h"

// The digits of ColoredMNIST and the random generator of runs, so that Python makes the same data and the
// same initial weights as the program.

namespace pair::python {

void bind_data(py::module_& module) {
  using data::Random;
  py::class_<Random>(module, "Random",
                     "Random(seed, stream): the random generator of runs. The same seed and stream give the "
                     "draws of the program.")
      .def(py::init<std::uint64_t, std::string_view>(), py::arg("seed"), py::arg("stream"))
      .def(
          "uniform",
          [](Random& random, std::size_t count, double low, double high) {
            std::vector<double> draws(count);
            for (double& draw : draws) {
              draw = random.uniform(low, high);
            }
            return as_array(std::move(draws));
          },
          py::arg("count"), py::arg("low") = 0.0, py::arg("high") = 1.0)
      .def("permutation", [](Random& random, std::size_t n) { return as_array(random.permutation(n)); })
      .def("below", [](Random& random, std::uint64_t bound) {
        if (bound == 0) {
          throw py::value_error("bound: expected an integer of at least 1, got 0");
        }
        return random.below(bound);
      });

  module.def("mnist14", [] {
    data::Digits digits = data::embedded_mnist14();
    py::array_t<std::uint8_t> pixels = as_array(std::move(digits.pixels));
    return py::make_tuple(pixels.reshape({digits.count, digits.rows, digits.columns}),
                          as_array(std::move(digits.labels)));
  });
}

}  // namespace pair::python
