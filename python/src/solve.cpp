#include <pybind11/stl.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <variant>

#include "arrays.h"
#include "module.h"
#include "pair/base/options.h"
#include "pair/moo/registry.h"

// Solvers: one problem, or many at once.

namespace pair::python {
namespace {

// From this number of objectives on, a solve takes longer than handing over the interpreter's lock.
constexpr std::size_t objectives_without_lock = 8;

py::object object_of(const base::Value& value) {
  return std::visit([](const auto& content) { return py::cast(content); }, value);
}

// The value as a user would type it, so that Python's options are checked as those of the command line.
std::string text_of(const std::string& name, py::handle value) {
  if (py::isinstance<py::bool_>(value)) {
    return value.cast<bool>() ? "true" : "false";
  }
  if (py::isinstance<py::str>(value)) {
    return value.cast<std::string>();
  }
  const auto number = [](py::handle item) {
    return PyLong_Check(item.ptr()) != 0 ? std::string(py::str(item))
                                         : base::as_text(base::Value(item.cast<double>()));
  };
  try {
    if (py::isinstance<py::list>(value) || py::isinstance<py::tuple>(value)) {
      std::string text;
      for (const py::handle item : value) {
        text += (text.empty() ? "" : ",") + number(item);
      }
      return text;
    }
    return number(value);
  } catch (const py::cast_error&) {
    throw py::type_error(name + ": expected a number, a list of numbers, a flag or a string, got " +
                         std::string(py::str(py::type::of(value).attr("__name__"))));
  }
}

class NamedSolver {
 public:
  // training: from the options' defaults in training.
  NamedSolver(std::string name, bool training, const py::kwargs& options) : name_(std::move(name)) {
    base::Assignments changes;
    for (const auto& [option, value] : options) {
      const auto key = option.cast<std::string>();
      changes.emplace_back(key, text_of(key, value));
    }
    options_ = training ? moo::training_options_of(name_, changes) : moo::options_of(name_, changes);
    solver_ = moo::make_solver(name_, options_);
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] const moo::Solver& get() const { return *solver_; }
  [[nodiscard]] py::dict options() const {
    py::dict all;
    for (const base::Field& field : options_.fields()) {
      all[py::str(field.name)] = object_of(options_.get(field));
    }
    return all;
  }

 private:
  std::string name_;
  base::Options options_;
  std::unique_ptr<moo::Solver> solver_;
};

// The arrays of one problem, alive while it is solved.
struct Arrays {
  Doubles losses;
  Doubles gram;
  Doubles preference;
  std::optional<Doubles> previous;
};

std::optional<Doubles> optional_doubles(std::string_view name, py::handle values) {
  return values.is_none() ? std::nullopt : std::optional(doubles_of(name, values));
}

void require_shape(std::string_view name, const Doubles& array, py::ssize_t dimensions,
                   const std::string& expected) {
  if (array.ndim() != dimensions) {
    throw py::value_error(std::string(name) + ": expected " + expected + ", got shape " + shape_of(array));
  }
}

void require_square(const Doubles& gram, py::ssize_t rows) {
  if (gram.shape(gram.ndim() - 1) != gram.shape(gram.ndim() - 2)) {
    throw py::value_error("gram: expected " + std::to_string(rows) + " x " + std::to_string(rows) +
                          " values, got shape " + shape_of(gram));
  }
}

moo::Solution weigh(const NamedSolver& solver, py::handle losses, py::handle gram, py::handle preference,
                    py::handle previous) {
  const Arrays arrays{doubles_of("losses", losses), doubles_of("gram", gram),
                      doubles_of("preference", preference), optional_doubles("previous", previous)};
  require_shape("losses", arrays.losses, 1, "one value per objective");
  const py::ssize_t m = arrays.losses.size();
  require_shape("gram", arrays.gram, 2, std::to_string(m) + " x " + std::to_string(m) + " values");
  require_square(arrays.gram, m);
  require_shape("preference", arrays.preference, 1, "one value per objective");
  if (arrays.previous) {
    require_shape("previous", *arrays.previous, 1, "one value per objective");
  }
  const std::span<const double> before =
      arrays.previous ? numbers_in(*arrays.previous) : std::span<const double>();
  if (static_cast<std::size_t>(m) < objectives_without_lock) {
    return solver.get().weigh(
        {numbers_in(arrays.losses), numbers_in(arrays.gram), numbers_in(arrays.preference), before});
  }
  // Copies: another thread may write into the arrays while this one does not hold the lock.
  const auto copy = [](std::span<const double> values) {
    return std::vector<double>(values.begin(), values.end());
  };
  const std::vector<double> own_losses = copy(numbers_in(arrays.losses));
  const std::vector<double> own_gram = copy(numbers_in(arrays.gram));
  const std::vector<double> own_preference = copy(numbers_in(arrays.preference));
  const std::vector<double> own_previous = copy(before);
  const py::gil_scoped_release unlocked;
  return solver.get().weigh({own_losses, own_gram, own_preference, own_previous});
}

// The numbers of many problems, one after another. A stride of 0: the same for all.
struct Column {
  const double* data = nullptr;
  std::size_t size = 0;  // numbers per problem
  std::size_t stride = 0;

  // Copied, so that a thread that writes into the array cannot change a problem after its validation.
  void read(std::size_t problem, std::vector<double>& into) const {
    const double* const start = data + problem * stride;
    into.assign(start, start + size);
  }
};

Column column_of(const Doubles& array, std::size_t size, bool shared) {
  return {array.data(), size, shared ? 0 : size};
}

// The lowest-numbered problem that failed.
class FirstFailure {
 public:
  void add(std::size_t problem, const std::string& what) {
    const std::scoped_lock lock(mutex_);
    if (!what_ || problem < problem_) {
      problem_ = problem;
      what_ = what;
    }
  }
  void check() const {
    if (what_) {
      throw moo::InvalidProblem("problem " + std::to_string(problem_) + ": " + *what_);
    }
  }

 private:
  std::mutex mutex_;
  std::size_t problem_ = 0;
  std::optional<std::string> what_;
};

std::uint8_t code_of(const std::optional<moo::Phase>& phase) {
  return phase ? static_cast<std::uint8_t>(1 + static_cast<int>(*phase)) : std::uint8_t{0};
}

// Returns (weights [n, m], phases [n], divergences [n], objectives [n], infeasible [n]); phases: 0 for none,
// 1 for balance, 2 for descent.
py::tuple weigh_batch(const NamedSolver& solver, py::handle losses, py::handle gram, py::handle preference,
                      py::handle previous, int threads) {
  const Arrays arrays{doubles_of("losses", losses), doubles_of("gram", gram),
                      doubles_of("preference", preference), optional_doubles("previous", previous)};
  if (threads < 1 || threads > 1024) {
    throw py::value_error("threads: expected an integer from 1 to 1024, got " + std::to_string(threads));
  }
  require_shape("losses", arrays.losses, 2, "one row per problem");
  const py::ssize_t n = arrays.losses.shape(0);
  const py::ssize_t m = arrays.losses.shape(1);
  const std::string rows = std::to_string(n) + " problems";
  require_shape("gram", arrays.gram, 3, "one matrix per problem (" + rows + ")");
  require_square(arrays.gram, m);
  const bool shared = arrays.preference.ndim() == 1;
  if (!shared) {
    require_shape("preference", arrays.preference, 2, "one row, or one row per problem (" + rows + ")");
  }
  if (arrays.previous) {
    require_shape("previous", *arrays.previous, 2, "one row per problem (" + rows + ")");
  }
  const auto require_problems = [&](std::string_view name, const Doubles& array) {
    if (array.shape(0) != n) {
      throw py::value_error(std::string(name) + ": expected " + rows + ", got shape " + shape_of(array));
    }
  };
  require_problems("gram", arrays.gram);
  if (!shared) {
    require_problems("preference", arrays.preference);
  }
  if (arrays.previous) {
    require_problems("previous", *arrays.previous);
  }

  const auto count = static_cast<std::size_t>(n);
  const auto size = static_cast<std::size_t>(m);
  const Column all_losses = column_of(arrays.losses, size, false);
  const Column all_grams =
      column_of(arrays.gram, static_cast<std::size_t>(arrays.gram.shape(1) * arrays.gram.shape(2)), false);
  const Column all_preferences =
      column_of(arrays.preference, static_cast<std::size_t>(arrays.preference.shape(shared ? 0 : 1)), shared);
  const Column all_previous =
      arrays.previous
          ? column_of(*arrays.previous, static_cast<std::size_t>(arrays.previous->shape(1)), false)
          : Column{};

  py::array_t<double> weights({n, m});
  py::array_t<std::uint8_t> phases(n);
  py::array_t<double> divergences(n);
  py::array_t<double> objectives(n);
  py::array_t<bool> infeasible(n);
  double* const out_weights = weights.mutable_data();
  std::uint8_t* const out_phases = phases.mutable_data();
  double* const out_divergences = divergences.mutable_data();
  double* const out_objectives = objectives.mutable_data();
  bool* const out_infeasible = infeasible.mutable_data();
  {
    const py::gil_scoped_release unlocked;
    constexpr std::size_t block = 64;
    std::atomic<std::size_t> next = 0;
    FirstFailure failure;
    const auto work = [&] {
      std::vector<double> own_losses;
      std::vector<double> own_gram;
      std::vector<double> own_preference;
      std::vector<double> own_previous;
      for (std::size_t start = next.fetch_add(block); start < count; start = next.fetch_add(block)) {
        for (std::size_t i = start; i < std::min(start + block, count); ++i) {
          all_losses.read(i, own_losses);
          all_grams.read(i, own_gram);
          all_preferences.read(i, own_preference);
          all_previous.read(i, own_previous);
          try {
            const moo::Solution solution =
                solver.get().weigh({own_losses, own_gram, own_preference, own_previous});
            std::copy(solution.weights.begin(), solution.weights.end(), out_weights + i * size);
            out_phases[i] = code_of(solution.phase);
            out_divergences[i] = solution.divergence;
            out_objectives[i] = solution.objective;
            out_infeasible[i] = solution.status == moo::Status::infeasible;
          } catch (const std::exception& error) {
            failure.add(i, error.what());
            return;
          }
        }
      }
    };
    {
      std::vector<std::jthread> others;
      for (int i = 1; i < threads; ++i) {
        others.emplace_back(work);
      }
      work();
    }
    failure.check();
  }
  return py::make_tuple(weights, phases, divergences, objectives, infeasible);
}

// The solver alone, without copies or results: what Python's calls are compared with
// (benchmarks/overhead.py).
void solve_only(const NamedSolver& solver, py::handle losses, py::handle gram, py::handle preference) {
  const Doubles all_losses = doubles_of("losses", losses);
  const Doubles all_grams = doubles_of("gram", gram);
  const Doubles one_preference = doubles_of("preference", preference);
  require_shape("losses", all_losses, 2, "one row per problem");
  const auto n = static_cast<std::size_t>(all_losses.shape(0));
  const auto m = static_cast<std::size_t>(all_losses.shape(1));
  if (static_cast<std::size_t>(all_grams.size()) != n * m * m) {
    throw py::value_error("gram: expected one matrix per problem, got shape " + shape_of(all_grams));
  }
  const py::gil_scoped_release unlocked;
  for (std::size_t i = 0; i < n; ++i) {
    (void)solver.get().weigh({numbers_in(all_losses).subspan(i * m, m),
                              numbers_in(all_grams).subspan(i * m * m, m * m), numbers_in(one_preference)});
  }
}

py::object phase_of(const moo::Solution& solution) {
  return solution.phase ? py::object(py::str(std::string(to_string(*solution.phase))))
                        : py::object(py::none());
}

std::string shown(const moo::Solution& solution) {
  return "Solution(weights=[" + base::as_text(base::Value(solution.weights)) +
         "], phase=" + std::string(py::repr(phase_of(solution))) +
         ", divergence=" + base::as_text(base::Value(solution.divergence)) +
         ", objective=" + base::as_text(base::Value(solution.objective)) + ", status='" +
         std::string(to_string(solution.status)) + "')";
}

py::list declared_solvers() {
  py::list all;
  for (const moo::SolverEntry& entry : moo::solvers()) {
    const base::Options training = moo::training_options_of(entry.name);
    py::list options;
    for (const base::Field& field : entry.options.fields()) {
      options.append(py::make_tuple(field.name, object_of(entry.options.get(field)),
                                    object_of(training.get(*training.find(field.name))), field.accepted,
                                    field.summary));
    }
    all.append(py::make_tuple(entry.name, entry.summary, options, entry.manual.formula, entry.manual.cited,
                              entry.manual.advice, entry.uses_losses, moo::python_class_of(entry)));
  }
  return all;
}

}  // namespace

void bind_solve(py::module_& module) {
  py::class_<moo::Solution>(
      module, "Solution",
      "Weights [m], phase ('balance', 'descent' or None), divergence from the preferred "
      "ray, the value that the solver optimises (objective), and status ('optimal' or "
      "'infeasible'). The array of weights shares the solution's memory.")
      .def_property_readonly("weights",
                             [](const py::object& self) {
                               const auto& solution = self.cast<const moo::Solution&>();
                               return py::array_t<double>(static_cast<py::ssize_t>(solution.weights.size()),
                                                          solution.weights.data(), self);
                             })
      .def_property_readonly("phase", &phase_of)
      .def_readonly("divergence", &moo::Solution::divergence)
      .def_readonly("objective", &moo::Solution::objective)
      .def_property_readonly(
          "status", [](const moo::Solution& solution) { return std::string(to_string(solution.status)); })
      .def("__repr__", &shown)
      .def(py::pickle(
          [](const moo::Solution& solution) {
            return py::make_tuple(solution.weights, solution.status == moo::Status::optimal,
                                  code_of(solution.phase), solution.divergence, solution.objective);
          },
          [](const py::tuple& state) {
            moo::Solution solution;
            solution.weights = state[0].cast<std::vector<double>>();
            solution.status = state[1].cast<bool>() ? moo::Status::optimal : moo::Status::infeasible;
            if (const int code = state[2].cast<int>(); code > 0) {
              solution.phase = static_cast<moo::Phase>(code - 1);
            }
            solution.divergence = state[3].cast<double>();
            solution.objective = state[4].cast<double>();
            return solution;
          }));

  py::class_<NamedSolver>(
      module, "Solver",
      "Solver(name, training=False, **options): a solver with its options; training: from "
      "the options' defaults in training. pair.solvers() lists names and options.")
      .def(py::init<std::string, bool, const py::kwargs&>(), py::arg("name"), py::arg("training") = false)
      .def_property_readonly("name", &NamedSolver::name)
      .def_property_readonly("options", &NamedSolver::options)
      .def("weigh", &weigh, py::arg("losses"), py::arg("gram"), py::arg("preference"),
           py::arg("previous") = py::none())
      .def("weigh_batch", &weigh_batch, py::arg("losses"), py::arg("gram"), py::arg("preference"),
           py::arg("previous") = py::none(), py::arg("threads") = 1)
      .def("_solve_only", &solve_only)
      // So that modules that hold a solver can be copied and saved.
      .def(py::pickle(
          [](const NamedSolver& solver) { return py::make_tuple(solver.name(), solver.options()); },
          [](const py::tuple& state) {
            return NamedSolver(state[0].cast<std::string>(), false,
                               py::reinterpret_borrow<py::kwargs>(state[1]));
          }));

  module.def("solvers", &declared_solvers);
  module.def("gram_of", [](py::handle gradients) {
    const Doubles rows = doubles_of("gradients", gradients);
    require_shape("gradients", rows, 2, "one row per objective");
    const py::ssize_t m = rows.shape(0);
    py::array_t<double> gram = as_array(moo::gram_of(numbers_in(rows), static_cast<std::size_t>(m)));
    return gram.reshape({m, m});
  });
}

}  // namespace pair::python
