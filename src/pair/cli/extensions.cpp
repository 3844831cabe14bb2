#include "pair/cli/extensions.h"

#include <iostream>
#include <stdexcept>

#include "pair/cli/command.h"
#include "pair/cli/program.h"

namespace pair::cli {

int run_program(int argc, char** argv, const Extensions& extensions) {
  try {
    for (const objectives::ObjectiveEntry& entry : extensions.objectives) {
      objectives::add_objective(entry);
    }
    for (const moo::SolverEntry& entry : extensions.solvers) {
      moo::add_solver(entry);
    }
    for (const data::DatasetEntry& entry : extensions.datasets) {
      data::add_dataset(entry);
    }
    for (const models::ModelEntry& entry : extensions.models) {
      models::add_model(entry);
    }
    for (const algorithms::AlgorithmEntry& entry : extensions.algorithms) {
      algorithms::add_algorithm(entry);
    }
  } catch (const std::exception& error) {
    std::cerr << "pair: " << error.what() << '\n';
    return exit_bad_input;
  }
  return run_standard(argc, argv);
}

}  // namespace pair::cli
