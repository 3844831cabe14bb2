#pragma once

#include <vector>

#include "pair/algorithms/registry.h"
#include "pair/data/registry.h"
#include "pair/models/registry.h"
#include "pair/moo/registry.h"
#include "pair/objectives/registry.h"

// The pair program with your own objectives, solvers, datasets, models and algorithms, without changing this
// project:
//
//     int main(int argc, char** argv) {
//       pair::cli::Extensions extensions;
//       extensions.objectives.push_back(my_objective());
//       return pair::cli::run_program(argc, argv, extensions);
//     }
//
// Entries are made as in CONTRIBUTING.md. The program has all commands of pair; lists, settings, specs and
// sweeps include the extensions. examples/plugin is a whole project.

namespace pair::cli {

struct Extensions {
  std::vector<objectives::ObjectiveEntry> objectives = {};
  std::vector<moo::SolverEntry> solvers = {};
  std::vector<data::DatasetEntry> datasets = {};
  std::vector<models::ModelEntry> models = {};
  std::vector<algorithms::AlgorithmEntry> algorithms = {};
};

// Adds the extensions to the lists of this process and runs the program. Returns the exit status: 2, with a
// message on standard error, if a name exists already. Call it once, first in main.
int run_program(int argc, char** argv, const Extensions& extensions);

}  // namespace pair::cli
